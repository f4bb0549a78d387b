/* A model of which only the first components are kept is that of a fit that asked for no more. */
#include "model/model.h"
#include "support/check.h"
#include "support/hard.h"
#include "support/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 7 };
static const double spectrum[D] = {9, 5, 3, 3, 1, 0.5, 0};

static em_model *fit(const table *t, int components)
{
    em_options options = options_of("covariance", components);
    options.trace = EMI_TRACE_ALL;
    return fit_table(t, &options, "contiguous");
}

static void check_same_numbers(const em_model *some, const em_model *fewer, int K)
{
    for (int k = 0; k < K; k++) {
        assert_close(em_model_explained_variance(some)[k], em_model_explained_variance(fewer)[k], 1e-12);
        assert_close(em_model_explained_variance_ratio(some)[k], em_model_explained_variance_ratio(fewer)[k], 1e-12);
        assert_close(em_model_singular_values(some)[k], em_model_singular_values(fewer)[k], 1e-12);
    }
    assert_close(em_model_noise_variance(some), em_model_noise_variance(fewer), 1e-12);
}

static void check_same_info(const em_info *some, const em_info *fewer)
{
    assert_int_equal(some->components, fewer->components);
    assert_int_equal(some->rank, fewer->rank);
    assert_int_equal(some->open_cluster, fewer->open_cluster);
    assert_int_equal(some->reason, EM_CONVERGED);
    assert_true(some->worst_residual <= tolerance && some->residual <= some->worst_residual);
}

static void it_is_what_a_smaller_fit_finds(void **state)
{
    (void)state;
    const size_t rows[] = {60, 5}; /* more than features, and fewer */
    for (int n = 0; n < 2; n++) {
        table t = n ? gaussian_table(rows[n], D, 3) : table_of_spectrum(rows[n], D, spectrum, 3);
        int most = n ? (int)rows[n] : D;
        for (int K = 1; K <= most; K++) {
            em_model *some = fit(&t, most), *fewer = fit(&t, K);
            em_error err = {0};
            assert_ok(em_model_truncate(some, K, &err), &err);
            assert_int_equal(em_model_components_count(some), K);
            check_same_numbers(some, fewer, K);
            check_same_info(em_model_info(some), em_model_info(fewer));
            em_model_free(&fewer);
            em_model_free(&some);
        }
        free(t.rows);
    }
}

static void what_was_sent_is_counted_in_its_units(void **state)
{
    (void)state;
    table t = gaussian_table(60, D, 4);
    em_model *model = fit(&t, D);
    em_error err = {0};
    size_t count = 0;
    em_traffic before = em_model_info(model)->traffic[EM_METHOD], after;
    assert_ok(em_model_truncate(model, 2, &err), &err);
    after = em_model_info(model)->traffic[EM_METHOD];
    assert_true(before.units > 0 && before.bytes == after.bytes && before.rounds == after.rounds);
    assert_close(after.units, before.units * D / 2, 1e-14);
    const em_trace_row *rows = trace_of(model, &count);
    assert_true(count > 1);
    assert_close(rows[count - 1].units, after.units, 1e-14);
    em_model_free(&model);
    free(t.rows);
}

static void its_file_has_the_rest_alone(void **state)
{
    (void)state;
    table t = gaussian_table(60, D, 5);
    em_model *model = fit(&t, D), *loaded = NULL;
    em_error err = {0};
    const char *path = scratch("model.npz");
    assert_ok(em_model_truncate(model, 3, &err), &err);
    assert_ok(em_model_save(model, path, &err), &err);
    assert_ok(em_model_load(&loaded, path, &err), &err);
    assert_int_equal(em_model_components_count(loaded), 3);
    assert_memory_equal(em_model_components(loaded), em_model_components(model), sizeof(double) * 3 * D);
    assert_memory_equal(em_model_mean(loaded), em_model_mean(model), sizeof(double) * D);
    assert_true(em_model_noise_variance(loaded) == em_model_noise_variance(model));
    em_model_free(&loaded);
    em_model_free(&model);
    free(t.rows);
}

/* Those that rounding limits are counted again: the first three of five are within the tolerance. */
static void only_what_is_kept_is_limited(void **state)
{
    (void)state;
    em_model *model = NULL;
    em_error err = {0};
    assert_ok(emi_model_new(&model, 5, D, 60, &err), &err);
    for (int k = 0; k < 5; k++) model->explained_variance[k] = 5 - k, model->residuals[k] = k < 3 ? 1e-12 : 1e-6;
    model->info.tolerance = 1e-9, model->info.limited = 2, model->info.rank = 5, model->info.components = 5;
    model->noise_variance = 0.25;
    assert_ok(em_model_truncate(model, 4, &err), &err);
    assert_int_equal(model->info.limited, 1);
    assert_true(model->noise_variance == (2 * 0.25 + 1) / 3 && model->info.worst_residual == 1e-6);
    assert_ok(em_model_truncate(model, 2, &err), &err);
    assert_true(model->info.limited == 0 && model->info.rank == 2 && model->info.worst_residual == 1e-12);
    em_model_free(&model);
}

static void other_numbers_are_refused(void **state)
{
    (void)state;
    table t = gaussian_table(60, D, 6);
    em_model *model = fit(&t, 3);
    const int wrong[] = {-1, 0, 4, 1 << 30};
    for (int n = 0; n < 4; n++) {
        em_error err = {0};
        assert_fails(em_model_truncate(model, wrong[n], &err), EM_EINVAL, "of a model of 3; try 1 to 3", &err);
        assert_int_equal(em_model_components_count(model), 3);
    }
    em_model_free(&model);
    free(t.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_a_smaller_fit_finds), cmocka_unit_test(what_was_sent_is_counted_in_its_units),
        cmocka_unit_test(its_file_has_the_rest_alone),    cmocka_unit_test(only_what_is_kept_is_limited),
        cmocka_unit_test(other_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
