#include "support/faulty_engine.h"

/* What is behind it: the engine that the mesh was opened on. */
static const em_engine *sound;
static void *sound_state;

static em_status count_call(engine_fault *fault, em_error *err)
{
    long call = fault->calls++;
    if (call == fault->at) return emi_fail_at(err, EM_ENET, 1, "node 1: lost in call %ld; try again", call);
    return EM_OK;
}

static em_status faulty_begin(void *state, const em_link *links, size_t count, const double *const *blocks, size_t size,
                              em_error *err)
{
    em_status status = count_call(state, err);
    return status ? status : sound->begin(sound_state, links, count, blocks, size, err);
}

static em_status faulty_end(void *state, const double **inbox, em_error *err)
{
    em_status status = count_call(state, err);
    return status ? status : sound->end(sound_state, inbox, err);
}

static void faulty_close(void *state)
{
    (void)state;
    sound->close(sound_state);
}

void faulty_engine_install(em_mesh *mesh, engine_fault *fault)
{
    static const em_engine faulty = {.name = "faulty", .begin = faulty_begin, .end = faulty_end, .close = faulty_close};
    if (mesh->engine != &faulty) {
        sound = mesh->engine;
        sound_state = mesh->engine_state;
    }
    mesh->engine = &faulty;
    mesh->engine_state = fault;
}
