#include "support/topologies.h"

#include "support/check.h"

static const struct {
    const char *spec;
    int nodes;
} topologies[] = {
    {"complete", 1},     {"complete", 2},   {"er:0.5", 9},     {"cycle", 8},
    {"cycle", 9},        {"star", 10},      {"path", 7},       {"complete", 6},
    {"grid:3x4", 12},    {"torus:3x4", 12}, {"regular:3", 10}, {"smallworld:4:0.3", 12},
    {"scalefree:2", 11},
};

static void check_one(const char *spec, int nodes, int threads, mesh_check *check)
{
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_error err = {0};
    assert_ok(em_graph_create(&graph, spec, nodes, 7, &err), &err);
    assert_ok(em_mesh_open(&mesh, "local", graph, threads, &err), &err);
    check(mesh);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
}

void on_every_topology(mesh_check *check)
{
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++)
        for (int threads = 1; threads <= 3; threads += 2)
            check_one(topologies[t].spec, topologies[t].nodes, threads, check);
}
