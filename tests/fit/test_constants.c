/* Data that is constant, or constant but for rounding; and what the solver is told of features. */
#include "fit/prepare.h"
#include "support/check.h"
#include "support/network.h"
#include "support/truth.h"
#include "support/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
                em_options options = units_options("auto", (emi_scale)scale);
                options.components = 1;
                for (size_t i = 0; i < counts[n] * D; i++) rows[i] = constants[c];
                assert_fails(units_fit(&model, rows, counts[n], D, &options, &err), EM_EDATA,
                             "data: no variance, every row is the same; try", &err);
                if (c == 6) continue;
                rows[D + 1] = nextafter(constants[c], 0); /* rounding is no variance */
                assert_fails(units_fit(&model, rows, counts[n], D, &options, &err), EM_EDATA,
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
    em_options options = units_options("krylov", EMI_SCALE_SPECTRAL);
    options.components = 1, options.center = 0;
    assert_ok(units_fit(&model, rows, 10, D, &options, &err), &err);
    for (int f = 0; f < D; f++) assert_close(em_model_components(model)[f], 1 / sqrt(D), 1e-12);
    assert_close(em_model_scale(model)[0] / (1e-300 * sqrt(D)), 1, 1e-12);
    em_model_free(&model);
    memset(rows, 0, sizeof rows);
    assert_fails(units_fit(&model, rows, 10, D, &options, &err), EM_EDATA, "every row is the same; try other data",
                 &err);
}

/* No node sees any variance; the network does. */
static void constant_at_every_node_alone(void **state)
{
    (void)state;
    double rows[NODES * D];
    em_model *model = NULL;
    em_error err = {0};
    for (int n = 0; n < NODES * D; n++) rows[n] = 3.7 + n / D;
    em_options options = units_options("krylov", EMI_SCALE_NONE);
    options.components = 1;
    assert_ok(units_fit(&model, rows, NODES, D, &options, &err), &err);
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
            em_options options = units_options("covariance", (emi_scale)scale);
            for (size_t i = 0; i < count * D; i++) rows[i] += offsets[n % 2];
            free(standardised(rows, count, D, deviation));
            options.components = D;
            assert_ok(units_fit(&model, rows, count, D, &options, &err), &err);
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
    double *rows = units_rows(), deviation[D], values[D], vectors[D * D], four[N * (D - 1)];
    for (int c = 0; c < 5; c++)
        for (int inexact = 0; inexact < 2; inexact++) {
            em_model *model = NULL;
            em_error err = {0};
            em_options options = units_options("krylov", inexact ? EMI_SCALE_STD : EMI_SCALE_NONE);
            for (int n = 0; n < N * D; n++)
                if (n % D == 2) rows[n] = constants[c];
            if (inexact) rows[2] = nextafter(constants[c], 0);
            for (int n = 0, at = 0; n < N * D; n++)
                if (n % D != 2) four[at++] = rows[n];
            double *unit = inexact ? standardised(four, N, D - 1, deviation) : NULL;
            truth_pca(inexact ? unit : four, N, D - 1, values, vectors);
            assert_ok(units_fit(&model, rows, N, D, &options, &err), &err);
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
            double *rows = units_rows(), sum = 0;
            network net;
            emi_problem p = {0};
            em_error err = {0};
            em_options options = units_options("krylov", (emi_scale)(EMI_SCALE_NONE + way % 3));
            options.center = way / 3 % 2;
            if (n > 2 && options.scale == EMI_SCALE_NONE) options.scale = EMI_SCALE_STD;
            for (int i = 0; i < N * D; i++) rows[i] *= sizes[n];
            const network_plan plan = {rows, N, D, "path", NODES, 1};
            assert_ok(network_open(&net, &plan, &err), &err);
            assert_ok(emi_problem_open(&p, net.mesh, net.shards, &options, &err), &err);
            assert_ok(
                emi_problem_complete(&p, &options, way >= 6 ? &emi_by_covariance : &emi_by_rows, EMI_DOUBLE, &err),
                &err);
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

/* Means of a hundred million deviations, that nodes of very different sizes see differently; missing values are filled with
 * them, and weigh where the mean is left in. */
static void deviations_keep_their_digits(void **state)
{
    (void)state;
    for (int way = 0; way < 8; way++) { /* centred, with holes, scaled */
        double *rows = units_rows();
        network net;
        emi_problem p = {0};
        em_error err = {0};
        em_options options = units_options("krylov", way / 4 ? EMI_SCALE_STD : EMI_SCALE_NONE);
        const int holes = way / 2 % 2;
        options.center = way % 2;
        for (int i = 0; i < N * D; i++) rows[i] += i < N * D / 2 ? 3e8 : 3e8 + 1;
        for (int i = 0; holes && i < N * D; i += 7) rows[i] = NAN;
        const network_plan plan = {rows, N, D, "path", NODES, 1};
        assert_ok(network_open(&net, &plan, &err), &err);
        net.data->holes = holes;
        em_shards_free(&net.shards);
        assert_ok(em_shards_split(&net.shards, net.data, NODES, "sizes:1,52,7", 0, &err), &err);
        assert_ok(emi_problem_open(&p, net.mesh, net.shards, &options, &err), &err);
        assert_ok(emi_problem_complete(&p, &options, &emi_by_rows, EMI_DOUBLE, &err), &err);
        for (int f = 0; f < D; f++) {
            long double sum = 0, squares = 0, there = 0;
            for (int r = 0; r < N; r++)
                if (!isnan(rows[r * D + f])) sum += rows[r * D + f], there++;
            const long double mean = sum / there, origin = options.center ? mean : 0;
            for (int r = 0; r < N; r++) {
                long double y = isnan(rows[r * D + f]) ? mean : rows[r * D + f];
                squares += (y - origin) * (y - origin);
            }
            assert_close(p.deviation[f] * p.scale[f] / (double)sqrtl(squares / N), 1, 2e-15);
        }
        emi_problem_free(&p);
        network_close(&net);
        free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_have_no_variance),          cmocka_unit_test(constants_have_a_direction),
        cmocka_unit_test(constant_at_every_node_alone),        cmocka_unit_test(far_from_zero_is_not_constant),
        cmocka_unit_test(constants_among_others_are_harmless), cmocka_unit_test(deviations_and_offsets_are_the_solvers),
        cmocka_unit_test(deviations_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
