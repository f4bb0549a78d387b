/* Weights: symmetric, doubly stochastic, positive where they must be; and the caller's own, checked. */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "graph/graph.h"

static em_graph *make(const char *spec, int nodes)
{
    em_error err = {0};
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, spec, nodes, 2, &err), &err);
    return graph;
}

static const struct {
    const char *spec;
    int nodes;
} graphs[] = {{"er:0.3", 24},           {"cycle", 24},       {"star", 24},      {"path", 24},
              {"complete", 24},         {"grid:4x6", 24},    {"torus:4x6", 24}, {"regular:5", 24},
              {"smallworld:4:0.2", 24}, {"scalefree:2", 24}, {"path", 1},       {"cycle", 2}};
static const char *const rules[] = {"metropolis", "maxdegree", "lazy"};

/* What the rule says w_ij is, for neighbours. */
static double wanted_weight(const em_graph *graph, int rule, int i, int j)
{
    int di = emi_graph_degree(graph, i), dj = emi_graph_degree(graph, j), most = 0;
    for (int k = 0; k < graph->nodes; k++) most = emi_graph_degree(graph, k) > most ? emi_graph_degree(graph, k) : most;
    double metropolis = 1.0 / (1 + (di > dj ? di : dj));
    return rule == 0 ? metropolis : rule == 1 ? 1.0 / (1 + most) : metropolis / 2;
}

static int are_neighbours(const em_graph *graph, int i, int j)
{
    for (size_t k = 0; k < em_graph_edges(graph); k++) {
        int a, b;
        em_graph_edge(graph, k, &a, &b);
        if ((a == i && b == j) || (a == j && b == i)) return 1;
    }
    return 0;
}

static void every_rule_on_every_topology(void **state)
{
    (void)state;
    em_error err = {0};
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++)
        for (int rule = 0; rule < 3; rule++) {
            em_graph *graph = make(graphs[g].spec, graphs[g].nodes);
            assert_ok(em_graph_set_weights(graph, rules[rule], &err), &err);
            for (int i = 0; i < graph->nodes; i++) {
                double sum = 0;
                for (int j = 0; j < graph->nodes; j++) {
                    double w = em_graph_weight(graph, i, j);
                    sum += w;
                    assert_true(w == em_graph_weight(graph, j, i));
                    if (i == j)
                        assert_true(w > 0 && w <= 1);
                    else
                        assert_close(w, are_neighbours(graph, i, j) ? wanted_weight(graph, rule, i, j) : 0, 1e-16);
                }
                assert_close(sum, 1, 1e-15);
            }
            em_graph_free(&graph);
        }
}

static void lazy_is_halfway_to_the_identity(void **state)
{
    (void)state;
    em_error err = {0};
    em_graph *plain = make("star", 9), *lazy = make("star", 9);
    assert_ok(em_graph_set_weights(lazy, "lazy", &err), &err);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            assert_close(em_graph_weight(lazy, i, j), (em_graph_weight(plain, i, j) + (i == j)) / 2, 1e-15);
    em_graph_free(&plain);
    em_graph_free(&lazy);
}

static void weights_outside_are_zero(void **state)
{
    (void)state;
    em_graph *graph = make("path", 4);
    assert_true(em_graph_weight(graph, 0, 3) == 0);
    assert_true(em_graph_weight(graph, 3, 0) == 0);
    assert_true(em_graph_weight(graph, -1, 0) == 0);
    assert_true(em_graph_weight(graph, 0, 4) == 0);
    em_graph_free(&graph);
}

static void mixing_is_multiplying_by_W(void **state)
{
    (void)state;
    em_graph *graph = make("scalefree:2", 24);
    double v[24], z[24];
    for (int i = 0; i < 24; i++) v[i] = sin(1 + i * i);
    emi_graph_mix_vector(graph, v, z);
    for (int i = 0; i < 24; i++) {
        double sum = 0;
        for (int j = 0; j < 24; j++) sum += em_graph_weight(graph, i, j) * v[j];
        assert_close(z[i], sum, 1e-15);
    }
    em_graph_free(&graph);
}

/* A path of three nodes, and the one entry (with its mirror image, if asked for) that a case spoils. */
static void wrong_matrices(void **state)
{
    (void)state;
    static const double right[9] = {0.5, 0.5, 0, 0.5, 0.25, 0.25, 0, 0.25, 0.75};
    const struct {
        int i, j, mirrored;
        double value;
        const char *words;
    } wrong[] = {
        {1, 2, 1, NAN, "weights: W[1, 2] = nan is not finite"},
        {0, 0, 0, INFINITY, "weights: W[0, 0] = inf is not finite"},
        {0, 2, 1, 0.1, "weights: W[0, 2] = 0.1, but the graph has no such edge; try 0 there"},
        {0, 1, 1, 0, "weights: W[0, 1] = 0 is not positive; try a weight above 0 on every edge"},
        {1, 2, 1, -0.25, "weights: W[1, 2] = -0.25 is not positive"},
        {1, 1, 0, 0, "weights: W[1, 1] = 0 is not positive; try a weight above 0 on the diagonal"},
        {0, 0, 0, 1.5, "weights: W[0, 0] = 1.5 is over 1"},
        {2, 1, 0, 0.25 + 1e-10, "weights: W[2, 1] = 0.2500000001"},
        {2, 1, 0, 0.375, "weights: W[2, 1] = 0.375 but W[1, 2] = 0.25; try a symmetric matrix"},
        {2, 2, 0, 0.875, "weights: row 2 of W sums to 1.125; try W[2, 2] = 1 - the rest of the row"},
        {2, 2, 0, 0.75 + 1e-8, "weights: row 2 of W sums to 1.00000001"},
    };
    em_error err = {0};
    em_graph *graph = make("path", 3);
    double W[9];
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        memcpy(W, right, sizeof W);
        W[3 * wrong[k].i + wrong[k].j] = wrong[k].value;
        if (wrong[k].mirrored) W[3 * wrong[k].j + wrong[k].i] = wrong[k].value;
        assert_fails(em_graph_set_weight_matrix(graph, W, &err), EM_EINVAL, wrong[k].words, &err);
        assert_close(em_graph_weight(graph, 0, 1), 1.0 / 3, 1e-15); /* what was there stays */
    }
    memcpy(W, right, sizeof W);
    W[8] += 1e-11; /* rounding of what came out of a file is forgiven */
    W[1] *= 1 + 1e-14;
    assert_ok(em_graph_set_weight_matrix(graph, W, &err), &err);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_close(em_graph_weight(graph, i, j), right[3 * i + j], 1e-10);
            assert_true(em_graph_weight(graph, i, j) == em_graph_weight(graph, j, i));
        }
    assert_fails(em_graph_set_weights(graph, "best", &err), EM_EINVAL,
                 "weights best: no such rule; try metropolis, maxdegree or lazy", &err);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_on_every_topology),
        cmocka_unit_test(lazy_is_halfway_to_the_identity),
        cmocka_unit_test(weights_outside_are_zero),
        cmocka_unit_test(mixing_is_multiplying_by_W),
        cmocka_unit_test(wrong_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
