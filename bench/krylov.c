/* How much of krylov's time is arithmetic on the data: the iterations against nothing but their BLAS-3 calls, of the same
 * shapes, on the same rows where they are doubles, on a block of doubles where they are not, over the same cores. */
#include "bench.h"

#include "base/pool.h"
#include "data/operator.h"
#include "fit/options.h"
#include "linalg/blas.h"

#include <stdlib.h>

enum { ROWS = 60000, D = 784, NODES = 20, K = 10, BLOCK = 13, PART = ROWS / NODES };

/* ---- the bare calls: every node's rows, in blocks as the library takes them ------------------- */

typedef struct bare {
    emi_pool *pool;
    int passes;
    size_t at_once;
    const double *all; /* every row; NULL: the same block over and over */
    double *rows[64], *scores[64], *X, *Z[64];
} bare;

static em_status products_body(void *context, int i, int worker, em_error *err)
{
    (void)err;
    const bare *b = context;
    for (size_t first = 0; first < PART; first += b->at_once) {
        int count = (int)(PART - first < b->at_once ? PART - first : b->at_once);
        double *rows = b->all ? (double *)b->all + ((size_t)i * PART + first) * D : b->rows[worker];
        emi_block Y = {D, count, rows}, S = {count, BLOCK, b->scores[worker]};
        emi_mul_tn(1, Y, (emi_block){D, BLOCK, b->X}, 0, S);
        emi_mul(1, Y, S, 1, (emi_block){D, BLOCK, b->Z[worker]});
    }
    return EM_OK;
}

static void all_products(void *context)
{
    bare *b = context;
    em_error err;
    for (int t = 0; t < b->passes; t++) bench_must(emi_pool_run(b->pool, NODES, 1e12, products_body, b, &err), &err);
}

static double *filled(size_t count)
{
    double *values = malloc(count * sizeof *values);
    if (!values) exit(1);
    for (size_t n = 0; n < count; n++) values[n] = (double)(n % 97) * 1e-6;
    return values;
}

static double bare_seconds(const double *all, int passes, int threads)
{
    em_error err;
    bare b = {.all = all,
              .passes = passes,
              .at_once = emi_operator_needs(D, BLOCK) / (D + BLOCK),
              .X = filled((size_t)D * BLOCK)};
    for (int t = 0; t < threads; t++) {
        b.rows[t] = filled(b.at_once * D);
        b.scores[t] = filled(b.at_once * BLOCK);
        b.Z[t] = filled((size_t)D * BLOCK);
    }
    bench_must(emi_pool_open(&b.pool, threads, &err), &err);
    emi_blas_claim(1);
    double seconds = bench_best(all_products, &b, 3);
    emi_blas_release(1);
    emi_pool_close(&b.pool);
    for (int t = 0; t < threads; t++) free(b.rows[t]), free(b.scores[t]), free(b.Z[t]);
    free(b.X);
    return seconds;
}

/* ---- the program ---------------------------------------------------------------------------------- */

typedef struct outcome {
    double setup, iterations, units, error;
    int steps;
} outcome;

static outcome fit_once(const void *rows, em_dtype type, int truth)
{
    em_error err;
    em_model *model;
    bench_problem p = bench_open_array(rows, type, ROWS, D, NODES, "er:0.5");
    em_options options = emi_options_default();
    options.method = "krylov";
    options.components = K;
    options.truth_compute = truth;
    bench_must(em_fit(&model, &options, p.mesh, p.shards, &err), &err);
    const em_info *info = em_model_info(model);
    outcome result = {info->seconds_setup, info->seconds, info->traffic[EM_METHOD].units, info->error,
                      (int)info->iterations};
    em_model_free(&model);
    bench_close(&p);
    return result;
}

static void report(const char *heading, const void *rows, em_dtype type, const bench_machine *machine, double goal)
{
    outcome exact = fit_once(rows, type, 1), best = fit_once(rows, type, 0);
    for (int turn = 0; turn < 2; turn++) {
        outcome again = fit_once(rows, type, 0);
        if (again.iterations < best.iterations) best = again;
    }
    double bare_time = bare_seconds(type == EM_F64 ? rows : NULL, best.steps, machine->threads),
           flops = 4.0 * ROWS * D * BLOCK * best.steps / 1e9;
    bench_heading(heading);
    bench_row("averages", best.steps, "", 0, 0);
    bench_row("units sent", best.units, "", 0, 0);
    bench_row("error at the end", exact.error, "", 0, 0);
    bench_row("time before the iterations", 1e3 * best.setup, "ms", 0, 0);
    bench_row("time of the iterations", 1e3 * best.iterations, "ms", 0, 0);
    bench_row("arithmetic in them", flops / best.iterations, "GFLOP/s", 0, 0);
    bench_row("share of them in BLAS-3 on the data", bare_time / best.iterations, "", goal, 0);
}

void bench_krylov(const bench_machine *machine)
{
    float *single = bench_rows(ROWS, D);
    double *rows = malloc((size_t)ROWS * D * sizeof *rows);
    if (!rows) exit(1);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) rows[n] = (double)single[n];
    report("krylov, 60,000 x 784 float64 rows (used where they lie), 20 nodes, K = 10, tolerance 1e-6", rows, EM_F64,
           machine, 0.85);
    report("krylov, the same as float32 rows (converted in blocks)", single, EM_F32, machine, 0);
    free(rows);
    free(single);
}
