#include "support/lying_engine.h"

#include <stdlib.h>
#include <string.h>

typedef struct liar {
    engine_lie *lie;
    void *honest; /* the local engine's state */
    size_t size;  /* of the blocks under way */
    int rounds;   /* of blocks of the lie's size */
    double *block;
} liar;

static em_status lying_begin(void *state, const em_link *links, size_t count, const double *const *blocks, size_t size,
                             em_error *err)
{
    liar *l = state;
    l->size = size;
    return emi_engine_local.begin(l->honest, links, count, blocks, size, err);
}

static em_status lying_end(void *state, const double **inbox, em_error *err)
{
    liar *l = state;
    const engine_lie *lie = l->lie;
    em_status status = emi_engine_local.end(l->honest, inbox, err);
    if (status != EM_OK || l->size != lie->size || ++l->rounds < lie->from) return status;
    memcpy(l->block, inbox[lie->node], lie->size * sizeof *l->block);
    l->block[lie->word] = lie->value;
    inbox[lie->node] = l->block;
    return EM_OK;
}

static void lying_close(void *state)
{
    liar *l = state;
    emi_engine_local.close(l->honest);
    free(l->block);
    free(l);
}

em_status lying_engine_open(em_mesh **out, engine_lie *lie, const em_graph *graph, em_error *err)
{
    static const em_engine lying = {.name = "lying", .begin = lying_begin, .end = lying_end, .close = lying_close};
    liar *l = calloc(1, sizeof *l);
    if (!l || !(l->block = calloc(lie->size, sizeof *l->block))) abort();
    l->lie = lie;
    if (emi_engine_local_new(&l->honest, graph, err) != EM_OK) abort();
    return em_mesh_open_on(out, &lying, l, 0, em_graph_nodes(graph), graph, 1, err);
}
