/* Symmetric products in tiles, against plain loops in long double; the same bits for any number of threads. */
#include "linalg/blas.h"
#include "linalg/outer.h"
#include "support/check.h"
#include "support/matrix.h"

#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3 };

typedef struct fixture {
    int n;
    size_t count;
    double *values; /* [count * n], vector by vector */
    void *vectors;  /* as they are given             */
    emi_outer sum;
    emi_scratch scratch[WORKERS];
} fixture;

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

static void open_fixture(fixture *f, int n, size_t count, emi_real real, int across)
{
    size_t numbers = (size_t)n * count;
    *f = (fixture){.n = n, .count = count, .values = room(numbers * sizeof *f->values)};
    f->vectors = room(numbers * emi_real_size(real));
    matrix_fill(f->values, numbers, 7);
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < (size_t)n; i++) {
            size_t at = across ? i * count + r : r * (size_t)n + i;
            double *value = &f->values[r * (size_t)n + i];
            if (real == EMI_SINGLE) *value = (double)(((float *)f->vectors)[at] = (float)*value);
            if (real == EMI_DOUBLE) ((double *)f->vectors)[at] = *value;
        }
    f->sum = (emi_outer){
        .n = n, .C = room((size_t)n * (size_t)n * sizeof(double)), .weight = 0.5, .real = real, .across = across};
    memset(f->sum.C, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int w = 0; w < WORKERS; w++)
        f->scratch[w] = (emi_scratch){room((5 + emi_outer_needs(0)) * sizeof(double)), 5 + emi_outer_needs(0)};
}

static void close_fixture(fixture *f)
{
    for (int w = 0; w < WORKERS; w++) free(f->scratch[w].v);
    free(f->sum.C);
    free(f->vectors);
    free(f->values);
}

static void add(fixture *f, emi_pool *pool)
{
    em_error err = {0};
    emi_blas_claim(1);
    assert_ok(emi_outer_share(&f->sum, f->vectors, f->count, pool, f->scratch, 5, &err), &err);
    emi_blas_release(1);
    emi_mirror(f->sum.C, f->n);
}

static void check(int n, size_t count, emi_real real, int across)
{
    fixture f;
    double tolerance = real == EMI_SINGLE ? 1e-6 * (double)count : 1e-14 * (double)count;
    open_fixture(&f, n, count, real, across);
    add(&f, NULL);
    for (int i = 0; i < n; i += 1 + n / 11)
        for (int j = 0; j < n; j += 1 + n / 13) {
            long double wanted = 0;
            for (size_t r = 0; r < count; r++)
                wanted += (long double)f.values[r * (size_t)n + (size_t)i] * f.values[r * (size_t)n + (size_t)j];
            assert_close(f.sum.C[(size_t)j * (size_t)n + (size_t)i], (double)(wanted / 2), tolerance);
            assert_true(f.sum.C[(size_t)j * (size_t)n + (size_t)i] == f.sum.C[(size_t)i * (size_t)n + (size_t)j]);
        }
    close_fixture(&f);
}

/* Less than a tile, several, and a last one that is not full. */
static void tiles_are_the_formula(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 47, 48, 49, 200, 257, 530};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int way = 0; way < 4; way++) {
            check(sizes[s], 1, way & 1 ? EMI_SINGLE : EMI_DOUBLE, way >> 1);
            check(sizes[s], 150, way & 1 ? EMI_SINGLE : EMI_DOUBLE, way >> 1);
        }
}

/* A vector more, in double, however many sums there were before. */
static void a_vector_more_is_added_once(void **state)
{
    (void)state;
    enum { N = 300 };
    static const size_t counts[] = {1, 32, 255, 256, 257, 512, 700};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        fixture with, without;
        double more[N];
        open_fixture(&with, N, counts[c], EMI_SINGLE, 0);
        open_fixture(&without, N, counts[c], EMI_SINGLE, 0);
        matrix_fill(more, N, 8);
        with.sum.more = more;
        add(&with, NULL);
        add(&without, NULL);
        for (size_t j = 0; j < N; j += 7)
            for (size_t i = 0; i < N; i += 5)
                assert_close(with.sum.C[j * N + i], without.sum.C[j * N + i] + more[i] * more[j],
                             1e-15 * (double)counts[c]);
        close_fixture(&without);
        close_fixture(&with);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    em_error err = {0};
    emi_pool *pool = NULL;
    assert_ok(emi_pool_open(&pool, WORKERS, &err), &err);
    for (int way = 0; way < 4; way++) {
        fixture alone, together;
        open_fixture(&alone, 300, 700, way & 1 ? EMI_SINGLE : EMI_DOUBLE, way >> 1);
        open_fixture(&together, 300, 700, way & 1 ? EMI_SINGLE : EMI_DOUBLE, way >> 1);
        add(&alone, NULL);
        add(&together, pool);
        assert_memory_equal(alone.sum.C, together.sum.C, (size_t)300 * 300 * sizeof(double));
        close_fixture(&together);
        close_fixture(&alone);
    }
    emi_pool_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_the_formula),
                                       cmocka_unit_test(a_vector_more_is_added_once),
                                       cmocka_unit_test(threads_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
