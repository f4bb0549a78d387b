/* Sparse rows against the same rows as dense ones: what is read, what is found of them, and products with them. */
#include "data/by_rows.h"
#include "data/moments.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, D = 23, K = 19, NODES = 3 };

static double *doubles(size_t count)
{
    double *out = calloc(count, sizeof *out);
    assert_non_null(out);
    return out;
}

static sparse_table table_of(em_dtype type, em_dtype index_type, int untidy)
{
    return sparse_make((sparse_plan){ROWS, D, 0.2, type, index_type, untidy, 5});
}

static const struct {
    em_dtype type, index_type;
    int untidy;
} makings[] = {{EM_F64, EM_I32, 0}, {EM_F32, EM_I32, 0}, {EM_F64, EM_I64, 1}, {EM_F32, EM_I64, 1}, {EM_F32, EM_I32, 1}};
enum { MAKINGS = sizeof makings / sizeof *makings };

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void rows_are_the_dense_ones(void **state)
{
    (void)state;
    em_error err = {0};
    for (int n = 0; n < MAKINGS; n++) {
        sparse_table t = table_of(makings[n].type, makings[n].index_type, makings[n].untidy);
        em_data *data = sparse_open(&t);
        double *rows = doubles(ROWS * D);
        assert_int_equal(em_data_rows(data), ROWS);
        assert_int_equal(em_data_columns(data), D);
        assert_int_equal(em_data_type(data), makings[n].type);
        assert_string_equal(em_data_format(data), "csr");
        assert_ok(em_data_read(data, 0, ROWS, rows, &err), &err);
        for (size_t v = 0; v < (size_t)ROWS * D; v++) assert_true(rows[v] == t.dense[v]);
        assert_ok(em_data_read(data, ROWS - 1, 1, rows, &err), &err);
        assert_memory_equal(rows, t.dense + (ROWS - 1) * D, D * sizeof *rows);
        free(rows);
        em_data_free(&data);
        sparse_free(&t);
    }
}

/* ---- what is found of them -------------------------------------------------------------------------------------- */

typedef struct both {
    em_data *sparse, *dense;
    em_shards *sparse_shards, *dense_shards;
} both;

static both open_both(const sparse_table *t, const char *split)
{
    em_error err = {0};
    both b = {.sparse = sparse_open(t), .dense = sparse_open_dense(t)};
    assert_ok(em_shards_split(&b.sparse_shards, b.sparse, NODES, split, 3, &err), &err);
    assert_ok(em_shards_split(&b.dense_shards, b.dense, NODES, split, 3, &err), &err);
    return b;
}

static void close_both(both *b)
{
    em_shards_free(&b->sparse_shards);
    em_shards_free(&b->dense_shards);
    em_data_free(&b->sparse);
    em_data_free(&b->dense);
}

static double *survey(const emi_shard *shard, const double *unit)
{
    em_error err = {0};
    emi_scratch scratch = {doubles(emi_moments_needs(D)), emi_moments_needs(D)};
    double *found = doubles(EMI_SURVEY * D);
    assert_ok(emi_survey(shard, unit, found, NULL, scratch, &err), &err);
    free(scratch.v);
    return found;
}

static void check_survey(const both *b, int node, const double *unit)
{
    double *is = survey(&b->sparse_shards->shard[node], unit), *wanted = survey(&b->dense_shards->shard[node], unit);
    for (int f = 0; f < D; f++) {
        double n = wanted[EMI_COUNT * D + f], size = wanted[EMI_HIGHEST * D + f];
        assert_true(is[EMI_COUNT * D + f] == n);
        assert_true(is[EMI_HIGHEST * D + f] == size);
        assert_true(is[EMI_LOWEST * D + f] == wanted[EMI_LOWEST * D + f]);
        assert_true(is[EMI_ORIGIN * D + f] == wanted[EMI_ORIGIN * D + f]);
        assert_close(is[EMI_SUM * D + f] / n / size, wanted[EMI_SUM * D + f] / n / size, 1e-14);
        assert_close(is[EMI_SQUARES * D + f] / wanted[EMI_SQUARES * D + f], 1, 1e-12);
    }
    free(wanted);
    free(is);
}

static void moments_are_the_dense_ones(void **state)
{
    (void)state;
    double unit[D];
    const char *const splits[] = {"contiguous", "shuffle", "sizes:2998,1,1"};
    for (int f = 0; f < D; f++) unit[f] = ldexp(1, f - 10);
    for (int n = 0; n < MAKINGS; n++) {
        sparse_table t = table_of(makings[n].type, makings[n].index_type, makings[n].untidy);
        for (int s = 0; s < 3; s++) {
            both b = open_both(&t, splits[s]);
            check_survey(&b, s == 2 ? 0 : 1, n % 2 ? unit : NULL);
            close_both(&b);
        }
        sparse_free(&t);
    }
}

/* A column without zeros, a hundred million deviations away from zero, beside others. */
static void moments_of_a_full_column_far_away(void **state)
{
    (void)state;
    sparse_table t = table_of(EM_F64, EM_I32, 0);
    for (size_t r = 0; r < ROWS; r++) t.dense[r * D + 4] = 1e8 + sin((double)r);
    sparse_store(&t);
    both b = open_both(&t, NULL);
    check_survey(&b, 1, NULL);
    close_both(&b);
    sparse_free(&t);
}

static void numbers_that_are_none_are_named(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int n = 0; n < 3; n++) {
        em_error err = {0};
        sparse_table t = table_of(EM_F64, EM_I32, 0);
        emi_scratch scratch = {doubles(emi_moments_needs(D)), emi_moments_needs(D)};
        double found[EMI_SURVEY * D];
        t.dense[1234 * D + 7] = bad[n];
        sparse_store(&t);
        both b = open_both(&t, "sizes:1000,1000,1000");
        assert_fails(emi_survey(&b.sparse_shards->shard[1], NULL, found, NULL, scratch, &err), EM_EDATA,
                     n ? "row 1234, column 7 (from 0) is infinite" : "row 1234, column 7 (from 0) is not a number",
                     &err);
        close_both(&b);
        free(scratch.v);
        sparse_free(&t);
    }
}

/* ---- products --------------------------------------------------------------------------------------------------------- */

typedef struct setting {
    const char *split;
    int centre, scale, near;
    emi_real real;
    size_t every;
    double tolerance;
} setting;

/* A node's operator, about the mean of all. */
static emi_operator operator_of(const em_shards *shards, const emi_standard *standard, const setting *s)
{
    return (emi_operator){.kind = &emi_by_rows,
                          .d = D,
                          .weight = (double)NODES / ROWS,
                          .shard = &shards->shard[1],
                          .standard = standard,
                          .real = s->real,
                          .every = s->every};
}

static void multiply(const emi_operator *C, int columns, double *X, double *out)
{
    em_error err = {0};
    emi_scratch scratch = {doubles(emi_operator_needs(D, 1)), emi_operator_needs(D, 1)}; /* no more than is asked for */
    double *applied = doubles(D * K);
    emi_block x = {D, columns, X};
    assert_ok(C->kind->measure(C, x, out, scratch, &err), &err);
    assert_ok(C->kind->apply(C, x, (emi_block){D, columns, applied}, scratch, &err), &err);
    if (C->real == EMI_SINGLE) memcpy(out, applied, sizeof *out * D * (size_t)columns);
    for (int n = 0; n < D * columns; n++) assert_true(applied[n] == out[n]);
    free(applied);
    free(scratch.v);
}

static void check_products(const sparse_table *t, setting s)
{
    static double mean[D], inverse[D], X[D * K], is[(D + 1) * K], wanted[(D + 1) * K];
    both b = open_both(t, s.split);
    for (int f = 0; f < D; f++) {
        long double sum = 0;
        for (size_t r = 0; r < ROWS; r++) sum += t->dense[r * D + (size_t)f];
        mean[f] = (double)(sum / ROWS);
        inverse[f] = 1 / (1 + 0.25 * f);
    }
    const emi_standard standard = {
        .d = D, .mean = s.centre ? mean : NULL, .inverse_scale = s.scale ? inverse : NULL, .within = s.near};
    emi_operator sparse = operator_of(b.sparse_shards, &standard, &s),
                 dense = operator_of(b.dense_shards, &standard, &s);
    dense.real = EMI_DOUBLE;
    dense.every = 0;
    matrix_fill(X, (size_t)(D * K), 2);
    for (int columns = 1; columns <= K; columns += 9) {
        multiply(&sparse, columns, X, is);
        multiply(&dense, columns, X, wanted);
        double size = 0;
        for (int n = 0; n < D * columns; n++) size = fmax(size, fabs(wanted[n]));
        for (int n = 0; n < (D + (s.real == EMI_DOUBLE)) * columns; n++)
            assert_close((is[n] - wanted[n]) / size, 0, s.tolerance);
    }
    close_both(&b);
}

static void products_are_the_dense_ones(void **state)
{
    (void)state;
    for (int n = 0; n < MAKINGS; n++) {
        sparse_table t = table_of(makings[n].type, makings[n].index_type, makings[n].untidy);
        for (int way = 0; way < 8; way++) {
            const char *split = way & 1 ? "shuffle" : NULL;
            check_products(&t, (setting){split, way >> 1 & 1, way >> 2 & 1, 1, EMI_DOUBLE, 0, 1e-13});
            check_products(&t, (setting){split, way >> 1 & 1, way >> 2 & 1, 0, EMI_DOUBLE, 0, 1e-13});
            check_products(&t, (setting){split, way >> 1 & 1, way >> 2 & 1, 1, EMI_SINGLE, 0, 2e-6});
        }
        sparse_free(&t);
    }
}

/* Full columns whose mean is a hundred million deviations away lose no digits; nor do those of which a few values are zero. */
static void products_with_full_columns_far_away(void **state)
{
    (void)state;
    sparse_table t = table_of(EM_F64, EM_I32, 0);
    for (size_t r = 0; r < ROWS; r++) {
        t.dense[r * D] = 1e8 + sin((double)r);
        t.dense[r * D + 9] = r % 5 ? -30 + cos((double)r) : 0;
    }
    sparse_store(&t);
    check_products(&t, (setting){NULL, 1, 1, 0, EMI_DOUBLE, 0, 1e-12});
    check_products(&t, (setting){"shuffle", 1, 0, 0, EMI_DOUBLE, 0, 1e-12});
    sparse_free(&t);
}

/* One block of rows in so many: about the same, and less work. */
static void a_sample_of_the_rows(void **state)
{
    (void)state;
    static double X[D], is[2 * D], wanted[2 * D];
    sparse_table t = table_of(EM_F32, EM_I32, 0);
    em_error err = {0};
    both b = open_both(&t, "sizes:1,2998,1");
    const emi_standard standard = {.d = D, .within = 1};
    emi_operator C = operator_of(b.sparse_shards, &standard, &(setting){.every = 4});
    emi_scratch scratch = {doubles(emi_operator_needs(D, 1)), emi_operator_needs(D, 1)};
    matrix_fill(X, D, 2);
    assert_ok(C.kind->apply(&C, (emi_block){D, 1, X}, (emi_block){D, 1, is}, scratch, &err), &err);
    C.every = 0;
    assert_ok(C.kind->apply(&C, (emi_block){D, 1, X}, (emi_block){D, 1, wanted}, scratch, &err), &err);
    double share = is[0] / wanted[0];
    assert_true(share > 0.1 && share < 0.6);
    free(scratch.v);
    close_both(&b);
    sparse_free(&t);
}

/* Whatever the number of threads. */
static void the_same_bits_by_any_number_of_threads(void **state)
{
    (void)state;
    static double X[D * K], is[3][D * K];
    sparse_table t = table_of(EM_F32, EM_I32, 0);
    both b = open_both(&t, "sizes:1,2998,1");
    double mean[D] = {0.5, 0.25};
    const emi_standard standard = {.d = D, .mean = mean, .within = 1};
    matrix_fill(X, (size_t)(D * K), 2);
    for (int threads = 1; threads <= 3; threads++) {
        em_error err = {0};
        emi_scratch scratch[3];
        emi_helpers helpers = {.scratch = scratch};
        assert_ok(emi_pool_open(&helpers.pool, threads, &err), &err);
        for (int n = 0; n < 3; n++)
            scratch[n] = (emi_scratch){doubles(emi_operator_needs(D, K)), emi_operator_needs(D, K)};
        emi_operator C = operator_of(b.sparse_shards, &standard, &(setting){.real = EMI_SINGLE});
        C.helpers = &helpers;
        assert_ok(C.kind->apply(&C, (emi_block){D, K, X}, (emi_block){D, K, is[threads - 1]}, scratch[0], &err), &err);
        for (int n = 0; n < 3; n++) free(scratch[n].v);
        emi_pool_close(&helpers.pool);
        assert_memory_equal(is[threads - 1], is[0], sizeof is[0]);
    }
    close_both(&b);
    sparse_free(&t);
}

/* ---- scores ----------------------------------------------------------------------------------------------------------- */

static void check_scores(const sparse_table *t, const double *mean, const double *scale, int threads)
{
    static double components[D * K];
    em_error err = {0};
    double *is = doubles(ROWS * K), *wanted = doubles(ROWS * K);
    float *narrow = (float *)doubles(ROWS * K);
    em_data *sparse = sparse_open(t), *dense = sparse_open_dense(t);
    matrix_fill(components, (size_t)(D * K), 8);
    assert_ok(em_project(sparse, mean, scale, components, K, EM_F64, is, threads, &err), &err);
    assert_ok(em_project(sparse, mean, scale, components, K, EM_F32, narrow, threads, &err), &err);
    assert_ok(em_project(dense, mean, scale, components, K, EM_F64, wanted, 1, &err), &err);
    for (size_t n = 0; n < (size_t)ROWS * K; n++) {
        assert_close(is[n], wanted[n], 1e-12);
        assert_true(narrow[n] == (float)is[n]);
    }
    em_data_free(&sparse);
    em_data_free(&dense);
    free(narrow);
    free(wanted);
    free(is);
}

static void scores_are_the_dense_ones(void **state)
{
    (void)state;
    double mean[D], scale[D];
    for (int f = 0; f < D; f++) mean[f] = 0.1 * f, scale[f] = 1 + 0.5 * f;
    for (int n = 0; n < MAKINGS; n++) {
        sparse_table t = table_of(makings[n].type, makings[n].index_type, makings[n].untidy);
        check_scores(&t, mean, NULL, 1);
        check_scores(&t, NULL, scale, 2);
        check_scores(&t, mean, scale, 3);
        sparse_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_dense_ones),
        cmocka_unit_test(moments_are_the_dense_ones),
        cmocka_unit_test(moments_of_a_full_column_far_away),
        cmocka_unit_test(numbers_that_are_none_are_named),
        cmocka_unit_test(products_are_the_dense_ones),
        cmocka_unit_test(products_with_full_columns_far_away),
        cmocka_unit_test(a_sample_of_the_rows),
        cmocka_unit_test(the_same_bits_by_any_number_of_threads),
        cmocka_unit_test(scores_are_the_dense_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
