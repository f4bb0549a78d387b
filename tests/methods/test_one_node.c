/* All rows in one place: blocks are narrow, few rows are taken from their own side, and rows of few digits are multiplied in
 * single precision.  Against singular values in long double. */
#include "support/check.h"
#include "support/hard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const ways[] = {"auto", "krylov", "covariance"};
enum { WAYS = sizeof ways / sizeof *ways };

/* More eigenvalues alike, exactly or to eight digits, than a narrow block has columns, above a spectrum that falls slowly. */
static void more_alike_than_a_block_is_wide(void **state)
{
    (void)state;
    enum { ALIKE = 12, D = 60 };
    for (int exactly = 0; exactly < 2; exactly++) {
        double spectrum[D];
        for (int k = 0; k < D; k++)
            spectrum[k] = k < ALIKE ? 1 - (exactly ? 0 : 1e-8 * k) : 0.8 / pow(k - ALIKE + 1, 0.7);
        table t = table_of_spectrum(300, D, spectrum, 11);
        truth exact = truth_of(&t);
        for (int K = 9; K <= 18; K += 3)
            for (int w = 0; w < WAYS; w++) {
                em_options options = options_of(ways[w], K);
                em_model *model = fit_rows(t.rows, EM_F64, t.N, t.d, &options, NULL, 1, 2);
                for (int k = 0; k < K; k++)
                    assert_close(em_model_explained_variance(model)[k] * (double)(t.N - 1) / (double)t.N,
                                 truth_value(&exact, k), 1e-11);
                em_model_free(&model);
            }
        free_truth(&exact);
        free(t.rows);
    }
}

/* K up to the number of rows, where the last component has no variance. */
static void fewer_rows_than_features(void **state)
{
    (void)state;
    const int components[] = {1, 5, 23, 24};
    table t = gaussian_table(24, 90, 3);
    truth exact = truth_of(&t);
    for (size_t c = 0; c < 4; c++)
        for (int w = 0; w < WAYS; w++) {
            em_options options = options_of(ways[w], components[c]);
            em_model *model = fit_rows(t.rows, EM_F64, t.N, t.d, &options, NULL, 1, 2);
            check_model(&exact, model);
            if (strcmp(em_model_info(model)->method, "covariance") == 0)
                assert_string_equal(em_model_info(model)->operator_name, "gram");
            em_model_free(&model);
        }
    free_truth(&exact);
    free(t.rows);
}

/* ---- single precision ------------------------------------------------------------------------------------------- */

/* The table's numbers in single precision, and as they now are. */
static float *narrowed(table *t, double factor)
{
    size_t count = t->N * (size_t)t->d;
    float *rows = malloc(count * sizeof *rows);
    assert_non_null(rows);
    for (size_t n = 0; n < count; n++) t->rows[n] = (double)(rows[n] = (float)(t->rows[n] * factor));
    return rows;
}

static em_options six_digits(const char *method, int K)
{
    em_options options = options_of(method, K);
    options.tolerance = 1e-6;
    return options;
}

/* It has converged, and what it says of itself is true. */
static void check_six_digits(table *t, double factor, int K, int nodes)
{
    float *rows = narrowed(t, factor);
    truth exact = truth_of(t);
    for (int w = 0; w < WAYS; w++) {
        em_options options = six_digits(ways[w], K);
        em_model *model = fit_rows(rows, EM_F32, t->N, t->d, &options, NULL, nodes, 2);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        for (int k = 0; k < K; k++) {
            double value = truth_value(&exact, k);
            const double *x = em_model_components(model) + (size_t)k * (size_t)t->d;
            assert_true(em_model_residuals(model)[k] <= 1e-6);
            assert_true(svd_residual(&exact.exact, x, value, t->N) <= 2e-6 * value);
            double variance = em_model_explained_variance(model)[k] * (double)(t->N - 1) / (double)t->N;
            assert_true(fabs(variance - value) <=
                        1e-11 * value + 1e-14 * truth_value(&exact, 0)); /* formed: of the largest */
        }
        em_model_free(&model);
    }
    free_truth(&exact);
    free(rows);
}

static void rows_of_few_digits(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= 4; nodes += 3) {
        table wide = gaussian_table(600, 30, 5), flat = gaussian_table(30, 70, 6);
        check_six_digits(&wide, 1, 6, nodes);
        check_six_digits(&flat, 1, 6, nodes);
        free(wide.rows);
        free(flat.rows);
    }
}

/* Components that single precision does not see, beside large ones: they are found in double after all. */
static void spectra_that_need_double(void **state)
{
    (void)state;
    static const double steep[12] = {1, 1e-3, 1e-6, 1e-8, 1e-9, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10, 1e-10};
    for (int nodes = 1; nodes <= 4; nodes += 3) {
        table t = table_of_spectrum(400, 12, steep, 7);
        check_six_digits(&t, 1, 4, nodes);
        free(t.rows);
    }
}

/* Who orders single precision gets what it has, and no method that would go on for long to get no further. */
static void single_precision_that_is_ordered(void **state)
{
    (void)state;
    enum { D = 100, K = 5 };
    double spectrum[D] = {1, 1e-3, 5e-4, 3e-6, 2e-6};
    for (int k = K; k < D; k++) spectrum[k] = 1.5e-6 * pow(k - K + 1, -0.3);
    table t = table_of_spectrum(400, D, spectrum, 17);
    float *rows = narrowed(&t, 1);
    for (int nodes = 1; nodes <= 4; nodes += 3) {
        em_options options = six_digits("auto", K);
        options.precision = EMI_PRECISION_SINGLE;
        em_model *model = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, nodes, 2);
        const em_info *info = em_model_info(model);
        assert_int_equal(info->reason, EM_STOPPED_SHORT);
        assert_string_equal(info->precision, "single");
        assert_string_not_equal(info->method, "deepca");
        em_model_free(&model);
    }
    free(rows);
    free(t.rows);
}

/* Squares that are no floats. */
static void numbers_whose_squares_are_none(void **state)
{
    (void)state;
    table large = gaussian_table(200, 10, 8), small = gaussian_table(200, 10, 8);
    check_six_digits(&large, 1e30, 3, 1);
    check_six_digits(&small, 1e-30, 3, 1);
    free(large.rows);
    free(small.rows);
}

static void what_is_asked_for_is_done(void **state)
{
    (void)state;
    em_error err = {0};
    em_options *options = NULL;
    table t = gaussian_table(500, 20, 9);
    double worst[2];
    const char *const asked[] = {"single", "double"};
    for (int n = 0; n < 2; n++) {
        assert_ok(em_options_create(&options, &err), &err);
        assert_ok(em_options_set(options, "components", "4", &err), &err);
        assert_ok(em_options_set(options, "method", "covariance", &err), &err);
        assert_ok(em_options_set(options, "precision", asked[n], &err), &err);
        em_model *model = fit_rows(t.rows, EM_F64, t.N, t.d, options, NULL, 1, 1);
        assert_string_equal(em_model_info(model)->precision, asked[n]);
        worst[n] = em_model_info(model)->worst_residual;
        em_model_free(&model);
        em_options_free(&options);
    }
    assert_true(worst[0] > 1e-9 && worst[0] < 1e-5);
    assert_true(worst[1] < 1e-12);
    free(t.rows);
}

/* One node has most of the rows: threads that are done with the others help it. */
static em_model *fit_unequal(const table *t, const char *method, int threads)
{
    static const size_t shares[] = {300, 17000, 1, 2699};
    const em_data *tables[4];
    em_data *data[4] = {NULL};
    em_error err = {0};
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_shards *shards = NULL;
    em_model *model = NULL;
    ptrdiff_t row = (ptrdiff_t)sizeof(double) * t->d;
    const double *rows = t->rows;
    for (int i = 0; i < 4; i++, rows += shares[i - 1] * (size_t)t->d) {
        assert_ok(em_data_from_array(&data[i], rows, EM_F64, shares[i], (size_t)t->d, row, sizeof(double), &err), &err);
        tables[i] = data[i];
    }
    assert_ok(em_graph_create(&graph, "path", 4, 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, threads, &err), &err);
    assert_ok(em_shards_of(&shards, tables, 4, &err), &err);
    em_options options = options_of(method, 3);
    assert_ok(em_fit(&model, &options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    for (int i = 0; i < 4; i++) em_data_free(&data[i]);
    return model;
}

static void nodes_of_unequal_size(void **state)
{
    (void)state;
    static const char *const some[] = {"krylov", "covariance", "deepca"};
    table t = gaussian_table(20000, 24, 12);
    truth exact = truth_of(&t);
    for (int w = 0; w < 3; w++) {
        em_model *alone = fit_unequal(&t, some[w], 1);
        check_model(&exact, alone);
        for (int threads = 2; threads <= 4; threads++) {
            em_model *together = fit_unequal(&t, some[w], threads);
            assert_memory_equal(em_model_components(alone), em_model_components(together),
                                sizeof(double) * 3 * (size_t)t.d);
            em_model_free(&together);
        }
        em_model_free(&alone);
    }
    free_truth(&exact);
    free(t.rows);
}

/* A matrix of more than a thousand features is formed in tiles, by each thread for its own node. */
static void large_matrices_on_several_nodes(void **state)
{
    (void)state;
    table t = gaussian_table(300, 1100, 13);
    float *rows = narrowed(&t, 1);
    em_options options = six_digits("covariance", 2);
    em_model *alone = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, 4, 1);
    for (int threads = 2; threads <= 4; threads++) {
        em_model *together = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, 4, threads);
        assert_memory_equal(em_model_components(alone), em_model_components(together),
                            sizeof(double) * 2 * (size_t)t.d);
        em_model_free(&together);
    }
    em_model_free(&alone);
    free(rows);
    free(t.rows);
}

/* Nothing was iterated: what is said is about the start, and no eigenvalue is known. */
static void no_iteration_at_all(void **state)
{
    (void)state;
    table t = gaussian_table(400, 60, 14);
    float *rows = narrowed(&t, 1);
    em_options options = six_digits("krylov", 12);
    options.iterations = 0;
    em_model *model = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, 1, 2);
    assert_int_equal(em_model_info(model)->estimated, 0);
    assert_true(em_model_info(model)->reason != EM_CONVERGED);
    for (int k = 0; k < 12; k++) assert_true(isfinite(em_model_residuals(model)[k]));
    em_model_free(&model);
    free(rows);
    free(t.rows);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    table t = gaussian_table(20000, 12, 10);
    float *rows = narrowed(&t, 1);
    for (int w = 0; w < WAYS; w++) {
        em_options options = six_digits(ways[w], 3);
        em_model *alone = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, 3, 1);
        for (int threads = 2; threads <= 4; threads++) {
            em_model *together = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, 3, threads);
            assert_memory_equal(em_model_components(alone), em_model_components(together),
                                sizeof(double) * 3 * (size_t)t.d);
            em_model_free(&together);
        }
        em_model_free(&alone);
    }
    free(rows);
    free(t.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_alike_than_a_block_is_wide),
        cmocka_unit_test(fewer_rows_than_features),
        cmocka_unit_test(rows_of_few_digits),
        cmocka_unit_test(spectra_that_need_double),
        cmocka_unit_test(single_precision_that_is_ordered),
        cmocka_unit_test(numbers_whose_squares_are_none),
        cmocka_unit_test(what_is_asked_for_is_done),
        cmocka_unit_test(nodes_of_unequal_size),
        cmocka_unit_test(large_matrices_on_several_nodes),
        cmocka_unit_test(no_iteration_at_all),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
