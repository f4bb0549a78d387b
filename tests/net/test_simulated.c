/* Masks in one process: the same answer as without, whatever the seed, the network and the number of threads. */
#include "support/check.h"

#include <eigenmesh/net.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 6, ROWS = 40, D = 24, K = 4 };

static em_error err;
static double rows[NODES][ROWS * D];

static void draw_rows(void)
{
    for (int node = 0; node < NODES; node++)
        for (int n = 0; n < ROWS * D; n++)
            rows[node][n] = 5 + sin(0.37 * n * n + node) * (1 + n % D) + 0.3 * node * (n % 3);
}

/* seed 0: without masks */
static em_model *fit(const char *network, int threads, uint64_t seed, const char *method)
{
    em_data *data[NODES];
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    em_options *options;
    em_model *model = NULL;
    for (int n = 0; n < NODES; n++)
        assert_ok(em_data_from_array(&data[n], rows[n], EM_F64, (size_t)(ROWS - n), D, 0, 0, &err), &err);
    assert_ok(em_shards_of(&shards, (const em_data *const *)data, NODES, &err), &err);
    assert_ok(em_graph_create(&graph, network, NODES, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, "local", graph, threads, &err), &err);
    if (seed) assert_ok(em_mesh_simulate_masks(mesh, seed, &err), &err);
    assert_ok(em_options_create(&options, &err), &err);
    assert_ok(em_options_set(options, "components", "4", &err), &err);
    assert_ok(em_options_set(options, "tolerance", "1e-11", &err), &err);
    assert_ok(em_options_set(options, "method", method, &err), &err);
    assert_ok(em_fit(&model, options, mesh, shards, &err), &err);
    em_options_free(&options);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    for (int n = 0; n < NODES; n++) em_data_free(&data[n]);
    return model;
}

static void are_near(const em_model *a, const em_model *b)
{
    for (int f = 0; f < D; f++) assert_close(em_model_mean(a)[f], em_model_mean(b)[f], 1e-13);
    for (int k = 0; k < K; k++) {
        double product = 0, variance = em_model_explained_variance(b)[k];
        assert_close(em_model_explained_variance(a)[k] / variance, 1, 1e-12);
        for (int f = 0; f < D; f++) product += em_model_components(a)[k * D + f] * em_model_components(b)[k * D + f];
        assert_close(fabs(product), 1, 1e-12);
    }
}

static void the_same_answer(void **state)
{
    static const struct {
        const char *network, *method;
    } cases[] = {{"path", "krylov"}, {"star", "krylov"}, {"complete", "auto"}, {"cycle", "covariance"}};
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        em_model *plain = fit(cases[n].network, 1, 0, cases[n].method);
        em_model *one = fit(cases[n].network, 1, 7, cases[n].method);
        em_model *threads = fit(cases[n].network, 3, 7, cases[n].method);
        em_model *other = fit(cases[n].network, 1, 8, cases[n].method);
        are_near(one, plain);
        are_near(other, plain);
        assert_memory_equal(em_model_components(one), em_model_components(threads), K * D * sizeof(double));
        em_model_free(&other);
        em_model_free(&threads);
        em_model_free(&one);
        em_model_free(&plain);
    }
}

static void what_is_refused(void **state)
{
    em_graph *graph;
    em_mesh *mesh;
    (void)state;
    assert_ok(em_graph_create(&graph, "path", 2, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, "local", graph, 1, &err), &err);
    assert_fails(em_mesh_simulate_masks(mesh, 1, &err), EM_EINVAL, "by subtraction; try three or more", &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    assert_ok(em_graph_create(&graph, "path", 3, 1, &err), &err);
    assert_ok(em_mesh_open(&mesh, "local", graph, 1, &err), &err);
    assert_ok(em_mesh_simulate_masks(mesh, 1, &err), &err);
    assert_fails(em_mesh_simulate_masks(mesh, 1, &err), EM_EINVAL, "has some already", &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_answer), cmocka_unit_test(what_is_refused)};
    draw_rows();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
