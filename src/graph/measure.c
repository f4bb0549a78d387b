/* What there is to know about a network before using it. */
#include "graph/graph.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "graph/distance.h"
#include "graph/spectrum.h"

static void measure_degrees(const em_graph *graph, em_graph_info *info)
{
    info->degree_min = info->degree_max = emi_graph_degree(graph, 0);
    info->min_self_weight = graph->self[0];
    for (int i = 1; i < graph->nodes; i++) {
        int degree = emi_graph_degree(graph, i);
        if (degree < info->degree_min) info->degree_min = degree;
        if (degree > info->degree_max) info->degree_max = degree;
        info->min_self_weight = fmin(info->min_self_weight, graph->self[i]);
    }
    info->degree_mean = 2 * (double)graph->edges / graph->nodes;
}

/* The smallest t with beta^t <= 1e-6. */
static long rounds_to_1e6(int nodes, double beta)
{
    if (nodes == 1) return 0;
    if (beta == 0) return 1;
    if (beta >= 1) return LONG_MAX;
    return (long)ceil(log(1e-6) / log(beta));
}

em_status em_graph_measure(const em_graph *graph, em_graph_info *info, em_error *err)
{
    em_status status;
    emi_tree tree = {0};
    size_t size = info->size; /* as the program was compiled */
    em_graph_info found = {.size = size, .nodes = graph->nodes, .edges = graph->edges};
    if (size < sizeof size)
        return emi_fail(err, EM_EINVAL, "em_graph_info: of size %zu; try size = sizeof(em_graph_info)", size);
    measure_degrees(graph, &found);
    TRY(emi_graph_diameter(graph, &found.diameter, err));
    TRY(emi_tree_build(&tree, graph, err));
    found.tree_depth = tree.depth;
    TRY(emi_graph_beta(graph, &found.beta, err));
    found.rounds_to_1e6 = rounds_to_1e6(graph->nodes, found.beta);
    memcpy(info, &found, size < sizeof found ? size : sizeof found);
done:
    emi_tree_free(&tree);
    return status;
}
