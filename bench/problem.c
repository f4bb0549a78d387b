#include "bench.h"

bench_problem bench_open(em_data *data, int nodes, const char *topology)
{
    bench_problem p = {.data = data};
    em_error err;
    bench_must(em_shards_split(&p.shards, p.data, nodes, NULL, 0, &err), &err);
    bench_must(em_graph_create(&p.graph, topology, nodes, 0, &err), &err);
    bench_must(em_mesh_open(&p.mesh, "local", p.graph, 0, &err), &err);
    return p;
}

bench_problem bench_open_array(const void *rows, em_dtype type, size_t count, int features, int nodes,
                               const char *topology)
{
    em_error err;
    em_data *data;
    bench_must(em_data_from_array(&data, rows, type, count, (size_t)features, 0, 0, &err), &err);
    return bench_open(data, nodes, topology);
}

void bench_close(bench_problem *p)
{
    em_mesh_close(&p->mesh);
    em_graph_free(&p->graph);
    em_shards_free(&p->shards);
    em_data_free(&p->data);
}
