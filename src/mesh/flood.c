/* The spanning tree, found by the nodes themselves.
 *
 * In every round each node tells its neighbours what it knows, and learns from what they knew a round ago:
 *   depth   its distance from node 0, once a neighbour has one: one more than the nearest
 *   parent  the smallest-numbered of those nearest neighbours
 *   height  of its subtree, once all neighbours have chosen their parents and all children know theirs
 *   end     the round after which all stop; node 0 sets it when it knows its own height, far enough ahead for
 *           everyone to hear of it
 *   total   the depth of the whole tree, told together with it
 * So all nodes stop in the same round, about 3 depths after the first, with no one having seen the whole graph. */
#include "base/memory.h"
#include "mesh/mesh.h"

enum { DEPTH, PARENT, HEIGHT, END, TOTAL, WORDS };

/* ---- what others say --------------------------------------------------------------------------------------------- */

static int is_whole(double value, double least, double most)
{
    return value >= least && value <= most && value == (double)(long)value; /* no NaN passes the first two */
}

static void disbelieve(em_mesh *mesh, int node, const char *what, double value)
{
    if (emi_mesh_failed(mesh)) return;
    mesh->failure.code = emi_fail_at(
        &mesh->failure, EM_ENET, node,
        "node %d: says that its %s is %g, which cannot be; try the same program everywhere", node, what, value);
}

/* Down to the deepest node, up again, down again, and a round or two at every turn. */
static long most_rounds(const em_mesh *mesh)
{
    return 3L * mesh->graph->nodes + 4;
}

/* Nothing that arrives is used as an index, a depth or a count before it has been found to be one: -1, not known yet, or a
 * number that such a node may have in this round. */
static void check_numbers(em_mesh *mesh, int node, const double *said, int round)
{
    static const char *const names[WORDS] = {"depth", "parent", "height", "last round", "tree's depth"};
    double last = mesh->graph->nodes - 1, reached = round - 1 < last ? round - 1 : last;
    const double least[WORDS] = {node > 0, 0, 0, round, 1};
    const double most[WORDS] = {node > 0 ? reached : 0, last, last, (double)most_rounds(mesh), last};
    for (int w = 0; w < WORDS; w++)
        if (said[w] != -1 && !is_whole(said[w], least[w], most[w])) disbelieve(mesh, node, names[w], said[w]);
    if ((said[PARENT] >= 0) != (said[DEPTH] > 0)) disbelieve(mesh, node, names[PARENT], said[PARENT]);
    if (said[HEIGHT] >= 0 && said[DEPTH] < 0) disbelieve(mesh, node, names[HEIGHT], said[HEIGHT]);
    if ((said[END] >= 0) != (said[TOTAL] >= 0)) disbelieve(mesh, node, names[END], said[END]);
}

/* Neighbours are at most one level apart, a child just one, and there is one end. */
static void check_beside(em_mesh *mesh, int node, const double *said, int here, const double *own)
{
    double deeper = said[DEPTH] - own[DEPTH];
    int both = said[DEPTH] >= 0 && own[DEPTH] >= 0, child = said[PARENT] == here;
    if (both && (deeper < -1 || deeper > 1)) disbelieve(mesh, node, "depth", said[DEPTH]);
    if (child && (!both || deeper != 1)) disbelieve(mesh, node, "parent", said[PARENT]);
    if (said[END] < 0 || own[END] < 0) return;
    if (said[END] != own[END]) disbelieve(mesh, node, "last round", said[END]);
    if (said[TOTAL] != own[TOTAL]) disbelieve(mesh, node, "tree's depth", said[TOTAL]);
}

/* What all neighbours of a node here have said in this round; `own` is what it knew before. */
static void check_neighbours(em_mesh *mesh, int here, const double *own, int round)
{
    const em_graph *graph = mesh->graph;
    for (size_t e = graph->start[here]; e < graph->start[here + 1] && !emi_mesh_failed(mesh); e++) {
        const double *said = mesh->inbox[graph->neighbour[e]];
        check_numbers(mesh, graph->neighbour[e], said, round);
        check_beside(mesh, graph->neighbour[e], said, here, own);
    }
}

static int are_neighbours(const em_graph *graph, int i, int j)
{
    size_t low = graph->start[i], high = graph->start[i + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->neighbour[middle] == j) return 1;
        if (graph->neighbour[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* A parent is a neighbour, and no node is deeper than the tree. */
static void check_place(em_mesh *mesh, int node, const double *known)
{
    int root = node == 0 && known[DEPTH] == 0;
    if (!root && (known[DEPTH] < 1 || known[DEPTH] > known[TOTAL])) disbelieve(mesh, node, "depth", known[DEPTH]);
    if (!root && !are_neighbours(mesh->graph, node, (int)known[PARENT]))
        disbelieve(mesh, node, "parent", known[PARENT]);
}

/* At the end, once more, as all of it is now believed. */
static void check_tree(em_mesh *mesh, const emi_field *known, int round)
{
    const em_graph *graph = mesh->graph;
    for (int i = 0; i < mesh->hosted && !emi_mesh_failed(mesh); i++) {
        const double *own = emi_at(known, i).v;
        int node = mesh->first + i;
        check_place(mesh, node, own);
        if (own[END] != round) disbelieve(mesh, node, "last round", own[END]);
        for (size_t e = graph->start[node]; e < graph->start[node + 1] && !emi_mesh_failed(mesh); e++) {
            const double *said = mesh->inbox[graph->neighbour[e]];
            check_beside(mesh, graph->neighbour[e], said, node, own);
            check_place(mesh, graph->neighbour[e], said);
        }
    }
}

/* ---- what a node makes of it --------------------------------------------------------------------------------------- */

static void know_nothing(em_mesh *mesh, emi_field *known)
{
    for (int i = 0; i < mesh->hosted; i++) {
        double *own = emi_at(known, i).v;
        for (int w = 0; w < WORDS; w++) own[w] = -1;
        if (mesh->first + i == 0) own[DEPTH] = 0;
    }
}

static void learn_depth(const em_mesh *mesh, int node, double *own)
{
    const em_graph *graph = mesh->graph;
    if (own[DEPTH] >= 0) return;
    for (size_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
        const double *other = mesh->inbox[graph->neighbour[e]];
        if (other[DEPTH] < 0 || (own[DEPTH] >= 0 && other[DEPTH] + 1 >= own[DEPTH])) continue;
        own[DEPTH] = other[DEPTH] + 1;
        own[PARENT] = graph->neighbour[e]; /* neighbours come in increasing order */
    }
}

static void learn_height(const em_mesh *mesh, int node, double *own)
{
    const em_graph *graph = mesh->graph;
    double height = 0;
    if (own[HEIGHT] >= 0 || own[DEPTH] < 0) return;
    for (size_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
        const double *other = mesh->inbox[graph->neighbour[e]];
        int child = other[PARENT] == node;
        if (other[DEPTH] < 0 || (child && other[HEIGHT] < 0)) return; /* not yet */
        if (child && other[HEIGHT] + 1 > height) height = other[HEIGHT] + 1;
    }
    own[HEIGHT] = height;
}

static void learn_end(const em_mesh *mesh, int node, double *own, int round)
{
    const em_graph *graph = mesh->graph;
    if (own[END] >= 0) return;
    if (node == 0 && own[HEIGHT] >= 0) {
        own[END] = round + own[HEIGHT] + 1;
        own[TOTAL] = own[HEIGHT];
    }
    for (size_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
        const double *other = mesh->inbox[graph->neighbour[e]];
        if (other[END] < 0) continue;
        own[END] = other[END];
        own[TOTAL] = other[TOTAL];
    }
}

/* One round; returns whether the nodes go on. */
static int flood_round(em_mesh *mesh, emi_field *known, emi_field *next, int round)
{
    emi_send_to_neighbours(mesh, known);
    emi_receive(mesh);
    emi_field_copy(known, next);
    for (int i = 0; i < mesh->hosted && !emi_mesh_failed(mesh); i++) {
        double *own = emi_at(next, i).v;
        check_neighbours(mesh, mesh->first + i, own, round);
        if (emi_mesh_failed(mesh)) break;
        learn_depth(mesh, mesh->first + i, own);
        learn_height(mesh, mesh->first + i, own);
        learn_end(mesh, mesh->first + i, own, round);
    }
    emi_swap(known, next);
    return !emi_mesh_failed(mesh) && emi_at(known, 0).v[END] != round;
}

/* What the hosted nodes know of the tree: their own place, and which neighbours are their children. */
static void keep_tree(em_mesh *mesh, const emi_field *known)
{
    emi_tree *tree = &mesh->tree;
    const em_graph *graph = mesh->graph;
    for (int i = 0; i < mesh->hosted; i++) {
        int node = mesh->first + i;
        const double *own = emi_at(known, i).v;
        tree->depth_of[node] = (int)own[DEPTH];
        tree->parent[node] = (int)own[PARENT];
        tree->depth = graph->nodes > 1 ? (int)own[TOTAL] : 0;
        for (size_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
            const double *other = mesh->inbox[graph->neighbour[e]];
            if (other[PARENT] != node) continue;
            tree->depth_of[graph->neighbour[e]] = (int)other[DEPTH];
            tree->parent[graph->neighbour[e]] = node;
        }
    }
}

em_status emi_mesh_flood(em_mesh *mesh, em_error *err)
{
    em_status status = EM_OK;
    size_t nodes = (size_t)mesh->graph->nodes;
    emi_field known = {0}, next = {0};
    mesh->tree.nodes = mesh->graph->nodes;
    mesh->tree.parent = emi_malloc(nodes * sizeof *mesh->tree.parent);
    mesh->tree.depth_of = emi_malloc(nodes * sizeof *mesh->tree.depth_of);
    if (!mesh->tree.parent || !mesh->tree.depth_of) TRY(emi_fail_memory_try(err, "spanning tree", "fewer nodes"));
    for (size_t i = 0; i < nodes; i++) mesh->tree.parent[i] = mesh->tree.depth_of[i] = -1; /* not known here */
    TRY(emi_field_alloc(&known, mesh->hosted, WORDS, 1, err));
    TRY(emi_field_alloc(&next, mesh->hosted, WORDS, 1, err));
    know_nothing(mesh, &known);
    int round = 1;
    while (nodes > 1 && flood_round(mesh, &known, &next, round))
        if (++round > most_rounds(mesh))
            TRY(emi_fail(err, EM_ENET,
                         "mesh: the nodes found no spanning tree in %d rounds; try the same program "
                         "everywhere",
                         round - 1));
    if (nodes > 1 && !emi_mesh_failed(mesh)) check_tree(mesh, &known, round);
    if (emi_mesh_failed(mesh)) {
        if (err) *err = mesh->failure;
        TRY(mesh->failure.code);
    }
    keep_tree(mesh, &known);
done:
    emi_field_free(&next);
    emi_field_free(&known);
    return status;
}
