/* A node's covariance as an operator, of every kind, against plain loops in long double. */
#include "data/form.h"
#include "linalg/blas.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 3, MOST_D = 70, MOST_K = 6 };

typedef struct fixture {
    int d;
    size_t rows;
    double *values, *mean, *inverse_scale, *exact;
    emi_standard standard;
    em_data *data;
    em_shards *shards;
    emi_operator C;
    emi_scratch scratch;
} fixture;

static double *doubles(size_t count)
{
    double *values = malloc(count * sizeof *values);
    assert_non_null(values);
    return values;
}

static void give_scratch(fixture *f, size_t count)
{
    free(f->scratch.v);
    f->scratch = (emi_scratch){doubles(count), count}; /* no more than is asked for */
}

/* exact = weight sum (y - mean)(y - mean)', feature by feature scaled. */
static void form_exactly(fixture *f)
{
    size_t d = (size_t)f->d, first = f->C.shard->first;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            long double sum = 0;
            for (size_t r = first; r < first + f->C.shard->count; r++) {
                long double x = f->values[r * d + a], y = f->values[r * d + b];
                if (f->standard.mean) x -= f->mean[a], y -= f->mean[b];
                if (f->standard.inverse_scale) x *= f->inverse_scale[a], y *= f->inverse_scale[b];
                sum += x * y;
            }
            f->exact[a * d + b] = (double)(sum * f->C.weight);
        }
}

static void open_fixture(fixture *f, size_t rows, int d, double offset, int centre, int scale)
{
    size_t width = (size_t)d;
    em_error err = {0};
    *f = (fixture){.d = d,
                   .rows = rows,
                   .values = doubles(rows * width),
                   .mean = doubles(width),
                   .inverse_scale = doubles(width),
                   .exact = doubles(width * width)};
    matrix_fill_table(f->values, rows, d, 4);
    for (size_t n = 0; n < rows * width; n++) f->values[n] += offset;
    for (size_t c = 0; c < width; c++) {
        long double sum = 0;
        for (size_t r = 0; r < rows; r++) sum += f->values[r * width + c];
        f->mean[c] = (double)(sum / (long double)rows);
        f->inverse_scale[c] = 1 / (1 + 0.25 * (double)c);
    }
    f->standard =
        (emi_standard){.d = d, .mean = centre ? f->mean : NULL, .inverse_scale = scale ? f->inverse_scale : NULL};
    assert_ok(em_data_from_array(&f->data, f->values, EM_F64, rows, width, 0, 0, &err), &err);
    assert_ok(em_shards_split(&f->shards, f->data, NODES, NULL, 0, &err), &err);
    f->C = (emi_operator){.kind = &emi_by_rows,
                          .d = d,
                          .weight = (double)NODES / (double)rows,
                          .shard = &f->shards->shard[1],
                          .standard = &f->standard};
    form_exactly(f);
}

static void close_fixture(fixture *f)
{
    emi_operator_free(&f->C);
    em_shards_free(&f->shards);
    em_data_free(&f->data);
    free(f->scratch.v);
    free(f->exact);
    free(f->inverse_scale);
    free(f->mean);
    free(f->values);
}

static void check_products(fixture *f, double tolerance)
{
    static double X[MOST_D * MOST_K], Z[MOST_D * MOST_K], wanted[MOST_D * MOST_K];
    em_error err = {0};
    for (int K = 1; K <= MOST_K && K <= f->d; K += 2) {
        matrix_fill(X, (size_t)(f->d * K), (uint64_t)K);
        matrix_multiply(f->exact, X, wanted, f->d, f->d, K);
        for (int n = 0; n < f->d * K; n++) Z[n] = NAN;
        give_scratch(f, emi_operator_needs(f->d, K));
        assert_ok(f->C.kind->apply(&f->C, (emi_block){f->d, K, X}, (emi_block){f->d, K, Z}, f->scratch, &err), &err);
        for (int n = 0; n < f->d * K; n++) assert_close(Z[n], wanted[n], tolerance);
    }
}

/* Implicit first, then formed: the same numbers as the exact matrix. */
static void check_both_ways(size_t rows, int d, double offset, int centre, int scale, double tolerance)
{
    fixture f;
    em_error err = {0};
    open_fixture(&f, rows, d, offset, centre, scale);
    assert_true(emi_operator_cost(&f.C, 2) == 8.0 * (double)f.C.shard->count * d);
    check_products(&f, tolerance); /* rows read a block at a time */

    give_scratch(&f, emi_form_needs(d, d));
    f.C.kind = &emi_by_covariance;
    assert_ok(f.C.kind->form(&f.C, f.scratch, &err), &err);
    assert_true(emi_operator_cost(&f.C, 2) == 4.0 * d * d);
    for (int n = 0; n < d * d; n++) assert_close(f.C.dense[n], f.exact[n], tolerance);
    check_products(&f, tolerance);
    close_fixture(&f);
}

static void dense_and_implicit_are_the_formula(void **state)
{
    (void)state;
    const int dims[] = {1, 2, 7, 31, 33, MOST_D};
    for (size_t n = 0; n < sizeof dims / sizeof *dims; n++)
        for (int way = 0; way < 4; way++) check_both_ways(60, dims[n], 0, way & 1, way >> 1, 1e-12);
}

/* More rows than either way takes at once. */
static void many_blocks_of_rows(void **state)
{
    (void)state;
    check_both_ways(250000, 3, 0, 1, 1, 1e-12);
    check_both_ways(60000, 10, 0, 0, 0, 1e-12);
}

/* A column's mean a hundred million times its deviation: rows are centred before they are multiplied, so that
 * what is lost is only what the data itself has lost. */
static void far_from_zero(void **state)
{
    (void)state;
    check_both_ways(3000, 5, 1e8, 1, 0, 1e-12);
}

/* Who multiplies sees no difference between kinds; those with a matrix have C's eigenvalues in it: here, its trace. */
static void every_kind_is_the_same_operator(void **state)
{
    (void)state;
    enum { ROWS = 60, D = 31, K = 3 };
    const emi_operator_kind *kinds[] = {&emi_by_rows, &emi_by_covariance, &emi_by_gram};
    static double X[D * K], out[(D + 1) * K], wanted[D * K];
    em_error err = {0};
    fixture f;
    open_fixture(&f, ROWS, D, 3, 1, 1);
    matrix_fill(X, D * K, 8);
    matrix_multiply(f.exact, X, wanted, D, D, K);
    size_t needs[] = {emi_operator_needs(D, K), emi_form_needs(D, D), emi_gram_needs(ROWS, D)}, most = 0;
    for (int n = 0; n < 3; n++) most = needs[n] > most ? needs[n] : most;
    give_scratch(&f, most);
    for (int n = 0; n < 3; n++) {
        f.C.kind = kinds[n];
        if (f.C.kind->form) {
            assert_ok(f.C.kind->form(&f.C, f.scratch, &err), &err);
            emi_block A = f.C.kind->matrix(&f.C);
            double trace = 0, exact = 0;
            for (int i = 0; i < A.rows; i++) trace += A.v[i * (A.rows + 1)];
            for (int i = 0; i < D; i++) exact += f.exact[i * (D + 1)];
            assert_close(trace, exact, 1e-12);
        }
        for (int i = 0; i < (D + 1) * K; i++) out[i] = NAN;
        assert_ok(f.C.kind->measure(&f.C, (emi_block){D, K, X}, out, f.scratch, &err), &err);
        for (int k = 0; k < K; k++) {
            double along = 0;
            for (int i = 0; i < D; i++) along += X[k * D + i] * wanted[k * D + i];
            assert_close(out[D * K + k], along, 1e-12);
        }
        for (int i = 0; i < D * K; i++) assert_close(out[i], wanted[i], 1e-12);
    }
    close_fixture(&f);
}

/* Y' u is an eigenvector of C where u is one of Y Y': C (Y' u) = Y' (Y Y' u). */
static void the_rows_side_is_lifted(void **state)
{
    (void)state;
    enum { ROWS = 24, D = 31, OWN = ROWS / NODES };
    static double U[OWN], AU[OWN], X[D], CX[D], lifted[D];
    em_error err = {0};
    fixture f;
    open_fixture(&f, ROWS, D, 3, 1, 1);
    f.C.kind = &emi_by_gram;
    give_scratch(&f, emi_gram_needs(OWN, D));
    assert_ok(f.C.kind->form(&f.C, f.scratch, &err), &err);
    emi_block A = f.C.kind->matrix(&f.C);
    assert_int_equal(A.rows, OWN);
    matrix_fill(U, OWN, 2);
    matrix_multiply(A.v, U, AU, OWN, OWN, 1);
    assert_ok(f.C.kind->lift(&f.C, (emi_block){OWN, 1, U}, (emi_block){D, 1, X}, f.scratch, &err), &err);
    assert_ok(f.C.kind->lift(&f.C, (emi_block){OWN, 1, AU}, (emi_block){D, 1, lifted}, f.scratch, &err), &err);
    matrix_multiply(f.exact, X, CX, D, D, 1);
    for (int i = 0; i < D; i++) assert_close(CX[i], lifted[i], 1e-12);
    close_fixture(&f);
}

/* C = (1/M) sum_i C_i, whatever the sizes of the shards. */
static void weights_make_the_mean_right(void **state)
{
    (void)state;
    enum { ROWS = 50, D = 4 };
    fixture f;
    em_error err = {0};
    double whole[D * D] = {0}, sum[D * D] = {0};
    open_fixture(&f, ROWS, D, 0, 1, 0);
    for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++)
            for (int r = 0; r < ROWS; r++)
                whole[a * D + b] += (f.values[r * D + a] - f.mean[a]) * (f.values[r * D + b] - f.mean[b]) / ROWS;
    em_shards_free(&f.shards);
    assert_ok(em_shards_split(&f.shards, f.data, NODES, "sizes:44,1,5", 0, &err), &err);
    give_scratch(&f, emi_form_needs(D, D));
    for (int i = 0; i < NODES; i++) {
        emi_operator C = {.kind = &emi_by_covariance,
                          .d = D,
                          .weight = (double)NODES / ROWS,
                          .shard = &f.shards->shard[i],
                          .standard = &f.standard};
        assert_ok(C.kind->form(&C, f.scratch, &err), &err);
        for (int n = 0; n < D * D; n++) sum[n] += C.dense[n] / NODES;
        emi_operator_free(&C);
    }
    for (int n = 0; n < D * D; n++) assert_close(sum[n], whole[n], 1e-13);
    close_fixture(&f);
}

/* A covariance that is multiplied in panels: right, and the same bits for any helpers. */
static void large_ones_in_panels(void **state)
{
    (void)state;
    enum { D = 1100, K = 3 };
    static double X[D * K], Z[D * K], wanted[D * K], first[D * K];
    em_error err = {0};
    double *dense = doubles((size_t)D * D);
    emi_blas_claim(1); /* as a fit over several nodes has it */
    for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++) dense[a * D + b] = cos(0.01 * (a * b)) + (a == b);
    matrix_fill(X, D * K, 5);
    matrix_multiply(dense, X, wanted, D, D, K);
    for (int threads = 0; threads <= 3; threads++) {
        emi_helpers helpers = {0};
        emi_operator C = {.kind = &emi_by_covariance, .d = D, .dense = dense, .helpers = threads ? &helpers : NULL};
        if (threads) assert_ok(emi_pool_open(&helpers.pool, threads, &err), &err);
        for (int n = 0; n < D * K; n++) Z[n] = NAN;
        assert_ok(C.kind->apply(&C, (emi_block){D, K, X}, (emi_block){D, K, Z}, (emi_scratch){0}, &err), &err);
        for (int n = 0; n < D * K; n++) assert_close(Z[n], wanted[n], 1e-11);
        if (threads == 0) memcpy(first, Z, sizeof Z);
        assert_memory_equal(first, Z, sizeof Z);
        emi_pool_close(&helpers.pool);
    }
    emi_blas_release(1);
    free(dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_the_same_operator),
        cmocka_unit_test(the_rows_side_is_lifted),
        cmocka_unit_test(large_ones_in_panels),
        cmocka_unit_test(dense_and_implicit_are_the_formula),
        cmocka_unit_test(many_blocks_of_rows),
        cmocka_unit_test(far_from_zero),
        cmocka_unit_test(weights_make_the_mean_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
