/* The machine's own limits, to which everything else is compared. */
#include "bench.h"

#include "base/pool.h"
#include "linalg/blas.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDER = 2048 };

static void large_dgemm(void *context)
{
    double *A = context, *B = A + (size_t)ORDER * ORDER, *C = B + (size_t)ORDER * ORDER;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, ORDER, ORDER, ORDER, 1, A, ORDER, B, ORDER, 0, C, ORDER);
}

/* Reads far more than any cache holds; each thread its own part. */
typedef struct reading {
    const double *values;
    size_t count;
    int parts;
    emi_pool *pool;
    double sums[64];
} reading;

static em_status read_part(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    reading *r = context;
    size_t part = r->count / (size_t)r->parts;
    const double *v = r->values + part * (size_t)index;
    double s[8] = {0};
    for (size_t n = 0; n + 8 <= part; n += 8)
        for (size_t k = 0; k < 8; k++) s[k] += v[n + k];
    for (int k = 1; k < 8; k++) s[0] += s[k];
    r->sums[index] = s[0];
    return EM_OK;
}

static void read_all(void *context)
{
    reading *r = context;
    em_error err;
    bench_must(emi_pool_run(r->pool, r->parts, 1e12, read_part, r, &err), &err);
}

static double bandwidth(const double *values, size_t count, int threads)
{
    em_error err;
    reading r = {.values = values, .count = count, .parts = threads};
    bench_must(emi_pool_open(&r.pool, threads, &err), &err);
    double seconds = bench_best(read_all, &r, 5);
    emi_pool_close(&r.pool);
    return (double)(count * sizeof *values) / seconds / 1e9;
}

bench_machine bench_measure_machine(void)
{
    size_t count = (size_t)32 << 20; /* 256 MiB */
    double *values = malloc(count * sizeof *values);
    if (!values) exit(1);
    for (size_t n = 0; n < count; n++) values[n] = (double)(n % 97) / 97;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bench_machine machine = {.threads = cores > 64 ? 64 : (int)cores};
    double flops = 2.0 * ORDER * ORDER * ORDER / 1e9;
    emi_blas_claim(1);
    machine.peak_one = flops / bench_best(large_dgemm, values, 5);
    emi_blas_release(1);
    emi_blas_claim(machine.threads);
    machine.peak_all = flops / bench_best(large_dgemm, values, 5);
    emi_blas_release(machine.threads);
    machine.bandwidth_one = bandwidth(values, count, 1);
    machine.bandwidth_all = bandwidth(values, count, machine.threads);
    free(values);
    bench_heading("This machine");
    bench_note("cores used: %d", machine.threads);
    bench_row("large dgemm (2048), one core", machine.peak_one, "GFLOP/s", 0, 0);
    bench_row("large dgemm (2048), all cores", machine.peak_all, "GFLOP/s", 0, 0);
    bench_row("memory read, one core", machine.bandwidth_one, "GB/s", 0, 0);
    bench_row("memory read, all cores", machine.bandwidth_all, "GB/s", 0, 0);
    return machine;
}
