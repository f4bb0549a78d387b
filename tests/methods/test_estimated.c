/* Residuals that are estimated, of many components or of such as were found in single precision: what is said of them holds.
 * Against singular values in long double. */
#include "support/check.h"
#include "support/hard.h"

#include <math.h>
#include <stdlib.h>

/* Falling like those of images. */
static table falling_table(size_t N, int d, uint64_t seed)
{
    double spectrum[256];
    for (int k = 0; k < d; k++) spectrum[k] = pow(k + 1, -1.4);
    return table_of_spectrum(N, d, spectrum, seed);
}

/* How many residuals are larger than it says. */
static int count_wrong(const truth *exact, const em_model *model, const table *t, double allowance)
{
    int wrong = 0;
    for (int k = 0; k < em_model_components_count(model); k++) {
        double value = truth_value(exact, k);
        const double *x = em_model_components(model) + (size_t)k * (size_t)t->d;
        wrong += svd_residual(&exact->exact, x, value, t->N) > em_model_residuals(model)[k] * value + allowance;
    }
    return wrong;
}

static void in_single_precision(void **state)
{
    (void)state;
    int components = 0, wrong = 0, estimated = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        table t = falling_table(300, 60, seed);
        float *rows = malloc(t.N * (size_t)t.d * sizeof *rows);
        assert_non_null(rows);
        for (size_t n = 0; n < t.N * (size_t)t.d; n++) t.rows[n] = (double)(rows[n] = (float)t.rows[n]);
        truth exact = truth_of(&t);
        em_options options = options_of("covariance", 12);
        options.tolerance = 1e-5;
        options.seed = seed;
        em_model *model = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, 1, 2);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        estimated += em_model_info(model)->estimated;
        components += 12;
        wrong += count_wrong(&exact, model, &t, 1e-8 * truth_value(&exact, 0)); /* of the eigenvalue itself */
        for (int k = 0; k < 12; k++) {
            double variance = em_model_explained_variance(model)[k] * (double)(t.N - 1) / (double)t.N;
            assert_close(variance, truth_value(&exact, k), 1e-5);
        }
        em_model_free(&model);
        free_truth(&exact);
        free(rows);
        free(t.rows);
    }
    assert_int_equal(estimated, 12);
    assert_true(wrong <= components / 50);
}

static void of_many_components(void **state)
{
    (void)state;
    enum { D = 150 };
    table t = falling_table(400, D, 5);
    truth exact = truth_of(&t);
    for (int measured = 0; measured < 2; measured++) {
        em_options options = options_of("covariance", D);
        options.tolerance = 1e-10;
        options.precision = measured ? EMI_PRECISION_DOUBLE : EMI_PRECISION_AUTO;
        em_model *model = fit_rows(t.rows, EM_F64, t.N, t.d, &options, NULL, 1, 2);
        assert_int_equal(em_model_info(model)->reason, EM_CONVERGED);
        assert_int_equal(em_model_info(model)->estimated, !measured);
        assert_int_equal(count_wrong(&exact, model, &t, 1e-15 * truth_value(&exact, 0)), 0);
        em_model_free(&model);
    }
    free_truth(&exact);
    free(t.rows);
}

/* A few components, or a network, are measured. */
static void others_are_measured(void **state)
{
    (void)state;
    table t = falling_table(300, 40, 3);
    float *rows = malloc(t.N * (size_t)t.d * sizeof *rows);
    assert_non_null(rows);
    for (size_t n = 0; n < t.N * (size_t)t.d; n++) rows[n] = (float)t.rows[n];
    static const int cases[][2] = {{8, 1}, {12, 3}};
    for (int c = 0; c < 2; c++) {
        em_options options = options_of("auto", cases[c][0]);
        options.tolerance = 1e-5;
        em_model *model = fit_rows(rows, EM_F32, t.N, t.d, &options, NULL, cases[c][1], 2);
        assert_int_equal(em_model_info(model)->estimated, 0);
        em_model_free(&model);
    }
    free(rows);
    free(t.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_single_precision), cmocka_unit_test(of_many_components),
                                       cmocka_unit_test(others_are_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
