#include "network.h"
#include "input.h"
#include "message.h"

#include <stdlib.h>

const char *network_default_topology(int nodes)
{
    return nodes < 4 ? "complete" : "er:0.5";
}

static em_status weights_from_file(em_graph *graph, const char *path, em_error *err)
{
    double *W = NULL;
    size_t nodes = (size_t)em_graph_nodes(graph);
    em_status status = input_matrix(&W, path, nodes, nodes, "nodes x nodes", err);
    if (status == EM_OK) status = em_graph_set_weight_matrix(graph, W, err);
    free(W);
    return status;
}

em_status network_create(em_graph **out, const char *topology, const char *weights, int nodes, uint64_t seed,
                         em_error *err)
{
    em_status status = EM_OK;
    em_graph *graph = NULL;
    TRY(em_graph_create(&graph, topology ? topology : network_default_topology(nodes), nodes, seed, err));
    const char *file = weights ? input_file_of(weights) : NULL;
    if (file)
        TRY(weights_from_file(graph, file, err));
    else if (weights)
        TRY(em_graph_set_weights(graph, weights, err));
    *out = graph;
    graph = NULL;
done:
    em_graph_free(&graph);
    return status;
}
