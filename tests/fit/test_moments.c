/* Fits of moments that are not of all rows alike: weights, sketches; and what takes rows. */
#include "support/check.h"
#include "support/streams.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 700, D = 14, K = 4 };

static const double spectrum[D] = {9, 6, 4, 2.5, 1.5, 1, .7, .5, .3, .2, .1, .05, .02, .01};

/* Weights, as numpy.cov(rows.T, aweights=...) has them: rows that are repeated sqrt(weight) times as long, about the weighed mean. */
static void what_is_forgotten_weighs_less(void **state)
{
    (void)state;
    enum { BATCH = 100 };
    static const double factor = 0.6;
    em_error err = {0};
    double *rows = truth_rows(ROWS, D, spectrum, 8), all = 0, squares = 0, mean[D] = {0}, values[D], q[D * D];
    size_t order[BATCH];
    em_moments *m = NULL;
    em_data *table = NULL;
    assert_ok(em_moments_create(&m, D, &err), &err);
    for (size_t first = 0; first < ROWS; first += BATCH) {
        for (size_t r = 0; r < BATCH; r++) order[r] = first + r;
        assert_ok(em_moments_forget(m, factor, &err), &err);
        stream_add(m, rows, D, order, BATCH, EM_F64);
    }
    assert_ok(em_data_from_moments(&table, m, &err), &err);
    em_options options = stream_options("auto", K);
    em_model *model = stream_fit(&table, 1, &options);
    for (size_t r = 0; r < ROWS; r++) {
        double w = pow(factor, (double)(ROWS / BATCH - 1 - r / BATCH));
        all += w, squares += w * w;
        for (size_t f = 0; f < D; f++) mean[f] += w * rows[r * D + f];
    }
    assert_close(em_model_info(model)->weight, all, 1e-14);
    double *both = calloc((size_t)2 * ROWS * D, sizeof *both); /* with its mirror image, so that their mean is zero */
    assert_non_null(both);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t f = 0; f < D; f++) {
            double w = pow(factor, (double)(ROWS / BATCH - 1 - r / BATCH));
            both[r * D + f] = sqrt(w) * (rows[r * D + f] - mean[f] / all);
            both[(ROWS + r) * D + f] = -both[r * D + f];
        }
    truth_pca(both, (size_t)2 * ROWS, D, values, q);
    for (int k = 0; k < K; k++) {
        assert_close(em_model_explained_variance(model)[k] / (values[k] * ROWS / (all - squares / all)), 1, 1e-12);
        assert_true(sqrt(truth_sin2(em_model_components(model) + k * D, q + k * D, D)) <= 1e-10);
    }
    em_model_free(&model);
    em_data_free(&table);
    em_moments_free(&m);
    free(both);
    free(rows);
}

/* The bound is in the model, and its file: no variance is further off. */
static void sketches_say_what_they_lack(void **state)
{
    (void)state;
    enum { MANY = 300, WIDE = 40 };
    em_error err = {0};
    double wide[WIDE], values[WIDE], q[WIDE * WIDE];
    for (int f = 0; f < WIDE; f++) wide[f] = 20 * pow(0.7, f);
    double *rows = truth_rows(MANY, WIDE, wide, 4);
    size_t order[MANY];
    for (size_t r = 0; r < MANY; r++) order[r] = r;
    truth_pca(rows, MANY, WIDE, values, q);
    for (int scaled = 0; scaled < 2; scaled++) {
        em_moments *m = NULL;
        em_data *table = NULL;
        em_model *loaded = NULL;
        em_options options = stream_options("auto", K);
        options.tolerance = 1e-9;
        options.scale = scaled ? EMI_SCALE_STD : EMI_SCALE_NONE;
        assert_ok(em_moments_create_sketch(&m, WIDE, 15, &err), &err);
        stream_add(m, rows, WIDE, order, MANY, EM_F64);
        assert_ok(em_data_from_moments(&table, m, &err), &err);
        em_model *model = stream_fit(&table, 1, &options);
        double bound = em_model_info(model)->sketch_bound, own = 0;
        assert_ok(em_moments_bound(m, &own, &err), &err);
        assert_true(bound > 0 && (scaled || fabs(bound / own - 1) < 1e-12));
        for (int k = 0; k < K && !scaled; k++) {
            double lacks = values[k] * MANY / (MANY - 1.0) - em_model_explained_variance(model)[k];
            assert_true(lacks > 0 && lacks <= bound);
        }
        assert_ok(em_model_save(model, scratch("sketch.npz"), &err), &err);
        assert_ok(em_model_load(&loaded, scratch("sketch.npz"), &err), &err);
        assert_true(em_model_info(loaded)->sketch_bound == bound);
        em_model_free(&loaded);
        em_model_free(&model);
        em_data_free(&table);
        em_moments_free(&m);
    }
    free(rows);
}

static void what_takes_rows_is_refused(void **state)
{
    (void)state;
    em_error err = {0};
    size_t order[ROWS];
    double *rows = truth_rows(ROWS, D, spectrum, 9);
    em_moments *m = NULL;
    em_data *table = NULL;
    em_model *model = NULL;
    for (size_t r = 0; r < ROWS; r++) order[r] = r;
    assert_ok(em_moments_create(&m, D, &err), &err);
    stream_add(m, rows, D, order, ROWS, EM_F64);
    assert_ok(em_data_from_moments(&table, m, &err), &err);
    em_options options = stream_options("auto", K);
    options.scale = EMI_SCALE_BINOMIAL;
    assert_fails(stream_try_fit(&model, &table, 1, &options, &err), EM_ENOTSUP,
                 "holds moments, and scale=binomial is of genotypes", &err);
    assert_null(model);
    em_data_free(&table);
    em_moments_free(&m);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_forgotten_weighs_less),
        cmocka_unit_test(sketches_say_what_they_lack),
        cmocka_unit_test(what_takes_rows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
