/* The local engine: all M nodes live in this process, so a block that is sent is simply read where it lies. */
#include "base/memory.h"
#include "mesh/engine.h"

typedef struct local {
    int nodes;
    const void *const *blocks; /* between begin and end */
} local;

em_status emi_engine_local_new(void **state, const em_graph *graph, em_error *err)
{
    local *engine = emi_calloc(1, sizeof *engine);
    if (!engine) return emi_fail_memory_try(err, "mesh", "fewer nodes");
    engine->nodes = em_graph_nodes(graph);
    *state = engine;
    return EM_OK;
}

static em_status local_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                             em_error *err)
{
    (void)links, (void)count, (void)bytes, (void)err;
    ((local *)state)->blocks = blocks;
    return EM_OK;
}

static em_status local_end(void *state, const void **inbox, em_error *err)
{
    (void)err;
    const local *engine = state;
    for (int i = 0; i < engine->nodes; i++) inbox[i] = engine->blocks[i];
    return EM_OK;
}

static void local_close(void *state)
{
    emi_free(state);
}

const em_engine emi_engine_local = {
    .size = sizeof(em_engine), .name = "local", .begin = local_begin, .end = local_end, .close = local_close};
