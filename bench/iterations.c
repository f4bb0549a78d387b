/* One dsa iteration against nothing but its BLAS calls, on the same matrices, spread over the same cores. */
#include "bench.h"
#include "fit/options.h"

#include "data/operator.h"
#include "linalg/blas.h"
#include "linalg/field.h"
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

/* ---- the program: seconds an iteration ------------------------------------------------------ */

static double seconds_an_iteration(const bench_problem *p, int K, long iterations, double step)
{
    em_error err;
    em_model *model;
    em_options options = emi_options_default();
    options.method = "dsa";
    options.components = K;
    options.iterations = iterations;
    options.tolerance = 0;
    options.step = step;
    bench_must(em_fit(&model, &options, p->mesh, p->shards, &err), &err);
    double seconds = em_model_info(model)->seconds / (double)em_model_info(model)->iterations;
    em_model_free(&model);
    return seconds;
}

/* ---- the bare calls ---------------------------------------------------------------------------- */

typedef struct bare {
    int d, K, nodes;
    double *C; /* [nodes][d * d] */
    emi_field X, H;
    emi_pool *pool;
    double small[64][64 * 64];
} bare;

static em_status bare_body(void *context, int i, int worker, em_error *err)
{
    (void)err;
    bare *b = context;
    size_t size = (size_t)b->d * (size_t)b->d;
    emi_block C = {b->d, b->d, b->C + size * (size_t)i}, X = emi_at(&b->X, i), H = emi_at(&b->H, i);
    emi_block T = {b->K, b->K, b->small[worker]};
    emi_mul(1, C, X, 0, H);
    emi_mul_tn(1, X, H, 0, T);
    emi_mul(-1, X, T, 1, H);
    return EM_OK;
}

enum { BARE_TIMES = 10 };

static void bare_calls(void *context)
{
    bare *b = context;
    em_error err;
    for (int t = 0; t < BARE_TIMES; t++) bench_must(emi_pool_run(b->pool, b->nodes, 1e12, bare_body, b, &err), &err);
}

static double bare_seconds(int d, int K, int nodes, int threads)
{
    em_error err;
    size_t size = (size_t)nodes * (size_t)d * (size_t)d;
    bare *b = calloc(1, sizeof *b);
    if (!b || !(b->C = malloc(size * sizeof *b->C))) exit(1);
    b->d = d, b->K = K, b->nodes = nodes;
    for (size_t n = 0; n < size; n++) b->C[n] = (double)(n % 101) * 1e-6;
    bench_must(emi_field_alloc(&b->X, nodes, d, K, &err), &err);
    bench_must(emi_field_alloc(&b->H, nodes, d, K, &err), &err);
    for (size_t n = 0; n < b->X.stride * (size_t)nodes; n++) b->X.v[n] = (double)(n % 89) / 89;
    bench_must(emi_pool_open(&b->pool, threads, &err), &err);
    emi_blas_claim(1);
    double seconds = bench_best(bare_calls, b, 5) / BARE_TIMES;
    emi_blas_release(1);
    emi_pool_close(&b->pool);
    emi_field_free(&b->H);
    emi_field_free(&b->X);
    free(b->C);
    free(b);
    return seconds;
}

void bench_iterations(const bench_machine *machine)
{
    enum { M = 20, D = 784, ROWS = 12000 };
    float *rows = bench_rows(ROWS, D);
    bench_problem p = bench_open_array(rows, EM_F32, ROWS, D, M, "er:0.5");
    const int Ks[] = {10, 40};
    for (int c = 0; c < 2; c++) {
        int K = Ks[c];
        char text[96];
        double bare_time = 1e30, ours = 1e30;
        for (int turn = 0; turn < 3; turn++) { /* in turn, so that both meet the same load */
            double b = bare_seconds(D, K, M, machine->threads), o = seconds_an_iteration(&p, K, 60, 0.1);
            bare_time = b < bare_time ? b : bare_time;
            ours = o < ours ? o : ours;
        }
        double flops = M * (2.0 * D * D * K + 4.0 * D * K * K) / 1e9, bytes = M * 8.0 * D * D / 1e9;
        (void)snprintf(text, sizeof text, "dsa iteration, M = %d, d = %d, K = %d", M, D, K);
        bench_heading(text);
        bench_row("time of an iteration", 1e3 * ours, "ms", 0, 0);
        bench_row("time / time of its bare BLAS calls", ours / bare_time, "times", 1.25, 1);
        bench_row("arithmetic", flops / ours, "GFLOP/s", 0, 0);
        bench_row("fraction of the large-dgemm peak", flops / ours / machine->peak_all, "", 0, 0);
        bench_row("fraction of the memory bandwidth (reading every C_i once)", bytes / ours / machine->bandwidth_all,
                  "", 0, 0);
    }
    bench_close(&p);
    free(rows);
}

void bench_small(double numpy_loops, double numpy_stacked)
{
    enum { M = 10, D = 20, K = 5, ROWS = 10000 };
    float *rows = bench_rows(ROWS, D);
    bench_problem p = bench_open_array(rows, EM_F32, ROWS, D, M, "er:0.5");
    double best = 1e30;
    for (int turn = 0; turn < 5; turn++) {
        double seconds = seconds_an_iteration(&p, K, 20000, 0);
        best = seconds < best ? seconds : best;
    }
    bench_heading("dsa iteration, M = 10, d = 20, K = 5, against NumPy (bench/numpy_dsa.py, one thread)");
    bench_row("eigenmesh", 1 / best, "iter/s", 0, 0);
    if (numpy_loops > 0) {
        bench_row("NumPy, plain: node by node as the paper writes it", numpy_loops, "iter/s", 0, 0);
        bench_row("NumPy, all nodes stacked into batched products", numpy_stacked, "iter/s", 0, 0);
        bench_row("eigenmesh / plain NumPy", 1 / best / numpy_loops, "times", 20, 0);
        bench_row("eigenmesh / stacked NumPy", 1 / best / numpy_stacked, "times", 0, 0);
    } else {
        bench_note("NumPy is not installed: nothing to compare with");
    }
    bench_close(&p);
    free(rows);
}

void bench_large_network(void)
{
    enum { M = 10000, D = 20, K = 2, ROWS = 40000, ITERATIONS = 100 };
    float *rows = bench_rows(ROWS, D);
    bench_problem p = bench_open_array(rows, EM_F32, ROWS, D, M, "torus:100x100");
    double seconds = seconds_an_iteration(&p, K, ITERATIONS, 0);
    bench_heading("A torus of 10,000 nodes, d = 20, K = 2");
    bench_row("100 dsa iterations", ITERATIONS * seconds, "s", 10, 1);
    bench_close(&p);
    free(rows);
}
