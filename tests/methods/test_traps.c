/* Where a method could easily believe that it is done: starts that are eigenvectors already, but not the leading ones;
 * networks that mix slowly under nodes that pull in different directions; problems so small that residuals flatter. */
#include "fit/options.h"
#include "support/check.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>

typedef struct outcome {
    em_reason reason;
    double worst; /* sin^2 of the worst component */
} outcome;

/* Fit rows[N * d], compare with LAPACK on all of them. */
static outcome fit(const double *rows, size_t N, int d, const em_options *options, int nodes, const char *topology)
{
    em_error err;
    em_data *data;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    em_model *model;
    double *values = malloc(sizeof *values * (size_t)d), *vectors = malloc(sizeof *vectors * (size_t)d * (size_t)d);
    assert_true(values && vectors);
    truth_pca(rows, N, d, values, vectors);
    assert_ok(em_data_from_array(&data, rows, EM_F64, N, (size_t)d, 0, 0, &err), &err);
    assert_ok(em_shards_split(&shards, data, nodes, NULL, 0, &err), &err);
    assert_ok(em_graph_create(&graph, topology, nodes, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 2, &err), &err);
    assert_ok(em_fit(&model, options, mesh, shards, &err), &err);
    outcome result = {em_model_info(model)->reason, 0};
    for (int k = 0; k < options->components; k++)
        result.worst = fmax(result.worst, truth_sin2(em_model_components(model) + k * d, vectors + k * d, d));
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    free(vectors);
    free(values);
    return result;
}

static em_options options_for(const char *method, int K, double tolerance)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = tolerance;
    return options;
}

static void a_start_in_the_wrong_subspace(void **state)
{
    (void)state;
    enum { N = 400, D = 12, K = 3, WRONG = 5 };
    static const double spectrum[D] = {4, 2.4, 1.4, 0.8, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05};
    double *rows = truth_rows(N, D, spectrum, 5), values[D], vectors[D * D], start[D * K];
    truth_pca(rows, N, D, values, vectors);
    for (int f = 0; f < D; f++)
        for (int k = 0; k < K; k++) start[f * K + k] = vectors[(WRONG + k) * D + f];
    for (int oversample = -1; oversample < 2; oversample++) {
        em_options options = options_for("krylov", K, 1e-9);
        options.init = start;
        options.oversample = oversample;
        outcome found = fit(rows, N, D, &options, 4, "cycle");
        assert_int_equal(found.reason, EM_CONVERGED);
        assert_true(found.worst < 1e-10);
    }
    free(rows);
}

/* Each of ten nodes holds a class of its own. */
static void slow_networks_and_sorted_rows(void **state)
{
    (void)state;
    enum { EACH = 30, NODES = 10, N = EACH * NODES, D = 12, K = 3 };
    static const double spectrum[D] = {2, 1.8, 1.6, 1.4, 1.2, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4};
    static const char *const topologies[] = {"er:0.5", "star", "cycle", "path"};
    double *rows = truth_rows(N, D, spectrum, 9);
    for (int r = 0; r < N; r++) rows[r * D + r / EACH] += 12 + 3 * r / EACH;
    for (int t = 0; t < 4; t++) {
        em_options deepca = options_for("deepca", K, 1e-6), fastpca = options_for("fastpca", K, 1e-6);
        const em_options *both[] = {&deepca, &fastpca};
        for (int m = 0; m < 2; m++) {
            outcome found = fit(rows, N, D, both[m], NODES, topologies[t]);
            if (found.reason != EM_CONVERGED || found.worst > 1e-6)
                fail_msg("%s on %s: %s, sin^2 = %g", both[m]->method, topologies[t], em_reason_text(found.reason),
                         found.worst);
        }
    }
    free(rows);
}

static void whole_small_spaces(void **state)
{
    (void)state;
    static const double spectrum[3] = {3, 1, 0.2};
    static const char *const methods[] = {"krylov", "covariance", "deepca", "fastpca"};
    for (int d = 2; d <= 3; d++) {
        double *rows = truth_rows(200, d, spectrum, 3);
        for (int m = 0; m < 4; m++) {
            em_options options = options_for(methods[m], d, 1e-9);
            outcome found = fit(rows, 200, d, &options, 5, "er:0.6");
            if (found.reason != EM_CONVERGED || found.worst > 1e-12)
                fail_msg("%s, d = %d: %s, sin^2 = %g", methods[m], d, em_reason_text(found.reason), found.worst);
        }
        free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_in_the_wrong_subspace),
        cmocka_unit_test(slow_networks_and_sorted_rows),
        cmocka_unit_test(whole_small_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
