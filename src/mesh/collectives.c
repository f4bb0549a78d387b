/* Mixing, and exact sums and maxima over the spanning tree; counted here, whatever the engine. */
#include "mesh/mesh.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

int emi_mesh_failed(const em_mesh *mesh)
{
    return mesh->failure.code != EM_OK;
}

static int hosts(const em_mesh *mesh, int node)
{
    return node >= mesh->first && node < mesh->first + mesh->hosted;
}

/* One round: a block of `size` doubles along each of `links`, counted at its sender. */
static void round_begin(em_mesh *mesh, emi_links links, size_t size)
{
    if (emi_mesh_failed(mesh)) return;
    emi_count *count = &mesh->count[mesh->phase];
    uint64_t sent = links.count;
    if (mesh->hosted < mesh->graph->nodes)
        for (size_t l = 0; l < links.count; l++) sent -= !hosts(mesh, links.link[l].from);
    count->rounds += links.count > 0;
    count->messages += sent;
    count->scalars += sent * size;
    mesh->failure.code = mesh->engine->begin(mesh, links, mesh->outbox, size, &mesh->failure);
}

static void round_end(em_mesh *mesh)
{
    if (!emi_mesh_failed(mesh)) mesh->failure.code = mesh->engine->end(mesh, mesh->inbox, &mesh->failure);
}

/* ---- gossip --------------------------------------------------------------------------- */

static size_t block_size(const emi_field *field)
{
    return (size_t)field->rows * (size_t)field->cols;
}

void emi_send_to_neighbours(em_mesh *mesh, const emi_field *X)
{
    for (int i = 0; i < mesh->hosted; i++) mesh->outbox[i] = emi_at(X, i).v;
    round_begin(mesh, (emi_links){2 * mesh->graph->edges, mesh->edge_links}, block_size(X));
}

void emi_receive(em_mesh *mesh)
{
    round_end(mesh);
}

void emi_mix_begin(em_mesh *mesh, const emi_field *X)
{
    mesh->mixing = X;
    emi_send_to_neighbours(mesh, X);
}

/* z = w_ii x_i + sum_j w_ij x_j, a tile at a time: z stays in the first-level cache. */
EMI_WIDE static void mix_node(const em_mesh *mesh, int node, const double *own, double *restrict z, size_t size)
{
    enum { TILE = 1024 };
    const em_graph *graph = mesh->graph;
    for (size_t at = 0; at < size; at += TILE) {
        size_t n = size - at < TILE ? size - at : TILE;
        const double *restrict x = own + at;
        double *restrict tile = z + at, w = graph->self[node];
        for (size_t t = 0; t < n; t++) tile[t] = w * x[t];
        for (size_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
            w = graph->weight[e];
            x = mesh->inbox[graph->neighbour[e]] + at;
            for (size_t t = 0; t < n; t++) tile[t] += w * x[t];
        }
    }
}

typedef struct mix_task {
    const em_mesh *mesh;
    emi_field *Z;
} mix_task;

static em_status mix_turn(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    const mix_task *task = context;
    mix_node(task->mesh, task->mesh->first + index, emi_at(task->mesh->mixing, index).v, emi_at(task->Z, index).v,
             block_size(task->Z));
    return EM_OK;
}

void emi_mix_end(em_mesh *mesh, emi_field *Z)
{
    round_end(mesh);
    mix_task task = {mesh, Z};
    double terms = (double)(2 * mesh->graph->edges) + mesh->graph->nodes;
    emi_mesh_run(mesh, 2 * terms * (double)block_size(Z), mix_turn, &task);
    mesh->mixing = NULL;
}

/* ---- the tree -------------------------------------------------------------------------- */

typedef void combine_fn(double *restrict into, const double *restrict from, size_t size);

static void add(double *restrict into, const double *restrict from, size_t size)
{
    for (size_t t = 0; t < size; t++) into[t] += from[t];
}

static void larger(double *restrict into, const double *restrict from, size_t size)
{
    for (size_t t = 0; t < size; t++)
        if (isnan(from[t]) || from[t] > into[t]) into[t] = from[t];
}

static emi_links at_level(const em_mesh *mesh, const emi_link *links, int level)
{
    return (emi_links){mesh->level[level + 1] - mesh->level[level], links + mesh->level[level]};
}

/* Level by level towards the root: each node hands on its own part combined with its children's, which are
 * taken in the order of their ids. */
static void tree_up(em_mesh *mesh, emi_field *parts, combine_fn *combine)
{
    size_t size = block_size(parts);
    for (int i = 0; i < mesh->hosted; i++) mesh->outbox[i] = emi_at(parts, i).v;
    for (int level = mesh->tree.depth - 1; level >= 0; level--) {
        emi_links links = at_level(mesh, mesh->tree_links, level);
        round_begin(mesh, links, size);
        round_end(mesh);
        if (emi_mesh_failed(mesh)) return;
        for (size_t l = 0; l < links.count; l++)
            if (hosts(mesh, links.link[l].to))
                combine(emi_at(parts, links.link[l].to - mesh->first).v, mesh->inbox[links.link[l].from], size);
    }
}

/* From the root, whose block is in `result` where it is hosted, to everyone. */
static void tree_down(em_mesh *mesh, double *result, size_t size)
{
    for (int i = 0; i < mesh->hosted; i++) mesh->outbox[i] = result;
    for (int level = 0; level < mesh->tree.depth; level++) {
        emi_links links = at_level(mesh, mesh->tree_back, level);
        round_begin(mesh, links, size);
        round_end(mesh);
        if (emi_mesh_failed(mesh)) return;
        for (size_t l = 0; l < links.count; l++) {
            const double *arrived = mesh->inbox[links.link[l].from];
            if (hosts(mesh, links.link[l].to) && arrived != result) memcpy(result, arrived, size * sizeof *result);
        }
    }
}

void emi_tree_broadcast(em_mesh *mesh, const emi_field *parts, double *result)
{
    if (hosts(mesh, 0)) memcpy(result, emi_at(parts, 0).v, block_size(parts) * sizeof *result);
    tree_down(mesh, result, block_size(parts));
}

void emi_tree_sum(em_mesh *mesh, emi_field *parts, double *result)
{
    tree_up(mesh, parts, add);
    emi_tree_broadcast(mesh, parts, result);
}

void emi_tree_average(em_mesh *mesh, emi_field *parts, double *result)
{
    emi_tree_sum(mesh, parts, result);
    for (size_t t = 0; t < block_size(parts); t++) result[t] /= mesh->graph->nodes;
}

void emi_tree_max(em_mesh *mesh, emi_field *parts, double *result)
{
    tree_up(mesh, parts, larger);
    emi_tree_broadcast(mesh, parts, result);
}

void emi_mesh_run(em_mesh *mesh, double cost, emi_turn *turn, void *context)
{
    if (emi_mesh_failed(mesh)) return;
    mesh->failure.code = emi_pool_run(mesh->pool, mesh->hosted, cost, turn, context, &mesh->failure);
}
