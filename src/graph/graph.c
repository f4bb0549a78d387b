/* A graph in compressed rows: building it from a list of edges, and looking things up in it. */
#include "graph/graph.h"

#include "base/digest.h"
#include "base/memory.h"
#include "graph/distance.h"
#include "graph/edges.h"

#include <eigenmesh/engine.h>

static em_status allocate(em_graph **out, int nodes, size_t edges, em_error *err)
{
    size_t rows = (size_t)nodes;
    em_graph *graph = emi_calloc(1, sizeof *graph);
    if (!graph) return emi_fail_memory_try(err, "graph", "fewer nodes");
    graph->nodes = nodes;
    graph->edges = edges;
    graph->start = emi_calloc(rows + 1, sizeof *graph->start);
    graph->first_edge = emi_calloc(rows + 1, sizeof *graph->first_edge);
    graph->neighbour = emi_calloc(edges, 2 * sizeof *graph->neighbour);
    graph->weight = emi_doubles(2 * edges);
    graph->self = emi_doubles(rows);
    *out = graph;
    int whole = graph->start && graph->first_edge && graph->neighbour && graph->weight && graph->self;
    return whole ? EM_OK : emi_fail_memory_try(err, "graph", "fewer nodes");
}

/* start[i] = the degrees before i, summed; first_edge likewise over the neighbours j > i. */
static void count_degrees(em_graph *graph, const emi_edges *edges)
{
    for (size_t k = 0; k < edges->count; k++) {
        int i = edges->pair[k][0], j = edges->pair[k][1];
        graph->start[i + 1]++;
        graph->start[j + 1]++;
        graph->first_edge[(i < j ? i : j) + 1]++;
    }
    for (int i = 0; i < graph->nodes; i++) {
        graph->start[i + 1] += graph->start[i];
        graph->first_edge[i + 1] += graph->first_edge[i];
    }
}

/* Drop every edge's ends into the rows in any order, then transpose.  The matrix is symmetric, so its transpose is
 * itself, but visiting rows in order fills each row of the transpose in order: rows sorted without a sort. */
static em_status fill_rows(em_graph *graph, const emi_edges *edges, em_error *err)
{
    em_status status = EM_OK;
    size_t rows = (size_t)graph->nodes;
    size_t *end = emi_calloc(rows, sizeof *end); /* of each row so far */
    int *unsorted = emi_calloc(edges->count, 2 * sizeof *unsorted);
    if (!end || !unsorted) TRY(emi_fail_memory_try(err, "graph", "fewer nodes"));

    for (size_t i = 0; i < rows; i++) end[i] = graph->start[i];
    for (size_t k = 0; k < edges->count; k++) {
        int i = edges->pair[k][0], j = edges->pair[k][1];
        unsorted[end[i]++] = j;
        unsorted[end[j]++] = i;
    }
    for (size_t i = 0; i < rows; i++) end[i] = graph->start[i];
    for (int i = 0; i < graph->nodes; i++)
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++) graph->neighbour[end[unsorted[a]]++] = i;
done:
    emi_free(end);
    emi_free(unsorted);
    return status;
}

em_status emi_graph_build(em_graph **out, int nodes, const emi_edges *edges, em_error *err)
{
    em_status status;
    em_graph *graph = NULL;
    TRY(allocate(&graph, nodes, edges->count, err));
    count_degrees(graph, edges);
    TRY(fill_rows(graph, edges, err));
    TRY(em_graph_set_weights(graph, "metropolis", err));
    *out = graph;
    graph = NULL;
done:
    em_graph_free(&graph);
    return status;
}

/* The caller's list, every edge of it checked. */
static em_status check_list(emi_edges *out, int nodes, const int (*edges)[2], size_t count, em_error *err)
{
    em_status status = EM_OK;
    em_error why;
    emi_pair_set seen = {0};
    for (size_t k = 0; k < count && !status; k++) {
        status = emi_edges_add_checked(out, &seen, nodes, edges[k][0], edges[k][1], EM_EINVAL, &why);
        if (status) (void)emi_fail(err, status, "edge %zu: %s", k, why.msg);
    }
    emi_pair_set_free(&seen);
    return status;
}

em_status em_graph_from_edges(em_graph **out, int nodes, const int (*edges)[2], size_t count, em_error *err)
{
    em_status status;
    em_error why;
    em_graph *graph = NULL;
    emi_edges list = {0};
    *out = NULL;
    if (nodes < 1) TRY(emi_fail(err, EM_EINVAL, "graph: %d nodes are no network; try 1 or more", nodes));
    TRY(check_list(&list, nodes, edges, count, err));
    TRY(emi_graph_build(&graph, nodes, &list, err));
    status = emi_graph_check_connected(graph, &why);
    if (status) TRY(emi_fail(err, status, "graph: %s", why.msg));
    *out = graph;
    graph = NULL;
done:
    em_graph_free(&graph);
    emi_edges_free(&list);
    return status;
}

void em_graph_free(em_graph **graph)
{
    if (!graph || !*graph) return;
    emi_free((*graph)->start);
    emi_free((*graph)->first_edge);
    emi_free((*graph)->neighbour);
    emi_free((*graph)->weight);
    emi_free((*graph)->self);
    emi_free(*graph);
    *graph = NULL;
}

EMI_GETTER(int, em_graph_nodes, em_graph *graph, graph->nodes)
EMI_GETTER(size_t, em_graph_edges, em_graph *graph, graph->edges)

int emi_graph_degree(const em_graph *graph, int node)
{
    return (int)(graph->start[node + 1] - graph->start[node]);
}

void em_graph_edge(const em_graph *graph, size_t index, int *i, int *j)
{
    *i = *j = -1;
    if (index >= graph->edges) return;
    int low = 0, high = graph->nodes; /* first_edge[low] <= index < first_edge[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (graph->first_edge[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    *i = low;
    /* The neighbours above i end its row. */
    *j = graph->neighbour[graph->start[low + 1] - (graph->first_edge[low + 1] - index)];
}

double em_graph_weight(const em_graph *graph, int i, int j)
{
    if (i < 0 || i >= graph->nodes || j < 0 || j >= graph->nodes) return 0;
    if (i == j) return graph->self[i];
    size_t low = graph->start[i], high = graph->start[i + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->neighbour[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->start[i + 1] && graph->neighbour[low] == j ? graph->weight[low] : 0;
}

void emi_graph_mix_vector(const em_graph *graph, const double *v, double *z)
{
    for (int i = 0; i < graph->nodes; i++) {
        double sum = graph->self[i] * v[i];
        for (size_t a = graph->start[i]; a < graph->start[i + 1]; a++) sum += graph->weight[a] * v[graph->neighbour[a]];
        z[i] = sum;
    }
}

uint64_t em_graph_digest(const em_graph *graph)
{
    uint64_t digest = emi_digest(EMI_DIGEST_START, graph->self, (size_t)graph->nodes);
    digest = emi_digest(digest, graph->weight, 2 * graph->edges);
    for (int i = 0; i <= graph->nodes; i++) digest = emi_digest_number(digest, graph->start[i]);
    for (size_t e = 0; e < 2 * graph->edges; e++) digest = emi_digest_number(digest, (uint64_t)graph->neighbour[e]);
    return digest;
}
