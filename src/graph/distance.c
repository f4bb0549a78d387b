/* Breadth-first searches: diameter, connectivity, and the tree that exact averages travel along. */
#include "graph/distance.h"

#include "base/memory.h"

/* Distances from a node, -1 for those with no path to it; queue[] has room for all nodes.  Returns the farthest of
 * those reached.  A search that has met every node stops: in a dense graph most edges are never looked at. */
static int search(const em_graph *graph, int from, int *distance, int *queue)
{
    int met = 1;
    for (int i = 0; i < graph->nodes; i++) distance[i] = -1;
    distance[from] = 0;
    queue[0] = from;
    for (int next = 0; next < met && met < graph->nodes; next++) {
        int i = queue[next];
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++) {
            int j = graph->neighbour[a];
            if (distance[j] >= 0) continue;
            distance[j] = distance[i] + 1;
            queue[met++] = j;
        }
    }
    return queue[met - 1];
}

em_status emi_graph_diameter(const em_graph *graph, int *out, em_error *err)
{
    em_status status = EM_OK;
    size_t nodes = (size_t)graph->nodes;
    int *distance = emi_calloc(nodes, sizeof *distance), *queue = emi_calloc(nodes, sizeof *queue);
    if (!distance || !queue) TRY(emi_fail_memory_try(err, "breadth-first search", "fewer nodes"));
    *out = 0;
    for (int i = 0; i < graph->nodes; i++) {
        int farthest = search(graph, i, distance, queue);
        if (distance[farthest] > *out) *out = distance[farthest];
    }
done:
    emi_free(distance);
    emi_free(queue);
    return status;
}

em_status emi_graph_find_unreached(const em_graph *graph, int *out, em_error *err)
{
    em_status status = EM_OK;
    size_t nodes = (size_t)graph->nodes;
    int *distance = emi_calloc(nodes, sizeof *distance), *queue = emi_calloc(nodes, sizeof *queue);
    if (!distance || !queue) TRY(emi_fail_memory_try(err, "breadth-first search", "fewer nodes"));
    (void)search(graph, 0, distance, queue);
    *out = -1;
    for (int i = 0; i < graph->nodes && *out < 0; i++)
        if (distance[i] < 0) *out = i;
done:
    emi_free(distance);
    emi_free(queue);
    return status;
}

em_status emi_graph_check_connected(const em_graph *graph, em_error *err)
{
    int unreached;
    em_status status = emi_graph_find_unreached(graph, &unreached, err);
    if (status || unreached < 0) return status;
    return emi_fail(err, EM_EINVAL, "node 0 and node %d have no path; try adding edges that connect them", unreached);
}

em_status emi_tree_build(emi_tree *out, const em_graph *graph, em_error *err)
{
    em_status status = EM_OK;
    size_t nodes = (size_t)graph->nodes;
    emi_tree tree = {.nodes = graph->nodes};
    int *queue = emi_calloc(nodes, sizeof *queue);
    tree.parent = emi_calloc(nodes, sizeof *tree.parent);
    tree.depth_of = emi_calloc(nodes, sizeof *tree.depth_of);
    if (!queue || !tree.parent || !tree.depth_of) TRY(emi_fail_memory_try(err, "spanning tree", "fewer nodes"));

    tree.depth = tree.depth_of[search(graph, 0, tree.depth_of, queue)];
    tree.parent[0] = -1;
    for (int i = 1; i < graph->nodes; i++) {
        size_t a = graph->start[i]; /* neighbours are in order, so the first that is nearer is the smallest */
        while (tree.depth_of[graph->neighbour[a]] >= tree.depth_of[i]) a++;
        tree.parent[i] = graph->neighbour[a];
    }
    *out = tree;
    tree = (emi_tree){0};
done:
    emi_free(queue);
    emi_tree_free(&tree);
    return status;
}

void emi_tree_free(emi_tree *tree)
{
    emi_free(tree->parent);
    emi_free(tree->depth_of);
    *tree = (emi_tree){0};
}
