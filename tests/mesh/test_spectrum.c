/* What the nodes find of the spectrum of W, against a dense eigensolve. */
#include "support/check.h"
#include "support/topologies.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

/* W's lowest eigenvalue, and the size of the largest but for lambda_1 = 1. */
static void exact_spectrum(const em_graph *graph, double *lowest, double *beta)
{
    int M = em_graph_nodes(graph);
    double *W = malloc((size_t)M * (size_t)M * sizeof *W), *lambda = malloc((size_t)M * sizeof *lambda);
    assert_true(W && lambda);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) W[i * M + j] = em_graph_weight(graph, i, j);
    assert_int_equal(LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'N', 'U', M, W, M, lambda), 0);
    *lowest = lambda[0];
    *beta = fmax(fabs(lambda[0]), fabs(lambda[M - 2]));
    free(lambda);
    free(W);
}

/* Within a tenth of the distances that count: the step is as 1 + lambda_min, gossip lives by 1 - beta.  Never outside
 * the truth but for rounding. */
static void check_against(em_mesh *mesh, double exact_lowest, double exact_beta)
{
    double lowest = -2, beta = -2;
    em_error err = {0};
    mesh->phase = EM_SETUP;
    assert_ok(emi_mesh_spectrum(mesh, &lowest, &beta, &err), &err);
    assert_true(lowest >= exact_lowest - 1e-12);
    assert_true(0.9 * (1 + lowest) < 1 + exact_lowest);
    assert_true(beta >= 0 && beta <= exact_beta + 1e-12);
    assert_true(0.9 * (1 - beta) < 1 - exact_beta);
}

static void check_found(em_mesh *mesh)
{
    double lowest, beta;
    em_error err = {0};
    if (em_mesh_nodes(mesh) == 1) {
        mesh->phase = EM_SETUP;
        assert_ok(emi_mesh_spectrum(mesh, &lowest, &beta, &err), &err);
        assert_int_equal(mesh->count[EM_SETUP].messages, 0);
        assert_true(beta == 0);
        return;
    }
    exact_spectrum(mesh->graph, &lowest, &beta);
    check_against(mesh, lowest, beta);
}

/* W = (1 - share) I + share W, as a user may set it. */
static void keep_to_oneself(em_graph *graph, double share)
{
    em_error err = {0};
    int M = em_graph_nodes(graph);
    double *W = malloc((size_t)M * (size_t)M * sizeof *W);
    assert_non_null(W);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) W[i * M + j] = share * em_graph_weight(graph, i, j) + (i == j ? 1 - share : 0);
    assert_ok(em_graph_set_weight_matrix(graph, W, &err), &err);
    free(W);
}

typedef struct network {
    const char *spec;
    int nodes;
    uint64_t seed;
    const char *rule; /* NULL: Metropolis                       */
    double share;     /* of a round that is not for oneself; 0: as the rule has it */
} network;

static em_graph *make(const network *n)
{
    em_graph *graph = NULL;
    em_error err = {0};
    assert_ok(em_graph_create(&graph, n->spec, n->nodes, n->seed, &err), &err);
    if (n->rule) assert_ok(em_graph_set_weights(graph, n->rule, &err), &err);
    if (n->share > 0) keep_to_oneself(graph, n->share);
    return graph;
}

static void check_network(const network *n)
{
    em_graph *graph = make(n);
    em_mesh *mesh = NULL;
    em_error err = {0};
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    check_found(mesh);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

static void close_on_every_topology(void **state)
{
    (void)state;
    on_every_topology(check_found);
}

static void close_on_slow_networks(void **state)
{
    (void)state;
    static const network networks[] = {
        {.spec = "cycle", .nodes = 100}, {.spec = "cycle", .nodes = 200},       {.spec = "path", .nodes = 100},
        {.spec = "path", .nodes = 200},  {.spec = "grid:10x20", .nodes = 200},  {.spec = "grid:25x40", .nodes = 1000},
        {.spec = "star", .nodes = 200},  {.spec = "torus:10x10", .nodes = 100}, {.spec = "scalefree:1", .nodes = 200}};
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) check_network(&networks[n]);
}

/* Known in closed form: lambda_a = 1 - 2 (1 - cos(turn a)) / 3, a = 1 .. last. */
static void close_on_a_thousand_nodes_in_a_row(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const struct {
        const char *spec;
        double turn;
        int last;
    } rows[] = {{"path", pi / 1000, 999}, {"cycle", 2 * pi / 1000, 500}};
    for (int n = 0; n < 2; n++) {
        em_graph *graph = make(&(network){.spec = rows[n].spec, .nodes = 1000});
        em_mesh *mesh = NULL;
        em_error err = {0};
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        check_against(mesh, 1 - 2 * (1 - cos(rows[n].turn * rows[n].last)) / 3, 1 - 2 * (1 - cos(rows[n].turn)) / 3);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
    }
}

/* A start may happen to be poor in the very vector that is looked for: no lucky draw. */
static void close_on_random_graphs(void **state)
{
    (void)state;
    const char *const specs[] = {"er:0.1",      "regular:3",        "scalefree:1",
                                 "scalefree:2", "smallworld:2:0.1", "smallworld:4:0.1"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (uint64_t seed = 1; seed <= 20; seed++) check_network(&(network){specs[s], 100, seed, NULL, 0});
}

static void close_with_other_weights(void **state)
{
    (void)state;
    const char *const specs[] = {"complete", "cycle", "path", "star", "grid:5x20", "er:0.1"};
    const double shares[] = {0.01, 0.001, 1e-6};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        check_network(&(network){specs[s], 100, 3, "lazy", 0});
        check_network(&(network){specs[s], 100, 3, "maxdegree", 0});
        for (int a = 0; a < 3; a++) check_network(&(network){specs[s], 100, 3, NULL, shares[a]});
    }
    for (int a = 0; a < 3; a++) check_network(&(network){"path", 2, 0, NULL, shares[a]});
}

/* Nearly nothing is kept: lambda_min is as near to -1 as beta is elsewhere to 1. */
static void close_where_neighbours_swap(void **state)
{
    (void)state;
    static const double swap[4] = {1e-3, 1 - 1e-3, 1 - 1e-3, 1e-3};
    em_error err = {0};
    em_graph *graph = make(&(network){.spec = "path", .nodes = 2});
    em_mesh *mesh = NULL;
    assert_ok(em_graph_set_weight_matrix(graph, swap, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    check_found(mesh);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

/* One mix makes everyone agree: beta is not merely small. */
static void nothing_is_left_on_a_complete_graph(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 6, 20, 50, 500};
    for (int n = 0; n < 6; n++) {
        em_graph *graph = make(&(network){.spec = "complete", .nodes = sizes[n]});
        em_mesh *mesh = NULL;
        em_error err = {0};
        double lowest, beta = -1;
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        assert_ok(emi_mesh_spectrum(mesh, &lowest, &beta, &err), &err);
        assert_true(beta == 0);
        assert_close(lowest, 0, 1e-12);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
    }
}

/* Where few eigenvalues differ, few steps tell all; elsewhere not more than a path needs. */
static void as_few_steps_as_needed(void **state)
{
    (void)state;
    const struct {
        network of;
        int most;
    } cases[] = {{{.spec = "complete", .nodes = 50}, 2},
                 {{.spec = "star", .nodes = 100}, 3},
                 {{.spec = "er:0.5", .nodes = 20, .seed = 1}, 30},
                 {{.spec = "path", .nodes = 200}, 400}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        em_graph *graph = make(&cases[n].of);
        em_mesh *mesh = NULL;
        em_error err = {0};
        double lowest, beta;
        assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
        mesh->phase = EM_SETUP;
        uint64_t before = mesh->count[EM_SETUP].rounds, depth = (uint64_t)mesh->tree.depth;
        assert_ok(emi_mesh_spectrum(mesh, &lowest, &beta, &err), &err);
        uint64_t rounds = mesh->count[EM_SETUP].rounds - before, a_step = 1 + 2 * depth;
        assert_true(rounds <= 2 * depth + a_step * (uint64_t)cases[n].most);
        em_mesh_close(&mesh);
        em_graph_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(close_on_every_topology),
                                       cmocka_unit_test(close_on_slow_networks),
                                       cmocka_unit_test(close_on_a_thousand_nodes_in_a_row),
                                       cmocka_unit_test(close_on_random_graphs),
                                       cmocka_unit_test(close_with_other_weights),
                                       cmocka_unit_test(close_where_neighbours_swap),
                                       cmocka_unit_test(nothing_is_left_on_a_complete_graph),
                                       cmocka_unit_test(as_few_steps_as_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
