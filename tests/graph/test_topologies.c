/* Every topology: the edges it should have, by counting and by what defines it. */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

static em_graph *make(const char *spec, int nodes, uint64_t seed)
{
    em_error err = {0};
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, spec, nodes, seed, &err), &err);
    assert_int_equal(em_graph_nodes(graph), nodes);
    return graph;
}

/* Simple and undirected: rows in strictly increasing order, no loops, every edge seen from both ends; edges listed in
 * order and all of them. */
static void check_simple(const em_graph *graph)
{
    size_t edges = em_graph_edges(graph), index = 0;
    for (int i = 0; i < graph->nodes; i++)
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++) {
            int j = graph->neighbour[a], from, to;
            assert_int_not_equal(i, j);
            assert_true(j >= 0 && j < graph->nodes);
            if (a > graph->start[i]) assert_true(graph->neighbour[a - 1] < j);
            assert_true(em_graph_weight(graph, j, i) > 0);
            if (j < i) continue;
            em_graph_edge(graph, index++, &from, &to);
            assert_int_equal(from, i);
            assert_int_equal(to, j);
        }
    assert_int_equal(index, edges);
    assert_int_equal(graph->start[graph->nodes], 2 * edges);
}

/* Connected, by joining the edges' ends until nothing changes: no search of the library's. */
static void check_connected(const em_graph *graph)
{
    int *label = test_malloc((size_t)graph->nodes * sizeof *label);
    for (int i = 0; i < graph->nodes; i++) label[i] = i;
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t k = 0; k < em_graph_edges(graph); k++) {
            int i, j;
            em_graph_edge(graph, k, &i, &j);
            if (label[i] == label[j]) continue;
            label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
            changed = 1;
        }
    }
    for (int i = 0; i < graph->nodes; i++) assert_int_equal(label[i], 0);
    test_free(label);
}

static const struct {
    const char *spec;
    int nodes;
    size_t edges; /* 0: random */
} cases[] = {
    {"complete", 1, 0},
    {"path", 1, 0},
    {"star", 1, 0},
    {"cycle", 1, 0},
    {"er:0.5", 1, 0},
    {"er:0", 1, 0},
    {"grid:1x1", 1, 0},
    {"torus:1x1", 1, 0},
    {"complete", 2, 1},
    {"cycle", 2, 1},
    {"cycle", 3, 3},
    {"cycle", 17, 17},
    {"path", 17, 16},
    {"star", 17, 16},
    {"complete", 17, 136},
    {"er:1", 17, 136},
    {"grid:3x5", 15, 22},
    {"grid:1x7", 7, 6},
    {"grid:7x1", 7, 6},
    {"torus:3x5", 15, 30},
    {"torus:1x2", 2, 1},
    {"torus:2x2", 4, 4},
    {"torus:2x5", 10, 15},
    {"torus:1x5", 5, 5},
    {"torus:5x1", 5, 5},
    {"regular:1", 2, 1},
    {"regular:2", 3, 3},
    {"regular:2", 40, 40},
    {"regular:5", 1000, 2500},
    {"regular:3", 4, 6},
    {"regular:6", 10, 30},
    {"regular:18", 20, 180},
    {"regular:10", 21, 105},
    {"regular:50", 101, 2525},
    {"smallworld:4:0", 30, 60},
    {"smallworld:4:0.3", 30, 60},
    {"smallworld:4:1", 30, 60},
    {"smallworld:4:0.5", 5, 10},
    {"smallworld:6:0.5", 8, 24},
    {"scalefree:1", 50, 49},
    {"scalefree:3", 50, 141},
    {"scalefree:49", 50, 49},
    {"er:0.1", 100, 0},
    {"er:0.0015", 10000, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static void every_topology_is_simple_and_connected(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASES; c++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            em_graph *graph = make(cases[c].spec, cases[c].nodes, seed);
            check_simple(graph);
            check_connected(graph);
            if (cases[c].edges) assert_int_equal(em_graph_edges(graph), cases[c].edges);
            if (cases[c].nodes == 1) assert_int_equal(em_graph_edges(graph), 0);
            em_graph_free(&graph);
            assert_null(graph);
        }
}

static int same_edges(const em_graph *a, const em_graph *b)
{
    return a->edges == b->edges && !memcmp(a->neighbour, b->neighbour, 2 * a->edges * sizeof *a->neighbour) &&
           !memcmp(a->start, b->start, ((size_t)a->nodes + 1) * sizeof *a->start);
}

static void the_seed_decides(void **state)
{
    (void)state;
    const char *specs[] = {"er:0.2", "regular:4", "regular:30", "smallworld:4:0.3", "scalefree:2"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        em_graph *first = make(specs[k], 40, 7), *again = make(specs[k], 40, 7), *other = make(specs[k], 40, 8);
        assert_true(same_edges(first, again));
        assert_false(same_edges(first, other));
        em_graph_free(&first);
        em_graph_free(&again);
        em_graph_free(&other);
    }
}

static void regular_graphs_have_one_degree(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int nodes, degree;
    } wanted[] = {{"regular:5", 1000, 5}, {"regular:4", 9, 4}, {"regular:13", 20, 13}, {"torus:4x6", 24, 4},
                  {"torus:2x6", 12, 3},   {"cycle", 12, 2},    {"complete", 12, 11},   {"smallworld:6:0", 20, 6}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        em_graph *graph = make(wanted[k].spec, wanted[k].nodes, 3);
        for (int i = 0; i < wanted[k].nodes; i++) assert_int_equal(emi_graph_degree(graph, i), wanted[k].degree);
        em_graph_free(&graph);
    }
}

static void fixed_topologies_have_the_edges_of_their_name(void **state)
{
    (void)state;
    em_graph *grid = make("grid:3x4", 12, 0), *torus = make("torus:3x4", 12, 0), *star = make("star", 6, 0);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < i; j++) {
            int rows = i / 4 - j / 4, columns = abs(i % 4 - j % 4);
            int in_grid = rows + columns == 1;
            int in_torus = (!columns && rows) || (!rows && columns % 2);
            assert_int_equal(em_graph_weight(grid, i, j) > 0, in_grid);
            assert_int_equal(em_graph_weight(torus, i, j) > 0, in_torus);
        }
    for (int i = 1; i < 6; i++) {
        assert_int_equal(emi_graph_degree(star, i), 1);
        assert_true(em_graph_weight(star, 0, i) > 0);
    }
    em_graph_free(&grid);
    em_graph_free(&torus);
    em_graph_free(&star);
}

/* The number of edges is binomial; five standard deviations either side. */
static void er_has_the_edges_it_should(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int nodes;
        double P;
    } draws[] = {{"er:0.5", 200, 0.5}, {"er:0.05", 1000, 0.05}, {"er:0.0015", 10000, 0.0015}, {"er:0.97", 300, 0.97}};
    for (size_t k = 0; k < sizeof draws / sizeof *draws; k++) {
        em_graph *graph = make(draws[k].spec, draws[k].nodes, 11);
        double pairs = (double)draws[k].nodes * (draws[k].nodes - 1) / 2, P = draws[k].P;
        assert_true(fabs((double)em_graph_edges(graph) - P * pairs) < 5 * sqrt(pairs * P * (1 - P)));
        em_graph_free(&graph);
    }
}

/* Each single pair, the first and the last among them, is an edge with probability P. */
static void er_treats_all_pairs_alike(void **state)
{
    (void)state;
    enum { DRAWS = 4000, NODES = 8 };
    int met[NODES][NODES] = {{0}};
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        em_graph *graph = make("er:0.7", NODES, seed);
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < i; j++) met[i][j] += em_graph_weight(graph, i, j) > 0;
        em_graph_free(&graph);
    }
    /* Disconnected draws, 1 in 500, are not kept: hence a little over P. */
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < i; j++) assert_true(fabs(met[i][j] / (double)DRAWS - 0.7) < 0.04);
}

/* P = 0 keeps the ring, P = 1 leaves next to nothing of it. */
static void smallworld_rewires(void **state)
{
    (void)state;
    const char *specs[] = {"smallworld:4:0", "smallworld:4:0.25", "smallworld:4:1"};
    const double kept_least[] = {1, 0.70, 0}, kept_most[] = {1, 0.80, 0.05};
    for (int k = 0; k < 3; k++) {
        em_graph *graph = make(specs[k], 1000, 5);
        int kept = 0;
        for (int i = 0; i < 1000; i++)
            kept += (em_graph_weight(graph, i, (i + 1) % 1000) > 0) + (em_graph_weight(graph, i, (i + 2) % 1000) > 0);
        assert_true(kept / 2000.0 >= kept_least[k] && kept / 2000.0 <= kept_most[k]);
        em_graph_free(&graph);
    }
}

/* Newcomers have at least A neighbours; the best known node has far more than in a graph without preference. */
static void scalefree_has_hubs(void **state)
{
    (void)state;
    em_graph *graph = make("scalefree:2", 2000, 1);
    int hub = 0;
    for (int i = 0; i < 2000; i++) {
        int degree = emi_graph_degree(graph, i);
        if (i >= 2) assert_true(degree >= 2);
        if (degree > hub) hub = degree;
    }
    assert_true(hub > 40);
    em_graph_free(&graph);
}

static void edges_of_a_list_come_sorted(void **state)
{
    (void)state;
    static const int list[][2] = {{3, 1}, {0, 3}, {2, 0}, {1, 0}}, wanted[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 3}};
    em_error err;
    em_graph *graph;
    int i, j;
    assert_ok(em_graph_from_edges(&graph, 4, list, 4, &err), &err);
    check_simple(graph);
    for (size_t k = 0; k < 4; k++) {
        em_graph_edge(graph, k, &i, &j);
        assert_int_equal(i, wanted[k][0]);
        assert_int_equal(j, wanted[k][1]);
    }
    em_graph_edge(graph, 4, &i, &j);
    assert_int_equal(i, -1);
    assert_int_equal(j, -1);
    em_graph_free(&graph);

    assert_ok(em_graph_from_edges(&graph, 1, NULL, 0, &err), &err);
    assert_int_equal(em_graph_edges(graph), 0);
    em_graph_free(&graph);
    em_graph_free(&graph);
    em_graph_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_topology_is_simple_and_connected),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(regular_graphs_have_one_degree),
        cmocka_unit_test(fixed_topologies_have_the_edges_of_their_name),
        cmocka_unit_test(er_has_the_edges_it_should),
        cmocka_unit_test(er_treats_all_pairs_alike),
        cmocka_unit_test(smallworld_rewires),
        cmocka_unit_test(scalefree_has_hubs),
        cmocka_unit_test(edges_of_a_list_come_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
