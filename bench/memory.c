/* Peak memory of a fit from a memory-mapped file, in a process of its own. */
#include "bench.h"
#include "fit/options.h"
#include "lab/tables/writer.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 60000, D = 784, NODES = 20, K = 10 };

static void write_file(const char *path)
{
    em_error err;
    lab_writer *writer;
    enum { AT_ONCE = 1000 };
    float *rows = bench_rows(AT_ONCE, D);
    double *block = malloc(sizeof *block * AT_ONCE * D);
    if (!block) exit(1);
    for (size_t n = 0; n < (size_t)AT_ONCE * D; n++) block[n] = (double)rows[n];
    bench_must(lab_writer_open(&writer, path, EM_F32, ROWS, D, &err), &err);
    for (int done = 0; done < ROWS; done += AT_ONCE) bench_must(lab_writer_rows(writer, block, AT_ONCE, &err), &err);
    bench_must(lab_writer_close(&writer, &err), &err);
    free(block);
    free(rows);
}

static void fit_file(const char *path, long iterations)
{
    em_error err;
    em_data *data;
    em_model *model;
    em_options options = emi_options_default();
    options.method = "dsa";
    options.components = K;
    options.iterations = iterations;
    options.tolerance = 0;
    bench_must(em_data_open(&data, path, NULL, &err), &err);
    bench_problem p = bench_open(data, NODES, "er:0.5");
    bench_must(em_fit(&model, &options, p.mesh, p.shards, &err), &err);
    em_model_free(&model);
    bench_close(&p);
}

static double peak_of(const char *path, long iterations)
{
    pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        fit_file(path, iterations);
        _exit(0);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child || status != 0) exit(1);
    return (double)usage.ru_maxrss / 1024;
}

void bench_memory(void)
{
    char path[] = "/tmp/eigenmesh-bench-XXXXXX.npy";
    int file = mkstemps(path, 4);
    if (file < 0) exit(1);
    (void)close(file);
    write_file(path);
    double MiB = 1024.0 * 1024, fields = 8 * 8.0 * NODES * D * K / MiB;
    double covariances = 8.0 * NODES * D * D / MiB, data = 4.0 * ROWS * D / MiB;
    bench_heading("Peak memory of fit, 60,000 x 784 float32 .npy, 20 nodes, K = 10");
    bench_row("covariances kept (dense operator)", peak_of(path, 1000), "MiB", covariances + fields + 64, 1);
    bench_row("data kept (implicit operator)", peak_of(path, 5), "MiB", data + fields + 64, 1);
    (void)unlink(path);
}
