/* Products with rows on a GPU: sending the rows there, the pass over them, products of several widths, and what share of the bytes
 * that the memory can move that is.  One by one, from a block of the host to another; and one after the other, from block to block
 * there, as a fit has them.  gpu_products [GB/s of the memory]. */
#include "base/clock.h"
#include "data/gpu_product.h"
#include "data/moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIES = 15, WIDEST = 32, IN_A_ROW = 20 };

typedef struct shape {
    size_t rows;
    int d;
    em_dtype type;
} shape;

typedef struct bench {
    shape s;
    void *numbers;
    double *mean, *columns, *found;
    emi_standard standard;
    emi_shard shard;
    em_data *data;
    emi_scratch *scratch;
    emi_helpers helpers;
    emi_gpu *gpu;
    emi_gpu_rows there;
    emi_operator C;
} bench;

static void must(em_status status, const em_error *err)
{
    if (status == EM_OK) return;
    (void)fprintf(stderr, "gpu_products: %s\n", err->msg);
    exit(1);
}

static void fill(bench *b)
{
    size_t size = b->s.rows * (size_t)b->s.d;
    unsigned long long state = 1;
    for (size_t n = 0; n < size; n++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        double x = (double)(state >> 40) * 0x1p-24 - 0.5;
        if (b->s.type == EM_F32)
            ((float *)b->numbers)[n] = (float)x;
        else
            ((double *)b->numbers)[n] = x;
    }
}

static void bench_open(bench *b, shape s)
{
    em_error err = {0};
    size_t d = (size_t)s.d, needs = emi_moments_needs(s.d), size = s.rows * d * (s.type == EM_F32 ? 4 : 8);
    *b = (bench){.s = s, .numbers = malloc(size), .mean = calloc(d, 8), .columns = malloc(2 * d * WIDEST * 8)};
    b->found = malloc(8 * d * EMI_SURVEY);
    if (!b->numbers || !b->mean || !b->columns || !b->found) exit(1);
    fill(b);
    must(emi_pool_open(&b->helpers.pool, 0, &err), &err);
    b->scratch = calloc((size_t)emi_pool_size(b->helpers.pool), sizeof *b->scratch);
    for (int t = 0; t < emi_pool_size(b->helpers.pool); t++) b->scratch[t] = (emi_scratch){malloc(8 * needs), needs};
    b->helpers.scratch = b->scratch;
    b->standard = (emi_standard){.d = s.d, .mean = b->mean, .within = 1};
    must(em_data_from_array(&b->data, b->numbers, s.type, s.rows, d, 0, 0, &err), &err);
    b->shard = (emi_shard){b->data, 0, s.rows, NULL};
    must(emi_gpu_take(&b->gpu, &err), &err);
    double began = emi_seconds();
    must(emi_gpu_rows_open(&b->there, b->gpu, &b->shard, &b->helpers, &err), &err);
    double first = emi_seconds() - began;
    emi_gpu_rows_close(&b->there);
    began = emi_seconds();
    must(emi_gpu_rows_open(&b->there, b->gpu, &b->shard, &b->helpers, &err), &err);
    double again = emi_seconds() - began;
    b->C = (emi_operator){.d = s.d, .weight = 1, .shard = &b->shard, .standard = &b->standard, .own_mean = 1};
    for (size_t n = 0; n < d * WIDEST; n++) b->columns[n] = sin((double)n);
    (void)printf("%zu x %d %s: sent in %.1f ms, again in %.1f ms, %.1f GB/s\n", s.rows, s.d,
                 s.type == EM_F32 ? "float32" : "float64", 1e3 * first, 1e3 * again, (double)size / again / 1e9);
}

static void bench_close(bench *b)
{
    emi_gpu_rows_close(&b->there);
    emi_gpu_give(&b->gpu);
    for (int t = 0; t < emi_pool_size(b->helpers.pool); t++) free(b->scratch[t].v);
    emi_pool_close(&b->helpers.pool);
    em_data_free(&b->data);
    free(b->scratch);
    free(b->found);
    free(b->columns);
    free(b->mean);
    free(b->numbers);
}

static double multiply(bench *b, emi_real real, int width)
{
    em_error err = {0};
    double best = INFINITY;
    size_t d = (size_t)b->s.d;
    emi_block X = {b->s.d, width, b->columns}, Z = {b->s.d, width, b->columns + d * WIDEST};
    for (int n = 0; n < TRIES; n++) {
        double began = emi_seconds();
        must(emi_gpu_rows_multiply(&b->there, &b->C, real, X, Z, NULL, &err), &err);
        best = fmin(best, emi_seconds() - began);
    }
    return best;
}

/* Of many, without the host. */
static double multiply_there(bench *b, emi_real real, int width)
{
    em_error err = {0};
    double best = INFINITY;
    emi_gpu_products p = {.rows = &b->there, .C = &b->C, .real = real, .judged = 1e-10};
    size_t bytes = sizeof(double) * (size_t)b->s.d * (size_t)width;
    emi_address X;
    must(emi_gpu_enter(b->gpu, &err), &err);
    must(emi_gpu_products_open(&p, (size_t)width, &err), &err);
    must(emi_gpu_room(b->gpu, EMI_GPU_BLOCK, bytes, &X, &err), &err);
    must(emi_gpu_put(b->gpu, X, b->columns, bytes, &err), &err);
    for (int n = 0; n < TRIES; n++) {
        must(emi_gpu_wait(b->gpu, &err), &err);
        double began = emi_seconds();
        for (int k = 0; k < IN_A_ROW; k++) must(emi_gpu_products_make(&p, X, (size_t)width, &err), &err);
        must(emi_gpu_wait(b->gpu, &err), &err);
        best = fmin(best, (emi_seconds() - began) / IN_A_ROW);
    }
    emi_gpu_leave(b->gpu);
    return best;
}

static double survey(bench *b)
{
    em_error err = {0};
    double best = INFINITY;
    for (int n = 0; n < TRIES; n++) {
        double began = emi_seconds();
        must(emi_gpu_rows_survey(&b->there, NULL, b->found, &err), &err);
        best = fmin(best, emi_seconds() - began);
    }
    return best;
}

int main(int argc, char **argv)
{
    static const shape shapes[] = {{60000, 784, EM_F64},
                                   {60000, 784, EM_F32},
                                   {400000, 2000, EM_F32},
                                   {20000, 10000, EM_F64},
                                   {2000, 50000, EM_F32}};
    double memory = argc > 1 ? strtod(argv[1], NULL) : 4300;
    (void)printf("shares are of %.0f GB/s; a product reads the rows twice\n", memory);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        bench b;
        bench_open(&b, shapes[n]);
        double gigabytes = (double)b.s.rows * b.s.d * (b.s.type == EM_F32 ? 4e-9 : 8e-9);
        double passed = survey(&b);
        (void)printf("    the pass over them %.2f ms, %.0f %%\n", 1e3 * passed, 100 * gigabytes / passed / memory);
        for (int width = 8; width <= WIDEST; width *= 2) {
            emi_real real = b.s.type == EM_F32 ? EMI_SINGLE : EMI_DOUBLE;
            double own = multiply(&b, real, width), there = multiply_there(&b, real, width);
            (void)printf("    %2d columns %.3f ms, %.0f %%; without the host %.3f ms, %.0f %%", width, 1e3 * own,
                         200 * gigabytes / own / memory, 1e3 * there, 200 * gigabytes / there / memory);
            if (b.s.type == EM_F32) (void)printf("; in double %.3f ms", 1e3 * multiply(&b, EMI_DOUBLE, width));
            (void)putchar('\n');
        }
        bench_close(&b);
    }
    return 0;
}
