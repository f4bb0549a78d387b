/* Mixing weights: W symmetric and doubly stochastic, positive on the edges and the diagonal. */
#include "graph/graph.h"

#include <math.h>
#include <string.h>

typedef double edge_weight(int degree_i, int degree_j, int degree_max);

/* w_ij = 1 / (1 + max(deg_i, deg_j)): Metropolis and Hastings' rule for the uniform distribution, as in Xiao, Boyd
 * and Lall, "A scheme for robust distributed sensor fusion based on average consensus", IPSN 2005. */
static double metropolis(int degree_i, int degree_j, int degree_max)
{
    (void)degree_max;
    return 1.0 / (1.0 + (degree_i > degree_j ? degree_i : degree_j));
}

/* w_ij = 1 / (1 + the largest degree), the same paper's maximum-degree weights. */
static double maxdegree(int degree_i, int degree_j, int degree_max)
{
    (void)degree_i, (void)degree_j;
    return 1.0 / (1.0 + degree_max);
}

/* (I + W) / 2 of the Metropolis W: no eigenvalue is negative. */
static double lazy(int degree_i, int degree_j, int degree_max)
{
    return metropolis(degree_i, degree_j, degree_max) / 2;
}

/* A new rule is a function and a line here. */
static const struct {
    const char *name;
    edge_weight *weight;
} rules[] = {{"metropolis", metropolis}, {"maxdegree", maxdegree}, {"lazy", lazy}};

enum { RULES = sizeof rules / sizeof *rules };

static void set_by_rule(em_graph *graph, edge_weight *weight)
{
    int degree_max = 0;
    for (int i = 0; i < graph->nodes; i++)
        if (emi_graph_degree(graph, i) > degree_max) degree_max = emi_graph_degree(graph, i);

    for (int i = 0; i < graph->nodes; i++) {
        double rest = 1, lost = 0; /* Kahan's sum, so that a row of thousands still sums to 1 */
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++) {
            int j = graph->neighbour[a];
            graph->weight[a] = weight(emi_graph_degree(graph, i), emi_graph_degree(graph, j), degree_max);
            double term = -graph->weight[a] - lost, sum = rest + term;
            lost = (sum - rest) - term;
            rest = sum;
        }
        graph->self[i] = rest;
    }
}

em_status em_graph_set_weights(em_graph *graph, const char *rule, em_error *err)
{
    for (size_t k = 0; k < RULES; k++) {
        if (strcmp(rules[k].name, rule) != 0) continue;
        set_by_rule(graph, rules[k].weight);
        return EM_OK;
    }
    return emi_fail(err, EM_EINVAL, "weights %s: no such rule; try metropolis, maxdegree or lazy", rule);
}

/* One number of the caller's matrix, by itself. */
static em_status check_entry(double w, int i, int j, int linked, em_error *err)
{
    if (!isfinite(w)) return emi_fail(err, EM_EINVAL, "weights: W[%d, %d] = %g is not finite; try mending it", i, j, w);
    if (!linked && w != 0)
        return emi_fail(err, EM_EINVAL, "weights: W[%d, %d] = %.12g, but the graph has no such edge; try 0 there", i, j,
                        w);
    if (linked && w <= 0)
        return emi_fail(err, EM_EINVAL, "weights: W[%d, %d] = %.12g is not positive; try a weight above 0 on %s", i, j,
                        w, i == j ? "the diagonal" : "every edge");
    if (w > 1) return emi_fail(err, EM_EINVAL, "weights: W[%d, %d] = %.12g is over 1; try one up to 1", i, j, w);
    return EM_OK;
}

/* A row: every entry, its mirror image, and the sum. */
static em_status check_row(const em_graph *graph, const double *W, int i, em_error *err)
{
    static const double sum_tolerance = 1e-9, symmetry_tolerance = 1e-12;
    size_t nodes = (size_t)graph->nodes, a = graph->start[i], end = graph->start[i + 1];
    const double *row = W + (size_t)i * nodes;
    double sum = 0;
    for (int j = 0; j < graph->nodes; j++) {
        int neighbours = a < end && graph->neighbour[a] == j;
        em_status status = check_entry(row[j], i, j, neighbours || i == j, err);
        if (status) return status;
        if (neighbours) a++;
        sum += row[j];
        double mirror = W[(size_t)j * nodes + (size_t)i];
        if (j < i && fabs(row[j] - mirror) > symmetry_tolerance * fmax(row[j], mirror))
            return emi_fail(err, EM_EINVAL,
                            "weights: W[%d, %d] = %.17g but W[%d, %d] = %.17g; try a symmetric matrix, such as "
                            "(W + W^T) / 2",
                            i, j, row[j], j, i, mirror);
    }
    if (fabs(sum - 1) > sum_tolerance)
        return emi_fail(err, EM_EINVAL, "weights: row %d of W sums to %.12g; try W[%d, %d] = 1 - the rest of the row",
                        i, sum, i, i);
    return EM_OK;
}

em_status em_graph_set_weight_matrix(em_graph *graph, const double *W, em_error *err)
{
    size_t nodes = (size_t)graph->nodes;
    for (int i = 0; i < graph->nodes; i++) {
        em_status status = check_row(graph, W, i, err);
        if (status) return status;
    }
    for (size_t i = 0; i < nodes; i++) {
        graph->self[i] = W[i * nodes + i];
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++) {
            size_t j = (size_t)graph->neighbour[a];
            graph->weight[a] = (W[i * nodes + j] + W[j * nodes + i]) / 2; /* symmetric to the last bit */
        }
    }
    return EM_OK;
}
