/* Data of any size that doubles have. */
#include "fit/prepare.h"
#include "support/check.h"
#include "support/network.h"
#include "support/truth.h"
#include "support/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- powers of two --------------------------------------------------------------------------------- */

static void assert_times_power(const double *got, const double *wanted, int count, int power)
{
    for (int n = 0; n < count; n++) assert_true(got[n] == ldexp(wanted[n], power));
}

/* The same bits, in units that are 2^power times smaller: `scaled` where the model's scale takes them up. */
static void assert_same_but_for_units(const em_model *a, const em_model *b, int power, int scaled)
{
    int left = scaled ? 0 : power;
    assert_all_finite(b);
    assert_times_power(em_model_components(b), em_model_components(a), K * D, 0);
    assert_times_power(em_model_explained_variance_ratio(b), em_model_explained_variance_ratio(a), K, 0);
    assert_times_power(em_model_explained_variance(b), em_model_explained_variance(a), K, 2 * left);
    assert_times_power(em_model_singular_values(b), em_model_singular_values(a), K, left);
    assert_times_power(em_model_mean(b), em_model_mean(a), D, power);
    assert_times_power(em_model_scale(b), em_model_scale(a), D, power - left);
    assert_true(em_model_noise_variance(b) == ldexp(em_model_noise_variance(a), 2 * left));
}

static void check_power(const double *rows, const em_model *wanted, const em_options *options, int power, int change)
{
    double *moved = malloc(sizeof *moved * N * D);
    em_model *model = NULL;
    em_error err = {0};
    assert_non_null(moved);
    for (int n = 0; n < N * D; n++) moved[n] = ldexp(rows[n], power);
    em_status status = units_fit(&model, moved, N, D, options, &err);
    /* the total variance is near 2^4, and has to be a double with 52 bits to spare below */
    if (options->scale == EMI_SCALE_NONE && (2 * power < -980 || 2 * power > 1018)) {
        assert_fails(status, EM_EDATA, "try scale=std, or ", &err);
        assert_null(model);
    } else {
        assert_ok(status, &err);
        assert_same_but_for_units(wanted, model, change, options->scale != EMI_SCALE_NONE);
    }
    em_model_free(&model);
    free(moved);
}

/* Where the scale takes up their size, the solver sees the same bits of all.  Where nothing does, ordinary rows are taken as
 * they are, and LAPACK's solver does not give the same bits for multiples of a matrix: those with an exponent are compared. */
static void powers_of_two_change_units_alone(void **state)
{
    (void)state;
    enum { EXTRAORDINARY = 200 };
    double *rows = units_rows();
    em_error err = {0};
    const char *const methods[] = {"covariance", "krylov"};
    for (int m = 0; m < 2; m++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
            em_options options = units_options(methods[m], (emi_scale)scale);
            em_model *model = NULL;
            int from = scale == EMI_SCALE_NONE ? EXTRAORDINARY : 0;
            for (int n = 0; n < N * D; n++) rows[n] = ldexp(rows[n], from);
            assert_ok(units_fit(&model, rows, N, D, &options, &err), &err);
            for (int n = 0; n < N * D; n++) rows[n] = ldexp(rows[n], -from);
            for (int power = -1000; power <= 1000; power += 40)
                if (scale != EMI_SCALE_NONE || abs(power) >= EXTRAORDINARY)
                    check_power(rows, model, &options, power, power - from);
            em_model_free(&model);
        }
    free(rows);
}

/* Every size of ten that doubles have, against LAPACK on the rows as they were. */
static void sizes_of_ten_against_lapack(void **state)
{
    (void)state;
    double *rows = units_rows(), *moved = malloc(sizeof *moved * N * D), values[D], vectors[D * D], deviation[D];
    double *unit = standardised(rows, N, D, deviation);
    em_error err = {0};
    assert_non_null(moved);
    for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
        truth_pca(scale == EMI_SCALE_STD ? unit : rows, N, D, values, vectors);
        for (int ten = -300; ten <= 300; ten += 50) {
            em_model *model = NULL;
            em_options options = units_options("krylov", (emi_scale)scale);
            double size = pow(10, ten);
            for (int n = 0; n < N * D; n++) moved[n] = rows[n] * size;
            em_status status = units_fit(&model, moved, N, D, &options, &err);
            if (scale == EMI_SCALE_NONE && abs(ten) > 150) {
                assert_fails(status, EM_EDATA, ten > 0 ? "dividing the data by 1e" : "multiplying the data by 1e",
                             &err);
                continue;
            }
            if (scale == EMI_SCALE_NONE && ten == -150) { /* the smaller ones would not be normal numbers */
                assert_fails(status, EM_EDATA, "does not hold to all digits", &err);
                continue;
            }
            assert_ok(status, &err);
            assert_all_finite(model);
            double unit_of = scale == EMI_SCALE_NONE ? size : scale == EMI_SCALE_STD ? 1 : 1 / sqrt(values[0]);
            for (int k = 0; k < K; k++) {
                double wanted = values[k] * N / (N - 1),
                       got = em_model_explained_variance(model)[k] / unit_of / unit_of;
                assert_close(got / wanted, 1, 1e-9);
                assert_true(truth_sin2(em_model_components(model) + (size_t)k * D, vectors + (size_t)k * D, D) < 1e-18);
            }
            em_model_free(&model);
        }
    }
    free(unit);
    free(moved);
    free(rows);
}

/* ---- unlike features ------------------------------------------------------------------------------ */

static void check_standardised(const double *rows, size_t count, int d)
{
    double values[D], vectors[D * D], deviation[D], scores[K];
    double *unit = standardised(rows, count, d, deviation);
    em_model *model = NULL;
    em_error err = {0};
    em_options options = units_options("krylov", EMI_SCALE_STD);
    truth_pca(unit, count, d, values, vectors);
    assert_ok(units_fit(&model, rows, count, d, &options, &err), &err);
    assert_all_finite(model);
    assert_int_equal(em_model_info(model)->constant_features, 0);
    for (int f = 0; f < d; f++) assert_close(em_model_scale(model)[f] / deviation[f], 1, 1e-12);
    for (int k = 0; k < K; k++) {
        assert_close(em_model_explained_variance(model)[k], values[k] * (double)count / ((double)count - 1), 1e-9);
        assert_true(truth_sin2(em_model_components(model) + k * d, vectors + k * d, d) < 1e-16);
    }
    for (size_t r = 0; r < count; r++) {
        assert_ok(em_model_transform(model, rows + r * (size_t)d, 1, 0, scores, &err), &err);
        for (int k = 0; k < K; k++) {
            double wanted = 0;
            for (int f = 0; f < d; f++)
                wanted += unit[r * (size_t)d + (size_t)f] * em_model_components(model)[k * d + f];
            assert_close(scores[k], wanted, 1e-11);
        }
    }
    em_model_free(&model);
    free(unit);
}

/* All components give the rows back, in every feature's own units. */
static void check_round_trip(const double *rows)
{
    double scores[N * D], back[N * D];
    em_model *model = NULL;
    em_error err = {0};
    em_options options = units_options("covariance", EMI_SCALE_STD);
    options.components = D;
    assert_ok(units_fit(&model, rows, N, D, &options, &err), &err);
    assert_ok(em_model_transform(model, rows, N, 1, scores, &err), &err);
    assert_ok(em_model_inverse(model, scores, N, 1, back, &err), &err);
    for (int n = 0; n < N * D; n++)
        assert_true(fabs(back[n] - rows[n]) <= 1e-11 * (em_model_scale(model)[n % D] + fabs(rows[n])));
    em_model_free(&model);
}

static void features_of_all_sizes_at_once(void **state)
{
    (void)state;
    double *rows = units_rows();
    const double sizes[D] = {1e-200, 1e200, 1, 1e-300, 1e300};
    for (int n = 0; n < N * D; n++) rows[n] *= sizes[n % D];
    check_standardised(rows, N, D);
    check_round_trip(rows);
    free(rows);
}

static void one_cell_far_above_the_rest(void **state)
{
    (void)state;
    const double cells[] = {1e150, 1e200, 1e300};
    for (int n = 0; n < 3; n++) {
        double *rows = units_rows();
        em_model *model = NULL;
        em_error err = {0};
        em_options options = units_options("krylov", EMI_SCALE_NONE);
        options.components = 1;
        rows[17 * D + 2] = cells[n];
        check_standardised(rows, N, D);
        em_status status = units_fit(&model, rows, N, D, &options, &err);
        if (n > 0) {
            assert_fails(status, EM_EDATA, "try scale=std", &err);
        } else {
            assert_ok(status, &err);
            assert_all_finite(model);
            assert_close(em_model_components(model)[2], 1, 1e-12);
            assert_close(em_model_explained_variance(model)[0] / (cells[n] * cells[n] / N), 1, 1e-12);
            assert_close(em_model_singular_values(model)[0] / (cells[n] * sqrt((N - 1.0) / N)), 1, 1e-12);
        }
        em_model_free(&model);
        free(rows);
    }
}

static void sums_beyond_doubles(void **state)
{
    (void)state;
    double *rows = units_rows();
    em_model *model = NULL;
    em_error err = {0};
    for (int n = 0; n < N * D; n++) rows[n] = 1e307 * (1 + 0.1 * rows[n]);
    check_standardised(rows, N, D);
    for (int n = 0; n < N * D; n++) rows[n] = (n % 2 ? 1.0 : -1.0) * DBL_MAX;
    em_options options = units_options("krylov", EMI_SCALE_STD);
    assert_fails(units_fit(&model, rows, N, D, &options, &err), EM_EDATA, "spans more than a double holds", &err);
    for (int n = 0; n < N * D; n++) rows[n] = n % 7 * DBL_TRUE_MIN;
    assert_fails(units_fit(&model, rows, N, D, &options, &err), EM_EDATA, "does not hold to all digits", &err);
    free(rows);
}

/* ---- constants -------------------------------------------------------------------------------------- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two_change_units_alone),
        cmocka_unit_test(sizes_of_ten_against_lapack),
        cmocka_unit_test(features_of_all_sizes_at_once),
        cmocka_unit_test(one_cell_far_above_the_rest),
        cmocka_unit_test(sums_beyond_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
