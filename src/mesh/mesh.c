/* Opening and closing a mesh. */
#include "mesh/mesh.h"

#include "base/memory.h"
#include "mesh/masking.h"
#include "mesh/question.h"

#include <stddef.h>
#include <string.h>

static void list_edges(em_mesh *mesh)
{
    const em_graph *graph = mesh->graph;
    for (int i = 0; i < graph->nodes; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            if (emi_mesh_hosts(mesh, i) || emi_mesh_hosts(mesh, graph->neighbour[e]))
                mesh->edge_links[mesh->edge_count++] = (em_link){i, graph->neighbour[e]};
}

/* Count nodes by depth, then place each in its level; within a level they keep the order of their ids.  Only links that
 * touch a node of this process are known, and needed. */
static void list_tree(em_mesh *mesh, size_t *fill)
{
    const emi_tree *tree = &mesh->tree;
    for (int i = 0; i < tree->nodes; i++)
        if (tree->depth_of[i] > 0) mesh->level[tree->depth_of[i]]++;
    for (int l = 1; l <= tree->depth; l++) mesh->level[l] += mesh->level[l - 1];
    memcpy(fill, mesh->level, sizeof *fill * (size_t)(tree->depth + 1));
    for (int i = 0; i < tree->nodes; i++) {
        if (tree->depth_of[i] <= 0) continue;
        size_t at = fill[tree->depth_of[i] - 1]++;
        mesh->tree_links[at] = (em_link){i, tree->parent[i]};
        mesh->tree_back[at] = (em_link){tree->parent[i], i};
    }
}

static em_status plan_links(em_mesh *mesh, em_error *err)
{
    em_status status = EM_OK;
    size_t nodes = (size_t)mesh->graph->nodes, *fill = NULL;
    mesh->edge_links = emi_calloc(2 * mesh->graph->edges, sizeof *mesh->edge_links);
    mesh->inbox = emi_calloc(nodes, sizeof *mesh->inbox);
    mesh->outbox = emi_calloc((size_t)mesh->hosted, sizeof *mesh->outbox);
    if (!mesh->edge_links || !mesh->inbox || !mesh->outbox) TRY(emi_fail_memory_try(err, "mesh", "fewer nodes"));
    list_edges(mesh);
    mesh->phase = EM_SETUP;
    TRY(emi_mesh_flood(mesh, err));
    mesh->tree_count = mesh->count[EM_SETUP];
    mesh->count[EM_SETUP] = (emi_count){0};
    size_t levels = (size_t)mesh->tree.depth + 1;
    fill = emi_calloc(levels, sizeof *fill);
    mesh->level = emi_calloc(levels, sizeof *mesh->level);
    mesh->tree_links = emi_calloc(nodes, sizeof *mesh->tree_links);
    mesh->tree_back = emi_calloc(nodes, sizeof *mesh->tree_back);
    if (!fill || !mesh->level || !mesh->tree_links || !mesh->tree_back)
        TRY(emi_fail_memory_try(err, "mesh", "fewer nodes"));
    list_tree(mesh, fill);
done:
    emi_free(fill);
    return status;
}

static em_status check(const em_graph *graph, int first, int hosted, int threads, em_error *err)
{
    if (threads < 0 || threads > 4096)
        return emi_fail(err, EM_EINVAL, "threads: %d; try 0 (all cores) or more", threads);
    if (first < 0 || hosted < 1 || hosted > graph->nodes - first)
        return emi_fail(err, EM_EINVAL, "mesh: nodes %d to %d of %d; try at least one of them in every process", first,
                        first + hosted - 1, graph->nodes);
    return EM_OK;
}

/* What this library knows of it: an engine that was compiled with another version has fewer members, or more. */
static em_engine known_part(const em_engine *engine)
{
    em_engine known = {0};
    memcpy(&known, engine, engine->size < sizeof known ? engine->size : sizeof known);
    return known;
}

static em_status check_engine(const em_engine *engine, em_error *err)
{
    if (engine->size >= offsetof(em_engine, fail) && engine->name && engine->begin && engine->end && engine->close)
        return EM_OK;
    return emi_fail(err, EM_EINVAL, "engine: its size, name, begin, end or close is not set; try all of them");
}

void emi_tell_failure(const em_engine *engine, void *state, em_status status)
{
    em_error told;
    (void)em_fail_elsewhere(&told, status, "another process");
    if (engine->fail) engine->fail(state, &told);
}

em_status em_mesh_open_on(em_mesh **out, const em_engine *engine, void *state, int first, int hosted,
                          const em_graph *graph, int threads, em_error *err)
{
    *out = NULL;
    em_status status = check_engine(engine, err);
    if (status != EM_OK) return status;
    em_engine known = known_part(engine);
    em_mesh *mesh = emi_calloc(1, sizeof *mesh);
    if (!mesh) {
        status = emi_fail_memory_try(err, "mesh", "fewer nodes");
        emi_tell_failure(&known, state, status);
        known.close(state);
        return status;
    }
    *mesh = (em_mesh){.graph = graph, .engine = known, .engine_state = state, .first = first, .hosted = hosted};
    TRY(check(graph, first, hosted, threads, err));
    TRY(plan_links(mesh, err));
    TRY(emi_pool_open(&mesh->pool, threads, err));
    *out = mesh;
    mesh = NULL;
done:
    if (status != EM_OK) emi_tell_failure(&known, state, status); /* who may wait for this process by now */
    em_mesh_close(&mesh);
    return status;
}

em_status em_mesh_open(em_mesh **out, const char *engine, const em_graph *graph, int threads, em_error *err)
{
    void *state = NULL;
    *out = NULL;
    if (engine && strcmp(engine, emi_engine_local.name) != 0)
        return emi_fail(err, EM_EINVAL, "engine %s: not built in; try %s", engine, emi_engine_local.name);
    em_status status = emi_engine_local_new(&state, graph, err);
    if (status != EM_OK) return status;
    return em_mesh_open_on(out, &emi_engine_local, state, 0, graph->nodes, graph, threads, err);
}

const char *em_engine_name(int index)
{
    return index == 0 ? emi_engine_local.name : NULL;
}

em_status em_mesh_sum_directly(em_mesh *mesh, em_error *err)
{
    if (!mesh->engine.sum || !mesh->engine.give)
        return emi_fail(err, EM_ENOTSUP, "engine %s: has no sums of its own; try those over the tree",
                        mesh->engine.name);
    if (emi_mesh_is_masked(mesh))
        return emi_fail(err, EM_ENOTSUP, "engine %s: its own sums are not masked; try those over the tree",
                        mesh->engine.name);
    mesh->sums_directly = 1;
    return EM_OK;
}

em_status em_mesh_set_patience(em_mesh *mesh, double seconds, em_error *err)
{
    if (!(seconds > 0))
        return emi_fail(err, EM_EINVAL, "patience: %g seconds; try 3600, or INFINITY for ever", seconds);
    if (!mesh->engine.patience)
        return emi_fail(err, EM_ENOTSUP, "patience: engine %s has nobody to wait for; try without it",
                        mesh->engine.name);
    mesh->engine.patience(mesh->engine_state, seconds);
    return EM_OK;
}

EMI_GETTER(int, em_mesh_first, em_mesh *mesh, mesh->first)
EMI_GETTER(int, em_mesh_hosted, em_mesh *mesh, mesh->hosted)
EMI_GETTER(int, em_mesh_nodes, em_mesh *mesh, mesh->graph->nodes)
EMI_GETTER(int, em_mesh_threads, em_mesh *mesh, emi_pool_size(mesh->pool))

void em_mesh_close(em_mesh **handle)
{
    em_mesh *mesh = *handle;
    if (!mesh) return;
    emi_masking_close(mesh);
    emi_question_free(&mesh->question);
    emi_pool_close(&mesh->pool);
    mesh->engine.close(mesh->engine_state);
    emi_free(mesh->outbox);
    emi_free(mesh->inbox);
    emi_free(mesh->tree_back);
    emi_free(mesh->tree_links);
    emi_free(mesh->edge_links);
    emi_free(mesh->level);
    emi_tree_free(&mesh->tree);
    emi_free(mesh);
    *handle = NULL;
}
