#include "support/checkpoints.h"
#include "support/matrix.h"
#include "support/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

double values[ROWS * COLUMNS];
char file[LONGEST], copied[LONGEST];
const setting usual = {"er:0.6", NODES, 1};

int checkpoints_prepare(void **state)
{
    (void)state;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    (void)snprintf(file, sizeof file, "%s", scratch("fit.ck"));
    (void)snprintf(copied, sizeof copied, "%s", scratch("copy.ck"));
    return 0;
}

unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    struct stat about;
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &about), 0);
    unsigned char *bytes = malloc((size_t)about.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)about.st_size, in);
    assert_int_equal(*size, about.st_size);
    (void)fclose(in);
    return bytes;
}

void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

void copy_file(const char *from, const char *to)
{
    size_t size;
    unsigned char *bytes = read_bytes(from, &size);
    write_bytes(to, bytes, size);
    free(bytes);
}

em_options options_for(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.iterations = 48;
    options.tolerance = 0;
    options.truth_compute = 1;
    options.trace = EMI_TRACE_ALL;
    options.seed = 3;
    return options;
}

em_status try_fit(em_model **model, const em_options *options, const setting *where, em_error *err)
{
    network net;
    const network_plan plan = {values, ROWS, COLUMNS, where->topology, where->nodes, where->threads};
    em_error unexpected = {0};
    assert_ok(network_open(&net, &plan, &unexpected), &unexpected);
    em_status status = em_fit(model, options, net.mesh, net.shards, err);
    network_close(&net);
    return status;
}

em_model *fit(const em_options *options, const setting *where)
{
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(try_fit(&model, options, where, &err), &err);
    return model;
}

int stop_at(const em_progress *progress, void *user)
{
    return progress->iteration == *(const long *)user;
}

/* A checkpoint of dsa after 20 iterations, and the options that go on from it. */
em_options leave_checkpoint(void)
{
    long at = 20;
    em_options options = options_for("dsa");
    (void)remove(file);
    options.checkpoint = file;
    options.monitor = stop_at;
    options.monitor_user = &at;
    em_model *model = fit(&options, &usual);
    em_model_free(&model);
    assert_true(exists(file));
    options.monitor = NULL;
    options.resume = 1;
    return options;
}
