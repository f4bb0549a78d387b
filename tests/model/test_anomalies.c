/* T^2, Q and their limits: quantiles against SciPy's, scores against their definition, and limits against normal rows that no
 * model has seen. */
#include "base/random.h"
#include "fit/options.h"
#include "model/model.h"
#include "model/quantiles.h"
#include "support/check.h"
#include "support/network.h"
#include "support/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* scipy.stats 1.x: f.ppf, norm.ppf and beta.cdf. */
static void quantiles_are_scipys(void **state)
{
    (void)state;
    static const double f[][4] = {{0.99, 3, 4997, 3.78553916163491},  {0.5, 1, 1, 1},
                                  {0.999, 10, 5, 26.9165675897707},   {0.95, 100, 1e9, 1.24342115077607},
                                  {0.01, 2, 30, 0.0100537035806359},  {0.99, 1, 2, 98.502512562814},
                                  {0.9999, 50, 1e4, 1.9239804652545}, {1e-6, 4, 7, 0.000624017283664907}};
    static const double normal[][2] = {{0.99, 2.32634787404084},
                                       {0.5, 0},
                                       {0.975, 1.95996398454005},
                                       {1e-10, -6.36134090240406},
                                       {0.99999999999900002, 7.03448691004784}};
    static const double beta[][4] = {{0.5, 0.5, 0.3, 0.369010119565545},
                                     {2, 3, 0.9, 0.9963},
                                     {50, 5e8, 1e-7, 0.518808594280821},
                                     {200, 100, 0.7, 0.891156934355089}};
    for (size_t n = 0; n < sizeof f / sizeof *f; n++)
        assert_close(emi_f_quantile(f[n][0], f[n][1], f[n][2]) / f[n][3], 1, 1e-9);
    for (size_t n = 0; n < sizeof normal / sizeof *normal; n++)
        assert_close(emi_normal_quantile(normal[n][0]), normal[n][1], 1e-5 * (n == 4) + 1e-13);
    for (size_t n = 0; n < sizeof beta / sizeof *beta; n++)
        assert_close(emi_beta_share(beta[n][0], beta[n][1], beta[n][2], 1 - beta[n][2]), beta[n][3], 1e-10);
}

static em_model *fit(const double *rows, size_t N, int d, int K, const char *method, int nodes, int limits,
                     emi_scale scale)
{
    em_error err;
    network net = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = 1e-8;
    options.limits = limits;
    options.scale = scale;
    const network_plan plan = {rows, N, (size_t)d, "cycle", nodes, 1};
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(em_fit(&model, &options, net.mesh, net.shards, &err), &err);
    network_close(&net);
    return model;
}

static void scores_are_their_definition(void **state)
{
    (void)state;
    enum { D = 9, K = 3, N = 600 };
    static const double spectrum[D] = {5, 3, 2, 1, 0.7, 0.5, 0.3, 0.2, 0.1};
    em_error err;
    double *rows = truth_rows(N, D, spectrum, 2), t2[N], q[N], alone[N];
    em_model *model = fit(rows, N, D, K, "krylov", 4, 0, EMI_SCALE_STD);
    assert_ok(em_model_anomalies(model, rows, N, t2, q, &err), &err);
    assert_ok(em_model_anomalies(model, rows, N, NULL, alone, &err), &err);
    assert_memory_equal(q, alone, sizeof q);
    assert_ok(em_model_anomalies(model, rows, N, alone, NULL, &err), &err);
    assert_memory_equal(t2, alone, sizeof t2);
    for (int r = 0; r < N; r++) {
        double y[D], length = 0, expected = 0, along = 0;
        for (int f = 0; f < D; f++) y[f] = (rows[r * D + f] - model->mean[f]) / model->scale[f], length += y[f] * y[f];
        for (int k = 0; k < K; k++) {
            double z = 0;
            for (int f = 0; f < D; f++) z += y[f] * model->components[k * D + f];
            expected += z * z / model->explained_variance[k];
            along += z * z;
        }
        assert_close(t2[r], expected, 1e-10);
        assert_close(q[r], length - along, 1e-10);
    }
    em_model_free(&model);
    free(rows);
}

/* The sums of powers behind Q's limit: exact where all eigenvalues are known or asked for, else within a few of the errors that
 * are told; and as the formula of 1979 has it. */
static void the_spread_of_the_rest(void **state)
{
    (void)state;
    enum { D = 80, K = 4, N = 1500 };
    double spectrum[D], values[D], *vectors = malloc(sizeof *vectors * D * D);
    for (int f = 0; f < D; f++) spectrum[f] = 1.0 / (f + 1);
    double *rows = truth_rows(N, D, spectrum, 6);
    truth_pca(rows, N, D, values, vectors);
    double theta[4] = {0};
    for (int f = K; f < D; f++)
        for (int power = 1; power <= 3; power++) theta[power] += pow(values[f] * N / (N - 1.0), power);
    double h = 1 - 2 * theta[1] * theta[3] / (3 * theta[2] * theta[2]), c = 2.32634787404084;
    double expected =
        theta[1] *
        pow(c * h * sqrt(2 * theta[2]) / theta[1] + 1 + theta[2] * h * (h - 1) / (theta[1] * theta[1]), 1 / h);
    for (int way = 0; way < 5; way++) {
        static const char *const methods[] = {"covariance", "krylov", "krylov", "deepca", "krylov"};
        em_error err;
        em_model *model =
            fit(rows, N, D, way == 4 ? K + 3 : K, methods[way], way == 1 ? 1 : 5, way < 4, EMI_SCALE_NONE);
        double limit = 0, error = 0;
        if (way == 4) {
            assert_fails(em_model_q_limit(model, 0.99, &limit, &error, &err), EM_ENOTSUP, "try limits=yes", &err);
            em_model_free(&model);
            continue;
        }
        assert_close(emi_model_rest(model), theta[1], 1e-9);
        assert_ok(em_model_q_limit(model, 0.99, &limit, &error, &err), &err);
        printf("%s: %g, told to %g; it is %g\n", methods[way], limit, error, expected);
        if (way == 0) {
            assert_close(limit, expected, 1e-9);
            assert_close(error, 0, 0);
        } else {
            assert_true(error > 0 && error < 0.1 * expected);
            assert_true(fabs(limit - expected) < 4 * error);
        }
        assert_ok(em_model_save(model, scratch("limits.npz"), &err), &err);
        em_model *again = NULL;
        double same = 0;
        assert_ok(em_model_load(&again, scratch("limits.npz"), &err), &err);
        assert_ok(em_model_q_limit(again, 0.99, &same, NULL, &err), &err);
        assert_true(same == limit);
        em_model_free(&again);
        em_model_free(&model);
    }
    em_model *all = fit(rows, N, D, K + 5, "covariance", 1, 1, EMI_SCALE_NONE);
    em_error err;
    double limit = 0;
    assert_ok(em_model_truncate(all, K, &err), &err); /* what goes joins the rest */
    assert_ok(em_model_q_limit(all, 0.99, &limit, NULL, &err), &err);
    assert_close(limit, expected, 1e-9);
    em_model_free(&all);
    free(rows);
    free(vectors);
}

/* As many columns as dimensions are left leave nothing to estimate. */
static void few_dimensions_left_are_exact(void **state)
{
    (void)state;
    enum { D = 20, K = 5, N = 400 };
    double spectrum[D], exact = 0, limit = 0, error = 1;
    for (int f = 0; f < D; f++) spectrum[f] = 1.0 / (f + 1);
    em_error err;
    double *rows = truth_rows(N, D, spectrum, 8);
    em_model *direct = fit(rows, N, D, K, "covariance", 1, 1, EMI_SCALE_NONE),
             *probed = fit(rows, N, D, K, "krylov", 4, 1, EMI_SCALE_NONE);
    assert_ok(em_model_q_limit(direct, 0.95, &exact, NULL, &err), &err);
    assert_ok(em_model_q_limit(probed, 0.95, &limit, &error, &err), &err);
    assert_close(limit, exact, 1e-9);
    assert_close(error, 0, 0);
    em_model_free(&probed);
    em_model_free(&direct);
    free(rows);
}

/* Far out, truth_rows are not as normal as these. */
static double *normal_rows(size_t N, int d, const double *spectrum)
{
    size_t n = (size_t)d;
    double *rows = malloc(sizeof *rows * N * n);
    emi_random random = emi_random_seed(5, EMI_STREAM_INIT);
    emi_random_normals(&random, rows, N * n);
    for (size_t r = 0; r < N; r++)
        for (size_t f = 0; f < n; f++) rows[r * n + f] = 3 + sqrt(spectrum[f]) * rows[r * n + f];
    return rows;
}

/* Normal rows that were not fitted to lie beyond the limits as often as these say.  The model knows variances to a part in
 * sqrt(N), and so the shares; and Q's limit is an approximation, which is off by more where few variances make up the rest: where
 * each is half of the one before, 0.7 rows of 100 lie above what is to be 1's. */
static void fresh_rows_keep_the_limits(void **state)
{
    (void)state;
    static const struct {
        int d, K;
        double falls;
    } shapes[] = {{10, 3, 0.95}, {30, 5, 0.9}, {60, 8, 0.97}, {12, 12, 0.8}};
    enum { N = 20000, FRESH = 40000 };
    for (int s = 0; s < 4; s++) {
        int d = shapes[s].d;
        double spectrum[64], limit[2] = {0};
        for (int f = 0; f < d; f++) spectrum[f] = pow(shapes[s].falls, f);
        em_error err;
        double *rows = normal_rows(N + FRESH, d, spectrum), *t2 = malloc(sizeof *t2 * FRESH),
               *q = malloc(sizeof *q * FRESH);
        em_model *model = fit(rows, N, d, shapes[s].K, "covariance", 1, 1, EMI_SCALE_NONE);
        assert_ok(em_model_anomalies(model, rows + (size_t)N * (size_t)d, FRESH, t2, q, &err), &err);
        for (int percent = 1; percent <= 5; percent += 4) {
            double share = percent / 100.0, above[2] = {0}, spread = sqrt(share * (1 - share) / FRESH);
            assert_ok(em_model_t2_limit(model, 1 - share, &limit[0], &err), &err);
            if (shapes[s].K < d) assert_ok(em_model_q_limit(model, 1 - share, &limit[1], NULL, &err), &err);
            for (int r = 0; r < FRESH; r++) above[0] += t2[r] > limit[0], above[1] += q[r] > limit[1];
            printf("%d features, %d components: %g of 100 rows above T^2's limit, %g above Q's, of %d\n", d,
                   shapes[s].K, 100 * above[0] / FRESH, 100 * above[1] / FRESH, percent);
            assert_true(fabs(above[0] / FRESH - share) < 4 * spread + 0.1 * share);
            if (shapes[s].K < d) assert_true(fabs(above[1] / FRESH - share) < 4 * spread + 0.1 * share);
        }
        em_model_free(&model);
        free(q);
        free(t2);
        free(rows);
    }
}

static void what_has_no_limit(void **state)
{
    (void)state;
    enum { D = 4, N = 3 };
    static const double spectrum[D] = {3, 2, 1, 0.5};
    em_error err;
    double *rows = truth_rows(N, D, spectrum, 1), limit = 7;
    em_model *model = fit(rows, N, D, 2, "covariance", 1, 1, EMI_SCALE_NONE);
    assert_fails(em_model_t2_limit(model, 0, &limit, &err), EM_EINVAL, "not between 0 and 1", &err);
    assert_fails(em_model_t2_limit(model, 1, &limit, &err), EM_EINVAL, "not between 0 and 1", &err);
    assert_fails(em_model_q_limit(model, NAN, &limit, NULL, &err), EM_EINVAL, "not between 0 and 1", &err);
    assert_ok(em_model_t2_limit(model, 0.99, &limit, &err), &err); /* one degree of freedom is one */
    assert_fails(em_model_q_limit(model, 0.99, &limit, NULL, &err), EM_ENOTSUP, "leave no variance out", &err);
    model->N = 2;
    limit = 7;
    assert_fails(em_model_t2_limit(model, 0.99, &limit, &err), EM_ENOTSUP, "leave no freedom", &err);
    assert_close(limit, 7, 0);
    em_model_free(&model);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_scipys),       cmocka_unit_test(scores_are_their_definition),
        cmocka_unit_test(the_spread_of_the_rest),     cmocka_unit_test(few_dimensions_left_are_exact),
        cmocka_unit_test(fresh_rows_keep_the_limits), cmocka_unit_test(what_has_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
