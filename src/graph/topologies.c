/* From a spec such as "er:0.5" to a connected graph. */
#include "graph/topology.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "graph/distance.h"

typedef struct emi_topology {
    const char *name, *form, *example;
    int arguments;
    char separator;
    const char *rescue;
    emi_draw *draw;
} emi_topology;

static const emi_topology topologies[] = {
#define X(name, form, example, arguments, separator, rescue)                                                           \
    {#name, form, example, arguments, separator, rescue, emi_draw_##name},
    EMI_TOPOLOGIES(X)
#undef X
};

#define X(name, form, ...) ", " form
static const char all_forms[] = EMI_TOPOLOGIES(X);
#undef X

enum { TOPOLOGIES = sizeof topologies / sizeof *topologies, DRAWS = 1000 };

static em_status find_topology(const emi_topology **out, const char *spec, em_error *err)
{
    size_t length = strcspn(spec, ":");
    for (size_t k = 0; k < TOPOLOGIES; k++) {
        *out = &topologies[k];
        if (strlen((*out)->name) == length && strncmp((*out)->name, spec, length) == 0) return EM_OK;
    }
    return emi_fail(err, EM_EINVAL, "topology %s: no such topology; try one of %s", spec,
                    emi_text_after(all_forms, ", "));
}

/* Cut the copy of a spec into the name and the arguments. */
static em_status split_arguments(emi_topology_request *request, const emi_topology *topology, char *copy, em_error *err)
{
    int found = 0;
    char *rest = strchr(copy, ':');
    while (rest && found < 2) {
        request->argument[found++] = rest + 1;
        rest = found < topology->arguments ? strchr(rest + 1, topology->separator) : NULL;
        if (rest) *rest = '\0';
    }
    int empty = (found > 0 && !*request->argument[0]) || (found > 1 && !*request->argument[1]);
    if (found == topology->arguments && !empty) return EM_OK;
    return emi_fail(err, EM_EINVAL, "topology %s: %s, the form is %s; try %s", request->spec,
                    found > topology->arguments ? "an argument too many" : "an argument is missing", topology->form,
                    topology->example);
}

static em_status draw_once(em_graph **out, const emi_topology_request *request, emi_draw *draw, em_error *err)
{
    em_status status;
    emi_edges edges = {0};
    TRY(draw(request, &edges, err));
    TRY(emi_graph_build(out, request->nodes, &edges, err));
done:
    emi_edges_free(&edges);
    return status;
}

static em_status draw_connected(em_graph **out, const emi_topology_request *request, const emi_topology *topology,
                                em_error *err)
{
    for (int k = 0; k < DRAWS; k++) {
        int unreached = -1;
        em_status status = draw_once(out, request, topology->draw, err);
        if (!status) status = emi_graph_find_unreached(*out, &unreached, err);
        if (status || unreached < 0) return status;
        em_graph_free(out);
    }
    return emi_fail(err, EM_EINVAL, "topology %s: none of %d draws was connected; try %s", request->spec, DRAWS,
                    topology->rescue);
}

/* Not random: a graph read from a file may be disconnected, but drawing it again will not help. */
static em_status draw_fixed(em_graph **out, const emi_topology_request *request, emi_draw *draw, em_error *err)
{
    em_error why;
    em_status status = draw_once(out, request, draw, err);
    if (status) return status;
    status = emi_graph_check_connected(*out, &why);
    return status ? emi_fail(err, status, "topology %s: %s", request->spec, why.msg) : EM_OK;
}

em_status em_graph_create(em_graph **out, const char *spec, int nodes, uint64_t seed, em_error *err)
{
    em_status status;
    em_graph *graph = NULL;
    const emi_topology *topology;
    emi_random random = emi_random_seed(seed, EMI_STREAM_GRAPH);
    emi_topology_request request = {.spec = spec, .nodes = nodes, .random = &random};
    char *copy = NULL;
    *out = NULL;

    TRY(find_topology(&topology, spec, err));
    if (nodes < 1) TRY(emi_fail(err, EM_EINVAL, "topology %s: %d nodes are no network; try 1 or more", spec, nodes));
    copy = emi_strdup(spec);
    if (!copy) TRY(emi_fail_memory_try(err, "topology", "fewer nodes"));
    request.example = topology->example;
    TRY(split_arguments(&request, topology, copy, err));
    TRY(topology->rescue ? draw_connected(&graph, &request, topology, err)
                         : draw_fixed(&graph, &request, topology->draw, err));
    *out = graph;
    graph = NULL;
done:
    em_graph_free(&graph);
    emi_free(copy);
    return status;
}
