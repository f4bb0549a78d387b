/* Mixing, and exact sums and maxima over the spanning tree; counted here, whatever the engine. */
#include "mesh/mesh.h"

#include "base/clock.h"
#include "base/wide.h"
#include "mesh/masking.h"

#include <math.h>
#include <string.h>

int emi_mesh_failed(const em_mesh *mesh)
{
    return mesh->failure.code != EM_OK;
}

int emi_mesh_hosts(const em_mesh *mesh, int node)
{
    return node >= mesh->first && node < mesh->first + mesh->hosted;
}

int emi_mesh_is_spread(const em_mesh *mesh)
{
    return mesh->hosted < mesh->graph->nodes;
}

static size_t number_size(const em_mesh *mesh)
{
    return mesh->narrow ? sizeof(float) : sizeof(double);
}

static void count(em_mesh *mesh, uint64_t rounds, uint64_t messages, size_t size)
{
    emi_count *sum = &mesh->count[mesh->phase];
    sum->rounds += rounds;
    sum->messages += messages;
    sum->scalars += messages * size;
    sum->bytes += messages * size * number_size(mesh);
}

/* One round: a block of `size` numbers along each of the links that touch a node here. */
static void round_begin(em_mesh *mesh, const em_link *links, size_t link_count, size_t size)
{
    if (emi_mesh_failed(mesh)) return;
    double began = emi_seconds();
    mesh->links = links;
    mesh->link_count = link_count;
    for (size_t l = 0; l < link_count; l++) mesh->inbox[links[l].from] = NULL;
    mesh->failure.code = mesh->engine.begin(mesh->engine_state, links, link_count, mesh->outbox,
                                            size * number_size(mesh), &mesh->failure);
    mesh->under_way = !emi_mesh_failed(mesh);
    if (mesh->phase != EMI_OBSERVING) mesh->seconds_sending += emi_seconds() - began;
}

/* An engine is not the library's own, and a block that is missing would be read all the same. */
static em_status check_inbox(const em_mesh *mesh, em_error *err)
{
    for (size_t l = 0; l < mesh->link_count; l++)
        if (emi_mesh_hosts(mesh, mesh->links[l].to) && !mesh->inbox[mesh->links[l].from])
            return emi_fail_at(
                err, EM_ENET, mesh->links[l].from,
                "engine %s: the block of node %d has not arrived, and nobody says why; try another engine",
                mesh->engine.name, mesh->links[l].from);
    return EM_OK;
}

/* What began is ended, whatever has failed in between: the blocks are on their way, and others wait for them. */
static void round_end(em_mesh *mesh)
{
    if (!mesh->under_way) return;
    double began = emi_seconds();
    em_error err = {0};
    em_status status = mesh->engine.end(mesh->engine_state, mesh->inbox, &err);
    if (status == EM_OK) status = check_inbox(mesh, &err);
    mesh->under_way = 0;
    if (status != EM_OK && !emi_mesh_failed(mesh)) {
        mesh->failure = err;
        mesh->failure.code = status;
    }
    if (mesh->phase != EMI_OBSERVING) mesh->seconds_waiting += emi_seconds() - began;
}

/* Where sums are masked, nothing else goes to a neighbour that holds a node's numbers. */
static void refuse_to_show(em_mesh *mesh)
{
    if (!emi_mesh_is_masked(mesh) || mesh->plain || emi_mesh_failed(mesh)) return;
    mesh->failure.code = emi_fail(&mesh->failure, EM_ENOTSUP,
                                  "fit: what was to be sent is not masked; try method krylov, without a truth");
}

/* ---- gossip --------------------------------------------------------------------------- */

static size_t block_size(const emi_field *field)
{
    return (size_t)field->rows * (size_t)field->cols;
}

void emi_send_to_neighbours(em_mesh *mesh, const emi_field *X)
{
    for (int i = 0; i < mesh->hosted; i++) mesh->outbox[i] = emi_at(X, i).v;
    refuse_to_show(mesh);
    if (!emi_mesh_failed(mesh)) count(mesh, mesh->graph->edges > 0, 2 * mesh->graph->edges, block_size(X));
    round_begin(mesh, mesh->edge_links, mesh->edge_count, block_size(X));
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
            x = (const double *)mesh->inbox[graph->neighbour[e]] + at;
            for (size_t t = 0; t < n; t++) tile[t] += w * x[t];
        }
    }
}

typedef struct mix_task {
    const em_mesh *mesh;
    emi_field *Z;
} mix_task;

static em_status mix_body(void *context, int index, int worker, em_error *err)
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
    emi_mesh_run(mesh, 2 * terms * (double)block_size(Z), mix_body, &task);
    mesh->mixing = NULL;
}

/* ---- the tree -------------------------------------------------------------------------- */

/* A child's block into its parent's. */
typedef void combine_fn(em_mesh *mesh, int child, double *restrict into, const double *restrict from, size_t size);

static void add(em_mesh *mesh, int child, double *restrict into, const double *restrict from, size_t size)
{
    (void)mesh, (void)child;
    for (size_t t = 0; t < size; t++) into[t] += from[t];
}

/* A block of doubles as floats, where it lies, and back. */
static void narrow(double *block, size_t size)
{
    char *to = (char *)block;
    for (size_t t = 0; t < size; t++) {
        float number = (float)block[t];
        memcpy(to + t * sizeof number, &number, sizeof number);
    }
}

static void widen(double *block, size_t size)
{
    const char *from = (const char *)block;
    for (size_t t = size; t-- > 0;) {
        float number;
        memcpy(&number, from + t * sizeof number, sizeof number);
        block[t] = (double)number;
    }
}

static void add_narrow(double *restrict into, const void *restrict from, size_t size)
{
    const float *floats = from;
    for (size_t t = 0; t < size; t++) into[t] += (double)floats[t];
}

static void larger(em_mesh *mesh, int child, double *restrict into, const double *restrict from, size_t size)
{
    (void)mesh, (void)child;
    for (size_t t = 0; t < size; t++)
        if (isnan(from[t]) || from[t] > into[t]) into[t] = from[t];
}

/* Every node but the root sends once on the way up, and is sent to once on the way down. */
static void count_tree(em_mesh *mesh, size_t size)
{
    if (!emi_mesh_failed(mesh)) count(mesh, (uint64_t)mesh->tree.depth, (uint64_t)mesh->graph->nodes - 1, size);
}

/* Level by level towards the root: each node hands on its own part combined with its children's, which are
 * taken in the order of their ids. */
static void tree_up(em_mesh *mesh, emi_field *parts, combine_fn *combine)
{
    size_t size = block_size(parts);
    for (int i = 0; i < mesh->hosted; i++) mesh->outbox[i] = emi_at(parts, i).v;
    if (combine != emi_masking_add) refuse_to_show(mesh);
    count_tree(mesh, size);
    for (int level = mesh->tree.depth - 1; level >= 0; level--) {
        size_t from = mesh->level[level], to = mesh->level[level + 1];
        const em_link *links = mesh->tree_links;
        for (size_t l = from; mesh->narrow && l < to; l++)
            if (emi_mesh_hosts(mesh, links[l].from)) narrow(emi_at(parts, links[l].from - mesh->first).v, size);
        round_begin(mesh, links + from, to - from, size);
        round_end(mesh);
        if (emi_mesh_failed(mesh)) return;
        for (size_t l = from; l < to; l++) {
            if (!emi_mesh_hosts(mesh, links[l].to)) continue;
            double *into = emi_at(parts, links[l].to - mesh->first).v;
            if (mesh->narrow)
                add_narrow(into, mesh->inbox[links[l].from], size);
            else
                combine(mesh, links[l].from, into, mesh->inbox[links[l].from], size);
        }
    }
}

/* From the root, whose block is in `result` where it is hosted, to everyone. */
static void tree_down(em_mesh *mesh, double *result, size_t size)
{
    for (int i = 0; i < mesh->hosted; i++) mesh->outbox[i] = result;
    count_tree(mesh, size);
    if (mesh->narrow && emi_mesh_has_root(mesh)) narrow(result, size);
    for (int level = 0; level < mesh->tree.depth; level++) {
        size_t from = mesh->level[level], to = mesh->level[level + 1];
        const em_link *links = mesh->tree_back;
        round_begin(mesh, links + from, to - from, size);
        round_end(mesh);
        if (emi_mesh_failed(mesh)) return;
        for (size_t l = from; l < to; l++) {
            const void *arrived = mesh->inbox[links[l].from];
            if (emi_mesh_hosts(mesh, links[l].to) && arrived != result)
                memcpy(result, arrived, size * number_size(mesh));
        }
    }
    emi_masking_follow(mesh, result, size * number_size(mesh));
    if (mesh->narrow) widen(result, size);
}

int emi_mesh_has_root(const em_mesh *mesh)
{
    return emi_mesh_hosts(mesh, 0);
}

/* The first node's block as it is now, unless that is where the result is wanted. */
static void keep_first(const emi_field *parts, double *result)
{
    const double *first = emi_at(parts, 0).v;
    if (result != first) memcpy(result, first, block_size(parts) * sizeof *result);
}

/* By the engine's own ways; counted as what a tree would send. */
static void sum_directly(em_mesh *mesh, const emi_field *parts, int everywhere, double *result)
{
    size_t size = block_size(parts);
    keep_first(parts, result);
    for (int i = 1; i < mesh->hosted; i++) add(mesh, i, result, emi_at(parts, i).v, size);
    if (emi_mesh_failed(mesh)) return;
    unsigned ways = everywhere ? 2 : 1;
    count(mesh, ways, ways * ((uint64_t)mesh->graph->nodes - 1), size);
    double began = emi_seconds();
    mesh->failure.code = mesh->engine.sum(mesh->engine_state, result, size, everywhere, &mesh->failure);
    if (mesh->phase != EMI_OBSERVING) mesh->seconds_waiting += emi_seconds() - began;
}

static void give_directly(em_mesh *mesh, double *block, size_t size)
{
    if (emi_mesh_failed(mesh)) return;
    count(mesh, 1, (uint64_t)mesh->graph->nodes - 1, size);
    double began = emi_seconds();
    mesh->failure.code = mesh->engine.give(mesh->engine_state, block, size * sizeof *block, &mesh->failure);
    if (mesh->phase != EMI_OBSERVING) mesh->seconds_waiting += emi_seconds() - began;
}

void emi_tree_give(em_mesh *mesh, double *block, size_t size)
{
    if (mesh->sums_directly)
        give_directly(mesh, block, size);
    else
        tree_down(mesh, block, size);
}

static void keep_at_root(const em_mesh *mesh, const emi_field *parts, double *result)
{
    if (emi_mesh_hosts(mesh, 0)) keep_first(parts, result);
}

void emi_words_up(em_mesh *mesh, emi_field *words)
{
    tree_up(mesh, words, emi_masking_add);
}

void emi_tree_sum_at_root(em_mesh *mesh, emi_field *parts, double *result)
{
    if (emi_mesh_is_masked(mesh)) {
        emi_masked_answers(mesh, parts, result);
        return;
    }
    if (mesh->sums_directly) {
        sum_directly(mesh, parts, 0, result);
        return;
    }
    tree_up(mesh, parts, add);
    keep_at_root(mesh, parts, result);
}

void emi_tree_sum(em_mesh *mesh, emi_field *parts, double *result)
{
    if (mesh->sums_directly) {
        sum_directly(mesh, parts, 1, result);
        return;
    }
    emi_tree_sum_at_root(mesh, parts, result);
    tree_down(mesh, result, block_size(parts));
}

static void divide_by_nodes(const em_mesh *mesh, double *result, size_t size)
{
    for (size_t t = 0; t < size; t++) result[t] /= mesh->graph->nodes;
}

void emi_tree_average_at_root(em_mesh *mesh, emi_field *parts, double *result)
{
    emi_tree_sum_at_root(mesh, parts, result);
    if (emi_mesh_hosts(mesh, 0)) divide_by_nodes(mesh, result, block_size(parts));
}

void emi_tree_average(em_mesh *mesh, emi_field *parts, double *result)
{
    emi_tree_sum(mesh, parts, result);
    divide_by_nodes(mesh, result, block_size(parts));
}

void emi_tree_max(em_mesh *mesh, emi_field *parts, double *result)
{
    tree_up(mesh, parts, larger);
    keep_at_root(mesh, parts, result);
    tree_down(mesh, result, block_size(parts));
}

em_status emi_process_max(em_mesh *mesh, double *numbers, int count, em_error *err)
{
    emi_field parts = {0};
    int phase = mesh->phase;
    em_status status = emi_field_alloc(&parts, mesh->hosted, count, 1, err);
    if (status != EM_OK) return status;
    for (int i = 0; i < mesh->hosted; i++) memcpy(emi_at(&parts, i).v, numbers, (size_t)count * sizeof *numbers);
    mesh->phase = EMI_OBSERVING;
    mesh->plain = 1;
    emi_tree_max(mesh, &parts, numbers);
    mesh->plain = 0;
    mesh->phase = phase;
    emi_field_free(&parts);
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    return mesh->failure.code;
}

em_status emi_mesh_agree(em_mesh *mesh, em_status status, em_error *err)
{
    double nothing = 0;
    if (!emi_mesh_is_spread(mesh)) return status;
    if (status == EM_OK) status = emi_process_max(mesh, &nothing, 1, err);
    if (status != EM_OK)
        emi_tell_failure(&mesh->engine, mesh->engine_state, status); /* to who waits for this process */
    return status;
}

/* A turn after which the engine may see to what is on its way. */
typedef struct attended {
    const em_mesh *mesh;
    emi_loop_body *body;
    void *context;
} attended;

static em_status attended_body(void *context, int index, int worker, em_error *err)
{
    const attended *a = context;
    em_status status = a->body(a->context, index, worker, err);
    if (worker == 0) a->mesh->engine.progress(a->mesh->engine_state); /* the calling thread, which began the round */
    return status;
}

void emi_mesh_run(em_mesh *mesh, double cost, emi_loop_body *body, void *context)
{
    if (emi_mesh_failed(mesh)) return;
    attended a = {mesh, body, context};
    int attend = mesh->under_way && mesh->engine.progress;
    mesh->failure.code = emi_pool_run(mesh->pool, mesh->hosted, cost, attend ? attended_body : body,
                                      attend ? (void *)&a : context, &mesh->failure);
}
