#include "support/faulty_engine.h"

#include <stdlib.h>
#include <time.h>

/* What is behind it: the engine that the mesh was opened on. */
static em_engine sound;
static void *sound_state;
static em_error withheld; /* what a silent one did not tell */

static em_status count_call(engine_fault *fault, em_error *err)
{
    long call = fault->calls++;
    int silent = fault->kind == FAULT_SILENT && fault->at >= 0 && call > fault->at;
    if (silent || (call == fault->at && fault->kind != FAULT_DROPS))
        return emi_fail_at(err, EM_ENET, 1, "node 1: lost in call %ld; try again", call);
    return EM_OK;
}

static void wait_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    (void)nanosleep(&time, NULL);
}

static em_status faulty_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                              em_error *err)
{
    engine_fault *fault = state;
    fault->links = links;
    fault->count = count;
    fault->blocks = blocks;
    fault->bytes = bytes;
    em_status status = count_call(fault, err);
    if (status != EM_OK || fault->late > 0) return status;
    return sound.begin(sound_state, links, count, blocks, bytes, err);
}

static em_status faulty_end(void *state, const void **inbox, em_error *err)
{
    engine_fault *fault = state;
    em_status status = count_call(fault, err);
    if (status == EM_OK && fault->late > 0) {
        wait_for(fault->late);
        status = sound.begin(sound_state, fault->links, fault->count, fault->blocks, fault->bytes, err);
    }
    if (status == EM_OK) status = sound.end(sound_state, inbox, err);
    if (status != EM_OK) return status;
    if (fault->alter) fault->alter(fault, inbox);
    if (fault->kind == FAULT_DROPS && fault->at >= 0 && fault->calls > fault->at && fault->count > 0)
        inbox[fault->links[0].from] = NULL;
    return EM_OK;
}

static void faulty_fail(void *state, const em_error *err)
{
    const engine_fault *fault = state;
    if (fault->kind == FAULT_SILENT)
        withheld = *err;
    else
        sound.fail(sound_state, err);
}

/* By then everyone has found out. */
static void faulty_close(void *state)
{
    (void)state;
    if (withheld.code != EM_OK && sound.fail) sound.fail(sound_state, &withheld);
    sound.close(sound_state);
}

static void faulty_progress(void *state)
{
    const engine_fault *fault = state;
    if (!(fault->late > 0)) sound.progress(sound_state);
}

static void faulty_patience(void *state, double seconds)
{
    (void)state;
    sound.patience(sound_state, seconds);
}

/* Over the tree alone: sums of its own would be a way around the fault. */
static em_engine wrap(const em_engine *engine, void *state)
{
    sound = *engine;
    sound_state = state;
    return (em_engine){.size = sizeof(em_engine),
                       .name = "faulty",
                       .begin = faulty_begin,
                       .end = faulty_end,
                       .close = faulty_close,
                       .fail = sound.fail ? faulty_fail : NULL,
                       .progress = sound.progress ? faulty_progress : NULL,
                       .patience = sound.patience ? faulty_patience : NULL};
}

void faulty_engine_install(em_mesh *mesh, engine_fault *fault)
{
    withheld = (em_error){0};
    if (mesh->engine.begin != faulty_begin) mesh->engine = wrap(&mesh->engine, mesh->engine_state);
    mesh->engine_state = fault;
}

em_status faulty_engine_open(em_mesh **out, engine_fault *fault, const em_graph *graph, em_error *err)
{
    void *state = NULL;
    withheld = (em_error){0};
    if (emi_engine_local_new(&state, graph, err) != EM_OK) abort();
    em_engine faulty = wrap(&emi_engine_local, state);
    return em_mesh_open_on(out, &faulty, fault, 0, em_graph_nodes(graph), graph, 1, err);
}
