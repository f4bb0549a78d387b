/* How whole fits end. */
#include "fit/options.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/models.h"
#include "support/network.h"

#include <math.h>
#include <string.h>

enum { ROWS = 200, COLUMNS = 6, NODES = 5, K = 2 };

static double values[ROWS * COLUMNS];

static em_options options_for(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = 0;
    options.truth_compute = 1;
    options.trace = 1;
    return options;
}

static em_model *fit(const em_options *options, const char *topology, int nodes)
{
    network net;
    em_error err = {0};
    em_model *model = NULL;
    const network_plan plan = {values, ROWS, COLUMNS, topology, nodes, 1};
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    assert_ok(network_open(&net, &plan, &err), &err);
    assert_ok(em_fit(&model, options, net.mesh, net.shards, &err), &err);
    network_close(&net);
    return model;
}

static void check_finite(const em_model *model)
{
    for (int n = 0; n < K * COLUMNS; n++) assert_true(isfinite(em_model_components(model)[n]));
    for (int k = 0; k < K; k++) {
        assert_true(isfinite(em_model_explained_variance(model)[k]));
        assert_true(isfinite(em_model_residuals(model)[k]));
    }
    assert_true(isfinite(em_model_info(model)->residual) && isfinite(em_model_info(model)->error));
}

/* A step fifty times what the largest eigenvalue bears. */
static void divergence_is_noticed_within_a_few_iterations(void **state)
{
    (void)state;
    const char *const methods[] = {"dsa", "gha"};
    for (int m = 0; m < 2; m++) {
        em_options options = options_for(methods[m]);
        options.iterations = 0;
        em_model *model = fit(&options, "cycle", m ? 1 : NODES);
        options.step = 50 / em_model_exact_variance(model)[0];
        em_model_free(&model);
        options.iterations = 10000;
        model = fit(&options, "cycle", m ? 1 : NODES);
        assert_int_equal(em_model_info(model)->reason, EM_STOPPED_DIVERGED);
        assert_true(em_model_info(model)->iterations <= 5);
        check_finite(model);
        em_model_free(&model);
    }
}

static void no_iterations_give_the_start(void **state)
{
    (void)state;
    const char *const methods[] = {"dsa", "dpgd", "seqdistpm", "gha", "oi"};
    for (int m = 0; m < 5; m++) {
        em_options options = options_for(methods[m]);
        size_t rows = 0;
        options.iterations = 0;
        em_model *model = fit(&options, "path", m < 3 ? NODES : 1);
        const em_info *info = em_model_info(model);
        assert_int_equal(info->reason, EM_STOPPED_ITERATIONS);
        assert_int_equal(info->iterations, 0);
        assert_true(isnan(info->change) && info->consensus < 1e-15);
        assert_int_equal(info->traffic[EM_METHOD].messages, 0);
        const em_trace_row *trace = trace_of(model, &rows);
        assert_int_equal(rows, 1);
        assert_true(trace->iteration == 0 && trace->rounds == 0 && trace->messages == 0 && trace->bytes == 0);
        assert_true(trace->units == 0 && trace->seconds == 0);
        assert_close(trace->error, info->error, 1e-15);
        check_finite(model);
        em_model_free(&model);
    }
}

static int stop_at_seven(const em_progress *progress, void *user)
{
    *(double *)user = progress->error;
    return progress->iteration == 7;
}

static void the_monitor_stops_a_fit(void **state)
{
    (void)state;
    const char *const methods[] = {"dsa", "dpgd", "seqdistpm"};
    for (int m = 0; m < 3; m++) {
        double error = -1;
        size_t rows = 0;
        em_options options = options_for(methods[m]);
        options.monitor = stop_at_seven;
        options.monitor_user = &error;
        em_model *model = fit(&options, "complete", NODES);
        assert_int_equal(em_model_info(model)->reason, EM_STOPPED_USER);
        assert_int_equal(em_model_info(model)->iterations, 7);
        const em_trace_row *trace = trace_of(model, &rows);
        assert_int_equal(rows, 8);
        assert_true(trace[7].error == error);
        check_finite(model);
        em_model_free(&model);
    }
}

/* Which would run for hours; and a limit that is far away changes nothing. */
static void time_runs_out(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    em_error err = {0};
    options.trace = EMI_TRACE_NONE;
    options.iterations = 1000000000;
    assert_ok(em_options_set(&options, "max-seconds", "0.02", &err), &err);
    em_model *model = fit(&options, "cycle", NODES);
    assert_int_equal(em_model_info(model)->reason, EM_STOPPED_USER);
    assert_true(em_model_info(model)->iterations > 0);
    assert_true(em_model_info(model)->seconds >= 0.02 && em_model_info(model)->seconds < 20);
    check_finite(model);
    em_model_free(&model);

    options.iterations = 50;
    model = fit(&options, "cycle", NODES);
    assert_ok(em_options_set(&options, "max-seconds", "1e9", &err), &err);
    em_model *patient = fit(&options, "cycle", NODES);
    if (em_model_info(model)->seconds < 0.02) assert_same_model(model, patient);
    assert_int_equal(em_model_info(patient)->reason, EM_STOPPED_ITERATIONS);
    em_model_free(&patient);
    em_model_free(&model);
}

/* The inexact ones settle; those that promise a residual keep their word. */
static void every_method_comes_to_an_end(void **state)
{
    (void)state;
    const char *const methods[] = {"dsa", "dpgd", "seqdistpm", "gha", "oi"};
    for (int m = 0; m < 5; m++) {
        em_options options = options_for(methods[m]);
        options.tolerance = 1e-8;
        em_model *model = fit(&options, "complete", m < 3 ? NODES : 1);
        const em_info *info = em_model_info(model);
        if (strcmp(methods[m], "oi") == 0) assert_true(info->worst_residual <= 1e-8);
        assert_int_equal(info->reason, info->worst_residual <= 1e-8 ? EM_CONVERGED : EM_SETTLED);
        assert_true(info->change <= 1e-8 && info->error < 0.02);
        for (int k = 0; k < K; k++)
            assert_close(em_model_explained_variance(model)[k], em_model_exact_variance(model)[k], 0.02);
        if (m >= 3) assert_true(info->error < 1e-10); /* exact where all data is in one place */
        em_model_free(&model);
    }
}

/* C of the table in `values`, by plain loops. */
static void form_covariance(double *C)
{
    double mean[COLUMNS] = {0};
    for (int r = 0; r < ROWS; r++)
        for (int f = 0; f < COLUMNS; f++) mean[f] += values[r * COLUMNS + f] / ROWS;
    memset(C, 0, sizeof *C * COLUMNS * COLUMNS);
    for (int r = 0; r < ROWS; r++)
        for (int a = 0; a < COLUMNS; a++)
            for (int b = 0; b < COLUMNS; b++)
                C[a * COLUMNS + b] +=
                    (values[r * COLUMNS + a] - mean[a]) * (values[r * COLUMNS + b] - mean[b]) / (ROWS - 1);
}

/* Whatever side a start leads to: unit eigenvectors, and the entry of largest magnitude is positive. */
static void components_are_eigenvectors_of_one_sign(void **state)
{
    (void)state;
    double C[COLUMNS * COLUMNS], Cv[COLUMNS];
    for (uint64_t seed = 0; seed < 8; seed++) {
        em_options options = options_for("oi");
        options.seed = seed;
        options.tolerance = 1e-12;
        em_model *model = fit(&options, "path", 1);
        form_covariance(C);
        for (int k = 0; k < K; k++) {
            const double *v = em_model_components(model) + k * COLUMNS;
            double largest = 0, squares = 0;
            matrix_multiply(C, v, Cv, COLUMNS, COLUMNS, 1);
            for (int f = 0; f < COLUMNS; f++) {
                assert_close(Cv[f], em_model_explained_variance(model)[k] * v[f], 1e-9);
                largest = fabs(v[f]) > fabs(largest) ? v[f] : largest;
                squares += v[f] * v[f];
            }
            assert_true(largest > 0);
            assert_close(squares, 1, 1e-14);
        }
        em_model_free(&model);
    }
}

static void wrong_fits_are_refused(void **state)
{
    (void)state;
    network net;
    em_error err = {0};
    em_model *model = (em_model *)&err; /* must be left NULL */
    const network_plan plan = {values, ROWS, COLUMNS, "cycle", NODES, 1};
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    assert_ok(network_open(&net, &plan, &err), &err);
    em_options options = options_for("oi");
    assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EINVAL, "needs all data in one place", &err);
    assert_null(model);
    options = options_for("dsa");
    options.components = COLUMNS + 1;
    assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EINVAL, "try 6 or fewer", &err);
    options = options_for("dsa");
    options.consensus_rounds = 3;
    assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EINVAL, "consensus-rounds: not used", &err);
    em_shards_free(&net.shards);
    assert_ok(em_shards_split(&net.shards, net.data, NODES - 1, NULL, 0, &err), &err);
    options = options_for("dsa");
    assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EINVAL, "shards: 4 of them for the 5 nodes",
                 &err);
    assert_null(model);
    network_close(&net);
}

static void data_without_variance_is_refused(void **state)
{
    (void)state;
    network net;
    em_error err = {0};
    em_model *model = NULL;
    const network_plan plan = {values, ROWS, COLUMNS, "cycle", NODES, 1};
    for (int n = 0; n < ROWS * COLUMNS; n++) values[n] = 0.5 + n % COLUMNS;
    assert_ok(network_open(&net, &plan, &err), &err);
    em_options options = options_for("dsa");
    assert_fails(em_fit(&model, &options, net.mesh, net.shards, &err), EM_EDATA, "data: no variance", &err);
    assert_null(model);
    network_close(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence_is_noticed_within_a_few_iterations),
        cmocka_unit_test(no_iterations_give_the_start),
        cmocka_unit_test(the_monitor_stops_a_fit),
        cmocka_unit_test(time_runs_out),
        cmocka_unit_test(every_method_comes_to_an_end),
        cmocka_unit_test(components_are_eigenvectors_of_one_sign),
        cmocka_unit_test(wrong_fits_are_refused),
        cmocka_unit_test(data_without_variance_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
