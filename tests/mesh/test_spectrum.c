/* What the nodes estimate of the spectrum of W, against a dense eigensolve. */
#include "linalg/block.h"
#include "support/check.h"
#include "support/topologies.h"

#include <stdlib.h>

static double exact_lowest(const em_graph *graph)
{
    int M = em_graph_nodes(graph);
    size_t size = (size_t)M * (size_t)M;
    double *minus_W = malloc(size * sizeof *minus_W), *vector = malloc((size_t)M * sizeof *vector), value = 0;
    em_error err = {0};
    assert_true(minus_W && vector);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) minus_W[i * M + j] = -em_graph_weight(graph, i, j);
    assert_ok(emi_top_eigen(minus_W, M, 1, &value, vector, &err), &err);
    free(vector);
    free(minus_W);
    return -value;
}

/* Lambda_min never below the truth but for rounding.  The automatic step grows with 1 + lambda and keeps a tenth in
 * reserve, so that is how far the estimate may be off.  Beta never above the truth; where the network mixes well, its
 * distance from 1, which gossip lives by, within half. */
static void check_estimate(em_mesh *mesh)
{
    double lowest = -2, beta = -2;
    em_graph_info info;
    em_error err = {0};
    mesh->phase = EM_SETUP;
    assert_ok(emi_mesh_spectrum(mesh, &lowest, &beta, &err), &err);
    if (em_mesh_nodes(mesh) == 1) {
        assert_int_equal(mesh->count[EM_SETUP].messages, 0);
        assert_true(beta == 0);
        return;
    }
    double exact = exact_lowest(mesh->graph);
    assert_true(lowest >= exact - 1e-12);
    assert_true(0.9 * (1 + lowest) < 1 + exact);
    assert_ok(em_graph_measure(mesh->graph, &info, &err), &err);
    assert_true(beta >= 0 && beta <= info.beta + 1e-9);
    if (info.beta < 0.95) assert_true(1 - beta <= 1.5 * (1 - info.beta));
}

/* One mix makes everyone agree: beta is not merely small. */
static void nothing_is_left_on_a_complete_graph(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 6, 20, 50};
    for (int n = 0; n < 5; n++) {
        em_graph *graph = NULL;
        em_mesh *mesh = NULL;
        em_error err = {0};
        double lowest, beta = -1;
        assert_ok(em_graph_create(&graph, "complete", sizes[n], 0, &err), &err);
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        assert_ok(emi_mesh_spectrum(mesh, &lowest, &beta, &err), &err);
        assert_true(beta == 0);
        assert_close(lowest, 0, 1e-12);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
    }
}

static void close_on_every_topology(void **state)
{
    (void)state;
    on_every_topology(check_estimate);
}

static void close_on_larger_networks(void **state)
{
    (void)state;
    const char *const specs[] = {"er:0.1",     "cycle",       "path",      "star",
                                 "grid:10x10", "torus:10x10", "regular:3", "scalefree:2"};
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++) {
        em_graph *graph = NULL;
        em_mesh *mesh = NULL;
        em_error err = {0};
        assert_ok(em_graph_create(&graph, specs[n], 100, 3, &err), &err);
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        check_estimate(mesh);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(close_on_every_topology),
                                       cmocka_unit_test(close_on_larger_networks),
                                       cmocka_unit_test(nothing_is_left_on_a_complete_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
