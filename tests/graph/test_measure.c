/* What is measured of a graph, against closed forms and against computations that share nothing with the library. */
#include "support/check.h"

#include <lapacke.h>
#include <math.h>

#include "graph/graph.h"
#include "graph/spectrum.h"

static const double pi = 3.14159265358979323846;

static em_graph *make(const char *spec, int nodes, const char *rule)
{
    em_error err = {0};
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, spec, nodes, 4, &err), &err);
    assert_ok(em_graph_set_weights(graph, rule, &err), &err);
    return graph;
}

static em_graph_info measure(const char *spec, int nodes, const char *rule)
{
    em_error err = {0};
    em_graph_info info = {.size = sizeof info};
    em_graph *graph = make(spec, nodes, rule);
    assert_ok(em_graph_measure(graph, &info, &err), &err);
    em_graph_free(&graph);
    assert_int_equal(info.nodes, nodes);
    return info;
}

/* All eigenvalues of W itself, the 1 included; the second largest in size is beta. */
static double beta_of_matrix(const em_graph *graph)
{
    int n = graph->nodes;
    double *W = test_malloc((size_t)n * (size_t)n * sizeof *W), *lambda = test_malloc((size_t)n * sizeof *lambda);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) W[i * n + j] = em_graph_weight(graph, i, j);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, W, n, lambda), 0);
    assert_close(lambda[n - 1], 1, 1e-13);
    double beta = fmax(fabs(lambda[0]), fabs(lambda[n - 2]));
    test_free(W);
    test_free(lambda);
    return beta;
}

/* A cycle: lambda_a = (1 + 2 cos(2 pi a / M)) / 3; the smallest is about -1/3. */
static void cycles(void **state)
{
    (void)state;
    const int sizes[] = {4, 5, 30, 31, 499, 3001};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int M = sizes[k];
        em_graph_info info = measure("cycle", M, "metropolis");
        double gap = 2 * (1 - cos(2 * pi / M)) / 3, wanted = fmax(1 - gap, 1.0 / 3 * (M % 2 == 0));
        assert_close((1 - info.beta) / (1 - wanted), 1, 1e-8);
        assert_int_equal(info.diameter, M / 2);
        assert_int_equal(info.tree_depth, M / 2);
        assert_int_equal(info.degree_min, 2);
        assert_int_equal(info.degree_max, 2);
        assert_close(info.degree_mean, 2, 0);
        assert_close(info.min_self_weight, 1.0 / 3, 1e-15);
        assert_int_equal(info.edges, M);
        assert_true(pow(wanted, (double)info.rounds_to_1e6) <= 1e-6 * (1 + 1e-6));
        assert_true(pow(wanted, (double)info.rounds_to_1e6 - 1) > 1e-6 * (1 - 1e-6));
    }
}

/* A path with Metropolis weights: 1/3 between neighbours, 2/3 at the ends; lambda_a = 1 - 2 (1 - cos(pi a / M)) / 3. */
static void paths(void **state)
{
    (void)state;
    const int sizes[] = {3, 10, 500, 2000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int M = sizes[k];
        em_graph_info info = measure("path", M, "metropolis");
        assert_close((1 - info.beta) / (2 * (1 - cos(pi / M)) / 3), 1, 1e-6);
        assert_int_equal(info.diameter, M - 1);
        assert_int_equal(info.tree_depth, M - 1);
        assert_int_equal(info.degree_min, 1);
        assert_int_equal(info.degree_max, 2);
    }
}

/* A star: 1/M on every edge, so the leaves' differences shrink by 1 - 1/M, and the centre keeps 1/M. */
static void stars(void **state)
{
    (void)state;
    const int sizes[] = {3, 10, 400, 3000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int M = sizes[k];
        em_graph_info info = measure("star", M, "metropolis");
        assert_close((1 - info.beta) * M, 1, 1e-9);
        assert_close(info.min_self_weight, 1.0 / M, 1e-12);
        assert_int_equal(info.diameter, 2);
        assert_int_equal(info.tree_depth, 1);
        assert_int_equal(info.degree_max, M - 1);
    }
}

/* W = J/M averages at once. */
static void complete_graphs(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 50, 500, 900};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        em_graph_info info = measure("complete", sizes[k], "metropolis");
        assert_true(info.beta == 0);
        assert_int_equal(info.rounds_to_1e6, 1);
        assert_int_equal(info.diameter, 1);
        em_graph_info lazy = measure("complete", sizes[k], "lazy");
        assert_close(lazy.beta, 0.5, 1e-13);
        assert_int_equal(lazy.rounds_to_1e6, 20);
    }
}

static void one_node(void **state)
{
    (void)state;
    em_graph_info info = measure("complete", 1, "metropolis");
    assert_int_equal(info.edges, 0);
    assert_int_equal(info.degree_max, 0);
    assert_close(info.degree_mean, 0, 0);
    assert_int_equal(info.diameter, 0);
    assert_int_equal(info.tree_depth, 0);
    assert_true(info.beta == 0);
    assert_int_equal(info.rounds_to_1e6, 0);
    assert_true(info.min_self_weight == 1);
}

/* A torus: lambda = (1 + 2 cos(2 pi a / R) + 2 cos(2 pi b / C)) / 5. */
static void tori(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int rows, columns;
    } sizes[] = {{"torus:3x4", 3, 4}, {"torus:10x12", 10, 12}, {"torus:30x40", 30, 40}, {"torus:100x100", 100, 100}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int R = sizes[k].rows, C = sizes[k].columns;
        double beta = 0;
        for (int a = 0; a < R; a++)
            for (int b = 0; b < C; b++)
                if (a || b) beta = fmax(beta, fabs(1 + 2 * cos(2 * pi * a / R) + 2 * cos(2 * pi * b / C)) / 5);
        em_graph_info info = measure(sizes[k].spec, R * C, "metropolis");
        assert_close((1 - info.beta) / (1 - beta), 1, 1e-8);
        assert_int_equal(info.diameter, R / 2 + C / 2);
        assert_int_equal(info.edges, 2 * R * C);
    }
}

static void random_graphs_against_LAPACK(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int nodes;
    } graphs[] = {{"er:0.2", 60},       {"er:0.02", 520},           {"regular:3", 200},
                  {"regular:40", 60},   {"grid:6x9", 54},           {"smallworld:4:0.1", 600},
                  {"scalefree:2", 550}, {"scalefree:1", 300},       {"cycle", 2},
                  {"star", 501},        {"smallworld:2:0.01", 501}, {"path", 501}};
    const char *rules[] = {"metropolis", "maxdegree", "lazy"};
    em_error err = {0};
    for (size_t k = 0; k < sizeof graphs / sizeof *graphs; k++)
        for (int rule = 0; rule < 3; rule++) {
            em_graph *graph = make(graphs[k].spec, graphs[k].nodes, rules[rule]);
            double wanted = beta_of_matrix(graph), dense, sparse, chosen;
            assert_ok(emi_beta_dense(graph, &dense, &err), &err);
            assert_ok(emi_beta_sparse(graph, &sparse, &err), &err);
            assert_ok(emi_graph_beta(graph, &chosen, &err), &err);
            assert_close((1 - dense) / (1 - wanted), 1, 1e-8);
            assert_close((1 - sparse) / (1 - wanted), 1, 1e-8);
            assert_true(chosen == (graphs[k].nodes <= 500 ? dense : sparse) || chosen == 0);
            em_graph_free(&graph);
        }
}

/* Here -1 is nearer than 1: two nodes that all but swap their numbers. */
static void the_lower_end_counts(void **state)
{
    (void)state;
    static const double swap[4] = {0.01, 0.99, 0.99, 0.01};
    em_error err = {0};
    em_graph_info info = {.size = sizeof info};
    em_graph *graph = make("path", 2, "metropolis");
    assert_ok(em_graph_set_weight_matrix(graph, swap, &err), &err);
    assert_ok(em_graph_measure(graph, &info, &err), &err);
    assert_close(info.beta, 0.98, 1e-14);
    assert_int_equal(info.rounds_to_1e6, 684);
    assert_close(info.min_self_weight, 0.01, 0);
    em_graph_free(&graph);
}

/* Distances by Floyd and Warshall. */
static void diameters_and_trees(void **state)
{
    (void)state;
    enum { M = 48 };
    const char *specs[] = {"er:0.08", "regular:3", "smallworld:2:0.1", "scalefree:1", "grid:6x8", "torus:2x24", "path"};
    em_error err = {0};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        em_graph *graph = make(specs[s], M, "metropolis");
        int distance[M][M], diameter = 0, deepest = 0;
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) distance[i][j] = i == j ? 0 : em_graph_weight(graph, i, j) > 0 ? 1 : M;
        for (int k = 0; k < M; k++)
            for (int i = 0; i < M; i++)
                for (int j = 0; j < M; j++)
                    if (distance[i][k] + distance[k][j] < distance[i][j])
                        distance[i][j] = distance[i][k] + distance[k][j];
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) diameter = distance[i][j] > diameter ? distance[i][j] : diameter;

        emi_tree tree;
        assert_ok(emi_tree_build(&tree, graph, &err), &err);
        assert_int_equal(tree.nodes, M);
        assert_int_equal(tree.parent[0], -1);
        for (int i = 0; i < M; i++) {
            assert_int_equal(tree.depth_of[i], distance[0][i]);
            if (distance[0][i] > deepest) deepest = distance[0][i];
            int smallest = -1; /* neighbour one step nearer to the root */
            for (int j = M - 1; j >= 0; j--)
                if (distance[i][j] == 1 && distance[0][j] == distance[0][i] - 1) smallest = j;
            assert_int_equal(tree.parent[i], smallest);
        }
        assert_int_equal(tree.depth, deepest);

        em_graph_info info = {.size = sizeof info};
        assert_ok(em_graph_measure(graph, &info, &err), &err);
        assert_int_equal(info.diameter, diameter);
        assert_int_equal(info.tree_depth, deepest);
        emi_tree_free(&tree);
        emi_tree_free(&tree);
        em_graph_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles),
        cmocka_unit_test(paths),
        cmocka_unit_test(stars),
        cmocka_unit_test(complete_graphs),
        cmocka_unit_test(one_node),
        cmocka_unit_test(tori),
        cmocka_unit_test(random_graphs_against_LAPACK),
        cmocka_unit_test(the_lower_end_counts),
        cmocka_unit_test(diameters_and_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
