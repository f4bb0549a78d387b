/* Updating moments by batches, against the bare symmetric product of as many rows, of either precision: the best tries of both, taken in
 * turn, so that other load on the machine meets both alike. */
#include "bench.h"

#include "base/clock.h"
#include "linalg/blas.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 20000, BATCH = 1000, D = 784, TRIES = 7 };

typedef struct streaming {
    em_dtype type;
    const void *rows;
    void *product; /* D x D, of the bare calls */
    em_data *batches[ROWS / BATCH];
    int threads;
} streaming;

static void update(void *context)
{
    const streaming *s = context;
    em_moments *m;
    em_error err;
    double bound;
    bench_must(em_moments_create(&m, D, &err), &err);
    bench_must(em_moments_set_threads(m, s->threads, &err), &err);
    for (int b = 0; b < ROWS / BATCH; b++) bench_must(em_moments_update(m, s->batches[b], &err), &err);
    bench_must(em_moments_bound(m, &bound, &err), &err); /* which waits for the last rows too */
    em_moments_free(&m);
}

/* All rows at once: the best that the call can do. */
static void multiply(void *context)
{
    const streaming *s = context;
    emi_blas_claim(s->threads);
    if (s->type == EM_F32)
        cblas_ssyrk(CblasColMajor, CblasUpper, CblasNoTrans, D, ROWS, 1, s->rows, D, 0, s->product, D);
    else
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, D, ROWS, 1, s->rows, D, 0, s->product, D);
    emi_blas_release(s->threads);
}

static void compare(streaming *s, const char *what)
{
    em_error err;
    size_t size = s->type == EM_F32 ? sizeof(float) : sizeof(double);
    double own = INFINITY, bare = INFINITY;
    for (int b = 0; b < ROWS / BATCH; b++)
        bench_must(em_data_from_array(&s->batches[b], (const char *)s->rows + (size_t)b * BATCH * D * size, s->type,
                                      BATCH, D, 0, 0, &err),
                   &err);
    for (int t = 0; t < TRIES; t++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000},
                        NULL); /* BLAS's threads spin on for a while */
        own = fmin(own, bench_best(update, s, 1));
        bare = fmin(bare, bench_best(multiply, s, 1));
    }
    bench_row(what, bare / own, "", 0.7, 0);
    for (int b = 0; b < ROWS / BATCH; b++) em_data_free(&s->batches[b]);
}

void bench_moments(const bench_machine *machine)
{
    float *single = bench_rows(ROWS, D);
    double *wide = malloc(sizeof *wide * ROWS * D), *product = malloc(sizeof *product * D * D);
    if (!wide || !product) exit(1);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) wide[n] = (double)single[n];
    bench_heading("Updating moments of 784 features by batches of 1,000 rows");
    for (int all = 0; all < 2; all++) {
        int threads = all ? machine->threads : 1;
        streaming s = {.type = EM_F64, .rows = wide, .product = product, .threads = threads};
        compare(&s, all ? "float64 on all cores, fraction of dsyrk of all rows"
                        : "float64 on one core, fraction of dsyrk of all rows");
        s.type = EM_F32, s.rows = single;
        compare(&s, all ? "float32 on all cores, fraction of ssyrk of all rows"
                        : "float32 on one core, fraction of ssyrk of all rows");
    }
    free(product);
    free(wide);
    free(single);
}
