/* Data of any size that doubles have, and data that is constant but for rounding. */
#include "fit/prepare.h"
#include "support/check.h"
#include "support/network.h"
#include "support/truth.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, D = 5, K = 3, NODES = 3 };

static const double spectrum[D] = {9, 4, 2, 1, 0.5};

static double *base_rows(void)
{
    double *rows = truth_rows(N, D, spectrum, 7);
    assert_non_null(rows);
    return rows;
}

static em_options options_of(const char *method, emi_scale scale)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.scale = scale;
    options.tolerance = 1e-10;
    return options;
}

static em_status fit(em_model **model, const double *rows, size_t count, int d, const em_options *options,
                     em_error *err)
{
    network net;
    const network_plan plan = {rows, count, (size_t)d, "path", count < NODES ? 2 : NODES, 1};
    assert_ok(network_open(&net, &plan, err), err);
    em_status status = em_fit(model, options, net.mesh, net.shards, err);
    network_close(&net);
    return status;
}

static void assert_all_finite(const em_model *model)
{
    int components = em_model_components_count(model), d = em_model_features(model);
    for (int n = 0; n < components * d; n++) assert_true(isfinite(em_model_components(model)[n]));
    for (int k = 0; k < components; k++) {
        assert_true(isfinite(em_model_explained_variance(model)[k]));
        assert_true(isfinite(em_model_explained_variance_ratio(model)[k]));
        assert_true(isfinite(em_model_singular_values(model)[k]));
    }
    for (int f = 0; f < d; f++) assert_true(isfinite(em_model_mean(model)[f]) && isnormal(em_model_scale(model)[f]));
    assert_true(isfinite(em_model_noise_variance(model)));
}

/* (y - mean) / deviation in long double, which has the range that doubles lack. */
static double *standardised(const double *rows, size_t count, int d, double *deviation)
{
    double *out = malloc(count * (size_t)d * sizeof *out);
    assert_non_null(out);
    for (size_t f = 0; f < (size_t)d; f++) {
        long double mean = 0, squares = 0;
        for (size_t r = 0; r < count; r++) mean += (long double)rows[r * (size_t)d + f] / (long double)count;
        for (size_t r = 0; r < count; r++) {
            long double y = rows[r * (size_t)d + f] - mean;
            squares += y * y;
        }
        long double divisor = sqrtl(squares / (long double)(count - 1));
        for (size_t r = 0; r < count; r++)
            out[r * (size_t)d + f] = (double)((rows[r * (size_t)d + f] - mean) / divisor);
        deviation[f] = (double)divisor;
    }
    return out;
}

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
    em_status status = fit(&model, moved, N, D, options, &err);
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
    double *rows = base_rows();
    em_error err = {0};
    const char *const methods[] = {"covariance", "krylov"};
    for (int m = 0; m < 2; m++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
            em_options options = options_of(methods[m], (emi_scale)scale);
            em_model *model = NULL;
            int from = scale == EMI_SCALE_NONE ? EXTRAORDINARY : 0;
            for (int n = 0; n < N * D; n++) rows[n] = ldexp(rows[n], from);
            assert_ok(fit(&model, rows, N, D, &options, &err), &err);
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
    double *rows = base_rows(), *moved = malloc(sizeof *moved * N * D), values[D], vectors[D * D], deviation[D];
    double *unit = standardised(rows, N, D, deviation);
    em_error err = {0};
    assert_non_null(moved);
    for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
        truth_pca(scale == EMI_SCALE_STD ? unit : rows, N, D, values, vectors);
        for (int ten = -300; ten <= 300; ten += 50) {
            em_model *model = NULL;
            em_options options = options_of("krylov", (emi_scale)scale);
            double size = pow(10, ten);
            for (int n = 0; n < N * D; n++) moved[n] = rows[n] * size;
            em_status status = fit(&model, moved, N, D, &options, &err);
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
    em_options options = options_of("krylov", EMI_SCALE_STD);
    truth_pca(unit, count, d, values, vectors);
    assert_ok(fit(&model, rows, count, d, &options, &err), &err);
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
    em_options options = options_of("covariance", EMI_SCALE_STD);
    options.components = D;
    assert_ok(fit(&model, rows, N, D, &options, &err), &err);
    assert_ok(em_model_transform(model, rows, N, 1, scores, &err), &err);
    assert_ok(em_model_inverse(model, scores, N, 1, back, &err), &err);
    for (int n = 0; n < N * D; n++)
        assert_true(fabs(back[n] - rows[n]) <= 1e-11 * (em_model_scale(model)[n % D] + fabs(rows[n])));
    em_model_free(&model);
}

static void features_of_all_sizes_at_once(void **state)
{
    (void)state;
    double *rows = base_rows();
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
        double *rows = base_rows();
        em_model *model = NULL;
        em_error err = {0};
        em_options options = options_of("krylov", EMI_SCALE_NONE);
        options.components = 1;
        rows[17 * D + 2] = cells[n];
        check_standardised(rows, N, D);
        em_status status = fit(&model, rows, N, D, &options, &err);
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
    double *rows = base_rows();
    em_model *model = NULL;
    em_error err = {0};
    for (int n = 0; n < N * D; n++) rows[n] = 1e307 * (1 + 0.1 * rows[n]);
    check_standardised(rows, N, D);
    for (int n = 0; n < N * D; n++) rows[n] = (n % 2 ? 1.0 : -1.0) * DBL_MAX;
    em_options options = options_of("krylov", EMI_SCALE_STD);
    assert_fails(fit(&model, rows, N, D, &options, &err), EM_EDATA, "spans more than a double holds", &err);
    for (int n = 0; n < N * D; n++) rows[n] = n % 7 * DBL_TRUE_MIN;
    assert_fails(fit(&model, rows, N, D, &options, &err), EM_EDATA, "does not hold to all digits", &err);
    free(rows);
}

/* ---- constants -------------------------------------------------------------------------------------- */

static void constants_have_no_variance(void **state)
{
    (void)state;
    const double constants[] = {3.7, 1e300, 1e-300, 0.1, -0.1, DBL_MAX, DBL_TRUE_MIN};
    const size_t counts[] = {2, 50, 100000};
    double *rows = malloc(sizeof *rows * 100000 * D);
    assert_non_null(rows);
    for (int c = 0; c < 7; c++)
        for (int n = 0; n < 3; n++)
            for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
                em_model *model = NULL;
                em_error err = {0};
                em_options options = options_of("auto", (emi_scale)scale);
                options.components = 1;
                for (size_t i = 0; i < counts[n] * D; i++) rows[i] = constants[c];
                assert_fails(fit(&model, rows, counts[n], D, &options, &err), EM_EDATA,
                             "data: no variance, every row is the same; try", &err);
                if (c == 6) continue;
                rows[D + 1] = nextafter(constants[c], 0); /* rounding is no variance */
                assert_fails(fit(&model, rows, counts[n], D, &options, &err), EM_EDATA,
                             "data: no variance, every row is the same but for rounding; try", &err);
                assert_null(model);
            }
    free(rows);
}

/* Without centring it is a direction. */
static void constants_have_a_direction(void **state)
{
    (void)state;
    double rows[10 * D];
    em_model *model = NULL;
    em_error err = {0};
    for (int n = 0; n < 10 * D; n++) rows[n] = 1e-300;
    em_options options = options_of("krylov", EMI_SCALE_SPECTRAL);
    options.components = 1, options.center = 0;
    assert_ok(fit(&model, rows, 10, D, &options, &err), &err);
    for (int f = 0; f < D; f++) assert_close(em_model_components(model)[f], 1 / sqrt(D), 1e-12);
    assert_close(em_model_scale(model)[0] / (1e-300 * sqrt(D)), 1, 1e-12);
    em_model_free(&model);
    memset(rows, 0, sizeof rows);
    assert_fails(fit(&model, rows, 10, D, &options, &err), EM_EDATA, "every row is the same; try other data", &err);
}

/* No node sees any variance; the network does. */
static void constant_at_every_node_alone(void **state)
{
    (void)state;
    double rows[NODES * D];
    em_model *model = NULL;
    em_error err = {0};
    for (int n = 0; n < NODES * D; n++) rows[n] = 3.7 + n / D;
    em_options options = options_of("krylov", EMI_SCALE_NONE);
    options.components = 1;
    assert_ok(fit(&model, rows, NODES, D, &options, &err), &err);
    for (int f = 0; f < D; f++) assert_close(em_model_components(model)[f], 1 / sqrt(D), 1e-12);
    assert_close(em_model_explained_variance(model)[0], D, 1e-12);
    em_model_free(&model);
}

static void far_from_zero_is_not_constant(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    const double offsets[] = {1e8, 1e12}, one[] = {1, 1, 1, 1, 1};
    const size_t counts[] = {50, MANY};
    for (int n = 0; n < 4; n++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_STD; scale++) {
            size_t count = counts[n / 2];
            double *rows = truth_rows(count, D, one, 3), deviation[D];
            em_model *model = NULL;
            em_error err = {0};
            em_options options = options_of("covariance", (emi_scale)scale);
            for (size_t i = 0; i < count * D; i++) rows[i] += offsets[n % 2];
            free(standardised(rows, count, D, deviation));
            options.components = D;
            assert_ok(fit(&model, rows, count, D, &options, &err), &err);
            assert_int_equal(em_model_info(model)->constant_features, 0);
            double sum = 0, wanted = 0;
            for (int f = 0; f < D; f++) sum += em_model_explained_variance(model)[f];
            for (int f = 0; f < D; f++) wanted += scale == EMI_SCALE_STD ? 1 : deviation[f] * deviation[f];
            assert_close(sum, wanted, n % 2 ? 1e-3 : 1e-9);
            em_model_free(&model);
            free(rows);
        }
}

/* A constant feature of any size, exact or not, beside ordinary ones: as though it were not there. */
static void constants_among_others_are_harmless(void **state)
{
    (void)state;
    const double constants[] = {0.1, 3.7e8, 1e250, 1e-250, 1e307};
    double *rows = base_rows(), deviation[D], values[D], vectors[D * D], four[N * (D - 1)];
    for (int c = 0; c < 5; c++)
        for (int inexact = 0; inexact < 2; inexact++) {
            em_model *model = NULL;
            em_error err = {0};
            em_options options = options_of("krylov", inexact ? EMI_SCALE_STD : EMI_SCALE_NONE);
            for (int n = 0; n < N * D; n++)
                if (n % D == 2) rows[n] = constants[c];
            if (inexact) rows[2] = nextafter(constants[c], 0);
            for (int n = 0, at = 0; n < N * D; n++)
                if (n % D != 2) four[at++] = rows[n];
            double *unit = inexact ? standardised(four, N, D - 1, deviation) : NULL;
            truth_pca(inexact ? unit : four, N, D - 1, values, vectors);
            assert_ok(fit(&model, rows, N, D, &options, &err), &err);
            assert_all_finite(model);
            assert_int_equal(em_model_info(model)->constant_features, inexact);
            for (int k = 0; k < K; k++) {
                const double *x = em_model_components(model) + (size_t)k * D;
                double others[] = {x[0], x[1], x[3], x[4]};
                assert_close(em_model_explained_variance(model)[k], values[k] * N / (N - 1), 1e-9);
                assert_true(truth_sin2(others, vectors + (size_t)k * (D - 1), D - 1) < 1e-15);
                assert_true(fabs(x[2]) < 1e-8);
            }
            em_model_free(&model);
            free(unit);
        }
    free(rows);
}

/* ---- what is kept for those who judge the answer ------------------------------------------------ */

static void deviations_and_offsets_are_the_solvers(void **state)
{
    (void)state;
    const double sizes[] = {1, 1e-100, 1e100, 1e-250, 1e250};
    for (int n = 0; n < 5; n++)
        for (int way = 0; way < 12; way++) { /* scale, centred or not, formed or not */
            double *rows = base_rows(), sum = 0;
            network net;
            emi_problem p = {0};
            em_error err = {0};
            em_options options = options_of("krylov", (emi_scale)(way % 3));
            options.center = way / 3 % 2;
            if (n > 2 && options.scale == EMI_SCALE_NONE) options.scale = EMI_SCALE_STD;
            for (int i = 0; i < N * D; i++) rows[i] *= sizes[n];
            const network_plan plan = {rows, N, D, "path", NODES, 1};
            assert_ok(network_open(&net, &plan, &err), &err);
            assert_ok(emi_problem_open(&p, net.mesh, net.shards, &options, &err), &err);
            assert_ok(emi_problem_complete(&p, &options, way >= 6, &err), &err);
            assert_int_equal(p.C[0].dense != NULL, way >= 6);
            assert_true(options.scale == EMI_SCALE_NONE && n > 0 ? p.exponent != 0 : p.exponent == 0);
            for (int f = 0; f < D; f++) {
                long double mean = 0, squares = 0, factor = ldexpl(1, -p.exponent) / p.scale[f];
                for (int r = 0; options.center && r < N; r++) mean += (long double)rows[r * D + f] / N;
                for (int r = 0; r < N; r++) squares += (rows[r * D + f] - mean) * (rows[r * D + f] - mean) / N;
                assert_close(p.deviation[f] / (double)(sqrtl(squares) * factor), 1, 1e-12);
                assert_close(p.offset[f], (double)(fabsl(mean) * factor), 1e-12);
                sum += p.deviation[f] * p.deviation[f];
            }
            assert_close(p.variance / sum, 1, 1e-13);
            emi_problem_free(&p);
            network_close(&net);
            free(rows);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two_change_units_alone),
        cmocka_unit_test(sizes_of_ten_against_lapack),
        cmocka_unit_test(features_of_all_sizes_at_once),
        cmocka_unit_test(one_cell_far_above_the_rest),
        cmocka_unit_test(sums_beyond_doubles),
        cmocka_unit_test(constants_have_no_variance),
        cmocka_unit_test(constants_have_a_direction),
        cmocka_unit_test(constant_at_every_node_alone),
        cmocka_unit_test(far_from_zero_is_not_constant),
        cmocka_unit_test(constants_among_others_are_harmless),
        cmocka_unit_test(deviations_and_offsets_are_the_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
