/* Engines that fail: failures stick, and a fit ends with the engine's own words wherever it happens. */
#include "fit/options.h"
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/faulty_engine.h"
#include "support/matrix.h"
#include "support/network.h"

#include <string.h>

enum { ROWS = 40, COLUMNS = 4, NODES = 5 };

static network open_small(const double *values, int threads)
{
    network net;
    em_error err = {0};
    const network_plan plan = {values, ROWS, COLUMNS, "cycle", NODES, threads};
    assert_ok(network_open(&net, &plan, &err), &err);
    return net;
}

/* After a failure nothing is sent, counted, or overwritten, until the next fit. */
static void failures_stick(void **state)
{
    (void)state;
    static double values[ROWS * COLUMNS];
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    for (long at = 0; at < 2; at++) { /* the begin, then the end, of one mix */
        network net = open_small(values, 1);
        engine_fault fault = {.at = at};
        faulty_engine_install(net.mesh, &fault);
        emi_field X = {0}, Z = {0};
        em_error err = {0};
        double result[1] = {-7};
        assert_ok(emi_field_alloc(&X, NODES, 1, 1, &err), &err);
        assert_ok(emi_field_alloc(&Z, NODES, 1, 1, &err), &err);
        *emi_at(&X, 0).v = 1;
        emi_mix_begin(net.mesh, &X);
        emi_mix_end(net.mesh, &Z);
        assert_true(emi_mesh_failed(net.mesh));
        emi_count sent = net.mesh->count[0];
        long calls = fault.calls;
        emi_mix_begin(net.mesh, &X);
        emi_mix_end(net.mesh, &Z);
        emi_tree_sum(net.mesh, &X, result);
        emi_tree_max(net.mesh, &X, result);
        assert_int_equal(fault.calls, calls);
        assert_memory_equal(&net.mesh->count[0], &sent, sizeof sent);
        assert_true(*emi_at(&Z, 0).v == 0 && *emi_at(&Z, 1).v == 0);
        assert_int_equal(net.mesh->failure.code, EM_ENET);
        assert_int_equal(net.mesh->failure.node, 1);
        double lowest, beta;
        assert_fails(emi_mesh_spectrum(net.mesh, &lowest, &beta, &err), EM_ENET, "lost in call", &err);
        emi_field_free(&X);
        emi_field_free(&Z);
        network_close(&net);
    }
}

static em_options options_for(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = 2;
    options.iterations = 6;
    options.tolerance = 0;
    options.trace = 1;
    options.truth_compute = 1;
    options.scale = EMI_SCALE_STD;
    return options;
}

/* The n-th call fails, for every n until the fit is too short to notice.  Returns how many calls it makes. */
static long fail_everywhere(const em_options *options, int threads)
{
    static double values[ROWS * COLUMNS], sound[2 * COLUMNS];
    matrix_fill_table(values, ROWS, COLUMNS, 2);
    network net = open_small(values, threads);
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(em_fit(&model, options, net.mesh, net.shards, &err), &err);
    assert_int_equal(em_model_components_count(model), 2);
    memcpy(sound, em_model_components(model), sizeof sound);
    em_model_free(&model);
    em_status status = EM_ENET;
    long n = 0;
    for (; status != EM_OK; n++) {
        engine_fault fault = {.at = n};
        faulty_engine_install(net.mesh, &fault);
        err = (em_error){0};
        status = em_fit(&model, options, net.mesh, net.shards, &err);
        if (status == EM_OK) break;
        assert_fails(status, EM_ENET, "node 1: lost in call ", &err);
        assert_int_equal(err.node, 1);
        assert_null(model);
        assert_int_equal(fault.calls, n + 1); /* and nothing was tried after it */
    }
    assert_memory_equal(em_model_components(model), sound, sizeof sound); /* the failures before left no trace */
    em_model_free(&model);
    network_close(&net);
    return n;
}

static void a_fit_ends_wherever_it_fails(void **state)
{
    (void)state;
    for (int m = 0; em_method(m); m++) {
        if (em_method(m)->single_node) continue;
        em_options options = options_for(em_method(m)->name);
        assert_true(fail_everywhere(&options, 1) > 50);
    }
}

/* Where a method breaks down auto tries another; a lost neighbour is no reason to. */
static void auto_and_fractions_end_too(void **state)
{
    (void)state;
    em_options options = options_for("auto");
    assert_true(fail_everywhere(&options, 1) > 50);
    options.components = 0;
    options.variance = 0.6; /* two of the four columns */
    assert_true(fail_everywhere(&options, 1) > 50);
}

static void with_threads_and_spectral_scale_too(void **state)
{
    (void)state;
    em_options options = options_for("dsa");
    options.scale = EMI_SCALE_SPECTRAL;
    assert_true(fail_everywhere(&options, 2) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_stick),
        cmocka_unit_test(a_fit_ends_wherever_it_fails),
        cmocka_unit_test(auto_and_fractions_end_too),
        cmocka_unit_test(with_threads_and_spectral_scale_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
