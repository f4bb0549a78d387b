/* Where a fit begins and ends: K as a fraction of the variance, starts without rank, tolerances out of reach. */
#include "support/check.h"
#include "support/hard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- K as a fraction ------------------------------------------------------------------------------------ */

static int fewest(const truth *exact, int d, double fraction)
{
    double all = 0, sum = 0;
    for (int k = 0; k < d; k++) all += truth_value(exact, k);
    for (int k = 0; k < d; k++) {
        sum += truth_value(exact, k);
        if (sum > fraction * all) return k + 1;
    }
    return d;
}

static void fractions_of_variance(void **state)
{
    (void)state;
    static const double fractions[] = {0.01, 0.5, 0.9, 0.999, 0.9999999};
    static const char *const methods[] = {"krylov", "covariance", "auto"};
    table tables[] = {gaussian_table(100, 30, 13), gaussian_table(20, 45, 14), sorted_classes(20, 6)};
    for (int n = 0; n < 3; n++) {
        truth exact = truth_of(&tables[n]);
        for (int c = 0; c < 5; c++)
            for (int m = 0; m < 3; m++) {
                em_options options = options_of(methods[m], 0);
                options.variance = fractions[c];
                em_model *model = fit_table(&tables[n], &options, "contiguous");
                assert_int_equal(em_model_components_count(model), fewest(&exact, tables[n].d, fractions[c]));
                assert_int_equal(em_model_info(model)->components, em_model_components_count(model));
                check_model(&exact, model);
                em_model_free(&model);
            }
        free_truth(&exact);
        free(tables[n].rows);
    }
}

/* Shares that rounding cannot tell from what the first ones explain: one more, as in scikit-learn. */
static void a_fraction_that_is_hit_takes_one_more(void **state)
{
    (void)state;
    static const double spectrum[6] = {4, 2, 1, 0.5, 0.5, 0};
    static const double fractions[] = {0.5, 0.75, 0.875, 0.5 - 1e-9, 0.9999, 1 - 1e-15};
    static const int wanted[] = {2, 3, 4, 1, 5, 5};
    for (int n = 0; n < 6; n++)
        for (int m = 0; direct[m]; m++) {
            table t = table_of_spectrum(40, 6, spectrum, 30 + (uint64_t)n);
            em_options options = options_of(direct[m], 0);
            options.variance = fractions[n];
            em_model *model = fit_table(&t, &options, "contiguous");
            assert_int_equal(em_model_components_count(model), wanted[n]);
            em_model_free(&model);
            free(t.rows);
        }
}

/* ---- starts and ends -------------------------------------------------------------------------------------- */

/* All columns of the start alike: the others have to be found all the same. */
static void a_start_of_rank_one(void **state)
{
    (void)state;
    double init[9 * 3];
    static const double spectrum[9] = {4, 2.5, 1.5, 0.8, 0.5, 0.3, 0.2, 0.1, 0.05};
    table t = table_of_spectrum(60, 9, spectrum, 15);
    em_options options = options_of(NULL, 3);
    options.init = init;
    for (int n = 0; n < 27; n++) init[n] = 0.1 * (n / 3 + 1);
    check_fits(&t, &t, options, "contiguous", every_exact);
    free(t.rows);
}

/* Without a tolerance the limit is the end, and what was found by then is kept. */
static void tolerance_zero(void **state)
{
    (void)state;
    table t = gaussian_table(100, 40, 16);
    for (int m = 0; every_exact[m]; m++) {
        if (strcmp(every_exact[m], "covariance") == 0) continue; /* one iteration is all it has */
        em_options options = options_of(every_exact[m], 2);
        options.tolerance = 0;
        options.iterations = 4;
        em_model *model = fit_table(&t, &options, "contiguous");
        assert_int_equal(em_model_info(model)->reason, EM_STOPPED_ITERATIONS);
        assert_int_equal(em_model_info(model)->iterations, 4);
        assert_true(isfinite(em_model_info(model)->worst_residual));
        em_model_free(&model);
    }
    free(t.rows);
}

/* A limit may come where a basis begins anew: Ritz values grow with every step, and what is reported does. */
static void a_limit_at_any_step(void **state)
{
    (void)state;
    enum { D = 250, K = 3, LIMIT = 40 };
    double slowly[D], apart[D];
    for (int k = 0; k < D; k++) slowly[k] = pow(k + 1, -0.5);
    for (int k = 0; k < D; k++) apart[k] = k < 2 ? pow(1e-5, k) : 1e-10 * pow(k, -0.5); /* the first are locked */
    table tables[] = {table_of_spectrum(300, D, slowly, 19), table_of_spectrum(300, D, apart, 20)};
    for (int n = 0; n < 2; n++, free(tables[n - 1].rows)) {
        double before[K] = {0};
        for (int limit = 2; limit <= LIMIT; limit++) {
            em_options options = options_of("krylov", K);
            options.tolerance = 1e-14;
            options.iterations = limit;
            options.oversample = 1;
            em_model *model = fit_table(&tables[n], &options, "contiguous");
            assert_int_equal(em_model_components_count(model), K);
            for (int k = 0; k < K; k++) {
                double now = em_model_explained_variance(model)[k];
                if (now < before[k] * (1 - 1e-9))
                    fail_msg("component %d, step %d: %g after %g", k, limit, now, before[k]);
                before[k] = now;
            }
            em_model_free(&model);
        }
    }
}

/* No arithmetic gets there: it ends, at the limit or where rounding leaves nothing to do, with all digits there are. */
static void a_tolerance_out_of_reach(void **state)
{
    (void)state;
    table tables[] = {gaussian_table(100, 12, 17),
                      gaussian_table(60, 120, 18)}; /* few columns, and enough to restart */
    for (int n = 0; n < 2; n++)
        for (int m = 0; every_exact[m]; m++) {
            em_options options = options_of(every_exact[m], 1);
            options.tolerance = 1e-30;
            if (strcmp(every_exact[m], "covariance") != 0) options.iterations = 600;
            em_model *model = fit_table(&tables[n], &options, "contiguous");
            const em_info *info = em_model_info(model);
            assert_true(info->reason == EM_CONVERGED || info->reason == EM_STOPPED_ITERATIONS);
            assert_true(info->reason != EM_CONVERGED || info->worst_residual <= 1e-14);
            if (strcmp(info->method, "fastpca") != 0) assert_true(info->worst_residual <= 1e-13); /* it needs longer */
            em_model_free(&model);
        }
    for (int n = 0; n < 2; n++) free(tables[n].rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_of_variance),    cmocka_unit_test(a_fraction_that_is_hit_takes_one_more),
        cmocka_unit_test(a_start_of_rank_one),      cmocka_unit_test(tolerance_zero),
        cmocka_unit_test(a_tolerance_out_of_reach), cmocka_unit_test(a_limit_at_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
