/* Forming every C_i from float32 rows, against the large-dgemm peak of the same cores. */
#include "bench.h"

#include "base/pool.h"
#include "data/form.h"
#include "linalg/blas.h"

#include <stdlib.h>

enum { ROWS = 60000, D = 784, NODES = 20 };

typedef struct forming {
    const em_shards *shards;
    emi_standard standard;
    emi_pool *pool;
    emi_scratch scratch[64];
} forming;

static em_status form_body(void *context, int i, int worker, em_error *err)
{
    forming *f = context;
    emi_operator C = {.kind = &emi_by_covariance,
                      .d = D,
                      .weight = (double)NODES / ROWS,
                      .shard = &f->shards->shard[i],
                      .standard = &f->standard};
    em_status status = C.kind->form(&C, f->scratch[worker], err);
    emi_operator_free(&C);
    return status;
}

static void form_all(void *context)
{
    forming *f = context;
    em_error err;
    bench_must(emi_pool_run(f->pool, NODES, 1e12, form_body, f, &err), &err);
}

static double seconds_to_form(em_shards *shards, double *mean, int threads)
{
    em_error err;
    forming f = {.shards = shards, .standard = {.d = D, .mean = mean}};
    bench_must(emi_pool_open(&f.pool, threads, &err), &err);
    size_t needs = emi_form_needs(D, D);
    for (int t = 0; t < threads; t++) f.scratch[t] = (emi_scratch){malloc(needs * sizeof(double)), needs};
    emi_blas_claim(1);
    double seconds = bench_best(form_all, &f, 3);
    emi_blas_release(1);
    for (int t = 0; t < threads; t++) free(f.scratch[t].v);
    emi_pool_close(&f.pool);
    return seconds;
}

void bench_covariance(const bench_machine *machine)
{
    em_error err;
    em_data *data;
    em_shards *shards;
    float *rows = bench_rows(ROWS, D);
    double *mean = calloc(D, sizeof *mean);
    bench_must(em_data_from_array(&data, rows, EM_F32, ROWS, D, 0, 0, &err), &err);
    bench_must(em_shards_split(&shards, data, NODES, NULL, 0, &err), &err);
    double flops = (double)ROWS * D * (D + 1) / 1e9;
    double one = seconds_to_form(shards, mean, 1), all = seconds_to_form(shards, mean, machine->threads);
    bench_heading("Forming C_i from 60,000 x 784 float32 rows, 20 nodes");
    bench_row("one core", flops / one, "GFLOP/s", 0, 0);
    bench_row("one core, fraction of the large-dgemm peak", flops / one / machine->peak_one, "", 0.8, 0);
    bench_row("all cores", flops / all, "GFLOP/s", 0, 0);
    bench_row("all cores, fraction of the large-dgemm peak", flops / all / machine->peak_all, "", 0.8, 0);
    em_shards_free(&shards);
    em_data_free(&data);
    free(mean);
    free(rows);
}
