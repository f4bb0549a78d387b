#include "support/network.h"

#include "base/error.h"

em_status network_open(network *out, const network_plan *plan, em_error *err)
{
    em_status status;
    *out = (network){0};
    TRY(em_data_from_array(&out->data, plan->values, EM_F64, plan->rows, plan->columns, 0, 0, err));
    TRY(em_shards_split(&out->shards, out->data, plan->nodes, NULL, 0, err));
    TRY(em_graph_create(&out->graph, plan->topology, plan->nodes, 1, err));
    TRY(em_mesh_open(&out->mesh, NULL, out->graph, plan->threads, err));
    return EM_OK;
done:
    network_close(out);
    return status;
}

void network_close(network *net)
{
    em_mesh_close(&net->mesh);
    em_graph_free(&net->graph);
    em_shards_free(&net->shards);
    em_data_free(&net->data);
}
