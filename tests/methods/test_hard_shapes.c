/* Shapes, scales and means that methods stumble over. */
#include "support/check.h"
#include "support/hard.h"

#include <math.h>
#include <stdlib.h>

/* ---- shapes ---------------------------------------------------------------------------------------- */

static void all_components_and_one(void **state)
{
    (void)state;
    table t = gaussian_table(50, 8, 4);
    check_fits(&t, &t, options_of(NULL, 8), "contiguous", direct);
    check_fits(&t, &t, options_of(NULL, 7), "contiguous", direct);
    check_fits(&t, &t, options_of(NULL, 1), "contiguous", every_exact);
    free(t.rows);
}

static void more_features_than_rows(void **state)
{
    (void)state;
    table t = gaussian_table(15, 40, 6);
    static const char *const methods[] = {"krylov", "covariance", "deepca",
                                          NULL}; /* fastpca's steps suit the first of four
                                                                                   * decades: it would take too many */
    const int Ks[] = {1, 4, 14, 15};             /* 14 is the rank, once the mean is gone */
    for (int n = 0; n < 4; n++) check_fits(&t, &t, options_of(NULL, Ks[n]), "sizes:7,1,4,1,2", methods);
    free(t.rows);
}

/* Products with the data, where forming covariances would cost more; and formed, where it would not. */
static void both_operators(void **state)
{
    (void)state;
    table wide = gaussian_table(60, 150, 8), tall = gaussian_table(2000, 6, 9);
    truth exact_wide = truth_of(&wide), exact_tall = truth_of(&tall);
    em_options options = options_of("krylov", 3);
    em_model *implicit = fit_table(&wide, &options, "contiguous"), *dense = fit_table(&tall, &options, "contiguous");
    assert_string_equal(em_model_info(implicit)->operator_name, "implicit");
    assert_string_equal(em_model_info(dense)->operator_name, "dense");
    check_model(&exact_wide, implicit);
    check_model(&exact_tall, dense);
    em_model_free(&dense);
    em_model_free(&implicit);
    free_truth(&exact_tall);
    free_truth(&exact_wide);
    free(tall.rows);
    free(wide.rows);
}

static void constant_and_duplicate_columns(void **state)
{
    (void)state;
    table t = gaussian_table(80, 9, 10);
    for (size_t r = 0; r < t.N; r++) {
        double *row = t.rows + r * (size_t)t.d;
        row[2] = 1e6;
        row[5] = row[0];
        row[7] = -row[1];
        row[8] = 0;
    }
    check_fits(&t, &t, options_of(NULL, 3), "contiguous", every_exact);
    check_fits(&t, &t, options_of(NULL, 7), "contiguous", every_exact); /* the rank is 5 */
    free(t.rows);
}

/* ---- scales and the mean ------------------------------------------------------------------------------ */

/* Every column divided by its deviation; a constant one left as it is. */
static table standardised(const table *t)
{
    table out = {numbers(t->N * (size_t)t->d), t->N, t->d};
    size_t d = (size_t)t->d;
    for (size_t f = 0; f < d; f++) {
        long double mean = 0;
        double sum = 0;
        for (size_t r = 0; r < t->N; r++) mean += t->rows[r * d + f];
        for (size_t r = 0; r < t->N; r++) sum += pow(t->rows[r * d + f] - (double)(mean / (long double)t->N), 2);
        double deviation = sum > 0 ? sqrt(sum / (double)(t->N - 1)) : 1;
        for (size_t r = 0; r < t->N; r++) out.rows[r * d + f] = t->rows[r * d + f] / deviation;
    }
    return out;
}

static void unit_variance(void **state)
{
    (void)state;
    table t = sorted_classes(30, 7);
    for (size_t r = 0; r < t.N; r++) t.rows[r * 7 + 6] = 3;
    table seen = standardised(&t);
    em_options options = options_of(NULL, 3);
    options.scale = EMI_SCALE_STD;
    check_fits(&t, &seen, options, "contiguous", every_exact);
    options.method = "krylov";
    em_model *model = fit_table(&t, &options, "contiguous");
    assert_int_equal(em_model_info(model)->constant_features, 1);
    em_model_free(&model);
    free(seen.rows);
    free(t.rows);
}

static void unit_first_eigenvalue(void **state)
{
    (void)state;
    table t = sorted_classes(30, 7), seen = {numbers(t.N * 7), t.N, 7};
    truth exact = truth_of(&t);
    for (size_t n = 0; n < t.N * 7; n++) seen.rows[n] = t.rows[n] / sqrt(truth_value(&exact, 0));
    em_options options = options_of(NULL, 3);
    options.scale = EMI_SCALE_SPECTRAL;
    check_fits(&t, &seen, options, "contiguous", every_exact);
    free_truth(&exact);
    free(seen.rows);
    free(t.rows);
}

/* Second moments are the covariance of the rows and their mirror images together. */
static void the_mean_left_in(void **state)
{
    (void)state;
    table t = gaussian_table(70, 6, 12), seen = {numbers(2 * t.N * 6), 2 * t.N, 6};
    for (size_t n = 0; n < t.N * 6; n++) seen.rows[n] = t.rows[n], seen.rows[t.N * 6 + n] = -t.rows[n];
    truth exact = truth_of(&seen);
    exact.samples = t.N; /* variances are divided by the rows there are */
    em_options options = options_of(NULL, 3);
    options.center = 0;
    for (int m = 0; every_exact[m]; m++) {
        options.method = every_exact[m];
        em_model *model = fit_table(&t, &options, "contiguous");
        for (int f = 0; f < 6; f++) assert_true(em_model_mean(model)[f] == 0);
        check_model(&exact, model);
        em_model_free(&model);
    }
    free_truth(&exact);
    free(seen.rows);
    free(t.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_components_and_one), cmocka_unit_test(more_features_than_rows),
        cmocka_unit_test(both_operators),         cmocka_unit_test(constant_and_duplicate_columns),
        cmocka_unit_test(unit_variance),          cmocka_unit_test(unit_first_eigenvalue),
        cmocka_unit_test(the_mean_left_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
