/* Nodes lie apart, on the paper, and as the network is. */
#include "page/layout.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };
static double x[MOST], y[MOST], again_x[MOST], again_y[MOST];

static double between(int i, int j)
{
    return hypot(x[i] - x[j], y[i] - y[j]);
}

static void place(const char *topology, int nodes)
{
    em_error err = {0};
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, topology, nodes, 3, &err), &err);
    assert_ok(emi_layout(graph, 200, 100, x, y, &err), &err);
    assert_ok(emi_layout(graph, 200, 100, again_x, again_y, &err), &err);
    em_graph_free(&graph);
    assert_memory_equal(x, again_x, (size_t)nodes * sizeof *x);
    assert_memory_equal(y, again_y, (size_t)nodes * sizeof *y);
    double least = INFINITY, width = 0, height = 0;
    for (int i = 0; i < nodes; i++) {
        assert_true(x[i] > -1e-9 && x[i] < 200 + 1e-9 && y[i] > -1e-9 && y[i] < 100 + 1e-9);
        for (int j = 0; j < i; j++) {
            least = fmin(least, between(i, j));
            width = fmax(width, fabs(x[i] - x[j]));
            height = fmax(height, fabs(y[i] - y[j]));
        }
    }
    if (nodes > 1 && !(fabs(width - 200) < 1e-6 || fabs(height - 100) < 1e-6))
        fail_msg("%s of %d nodes does not fill the paper: %g x %g", topology, nodes, width, height);
    if (nodes > 1 && least < 0.1) fail_msg("%s of %d nodes: two of them are %g apart", topology, nodes, least);
}

static void every_network_is_spread_over_the_paper(void **state)
{
    (void)state;
    static const char *const topologies[] = {"complete", "cycle", "path", "star", "er:0.4", "scalefree:2"};
    static const int nodes[] = {1, 2, 3, 4, 5, 17, 60};
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++)
        for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++)
            if (!((nodes[n] < 3 && t >= 4) || (nodes[n] < 3 && t == 1))) place(topologies[t], nodes[n]);
    place("grid:20x20", 400);
    place("torus:5x8", 40);
}

/* Neighbours of a ring all have the same distance, and lie in order. */
static void a_ring_is_round(void **state)
{
    (void)state;
    place("cycle", 24);
    for (int i = 1; i < 24; i++) assert_close(between(i, (i + 1) % 24) / between(i - 1, i), 1, 0.2);
    for (int i = 0; i < 12; i++) assert_close(between(i, i + 12) / between(0, 12), 1, 0.1);
}

/* Nodes that are far apart in links are so on the paper: the corners of a grid, and the ends of a path. */
static void a_grid_is_not_folded(void **state)
{
    (void)state;
    place("grid:6x6", 36);
    double longest = 0, edge = 0;
    for (int i = 0; i < 36; i++)
        for (int j = 0; j < i; j++) longest = fmax(longest, between(i, j));
    assert_close(fmax(between(0, 35), between(5, 30)), longest, 0);
    for (int i = 0; i < 36; i++)
        if (i % 6) edge = fmax(edge, between(i, i - 1));
    assert_true(edge < 0.25 * longest);
    place("path", 12);
    for (int i = 2; i < 12; i++) assert_true(between(0, i) > between(0, i - 1));
}

static void the_hub_of_a_star_is_in_the_middle(void **state)
{
    (void)state;
    const int edges[][2] = {{2, 0}, {2, 1}, {3, 2}, {2, 4}, {5, 2}};
    em_graph *graph = NULL;
    em_error err = {0};
    assert_ok(em_graph_from_edges(&graph, 6, edges, 5, &err), &err);
    assert_ok(emi_layout(graph, 100, 100, x, y, &err), &err);
    em_graph_free(&graph);
    for (int i = 0; i < 6; i++)
        if (i != 2) assert_close(between(i, 2) / between(0, 2), 1, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_network_is_spread_over_the_paper),
        cmocka_unit_test(a_ring_is_round),
        cmocka_unit_test(a_grid_is_not_folded),
        cmocka_unit_test(the_hub_of_a_star_is_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
