#include "support/faulty_engine.h"

static em_status count_call(em_mesh *mesh, em_error *err)
{
    engine_fault *fault = mesh->engine_state;
    long call = fault->calls++;
    if (call == fault->at) return emi_fail_at(err, EM_ENET, 1, "node 1: lost in call %ld; try again", call);
    return EM_OK;
}

static em_status faulty_begin(em_mesh *mesh, emi_links links, const double *const *blocks, size_t count, em_error *err)
{
    em_status status = count_call(mesh, err);
    return status ? status : emi_engine_local.begin(mesh, links, blocks, count, err);
}

static em_status faulty_end(em_mesh *mesh, const double **inbox, em_error *err)
{
    em_status status = count_call(mesh, err);
    return status ? status : emi_engine_local.end(mesh, inbox, err);
}

static em_status faulty_open(em_mesh *mesh, em_error *err)
{
    return emi_engine_local.open(mesh, err);
}

static void faulty_close(em_mesh *mesh)
{
    emi_engine_local.close(mesh);
}

void faulty_engine_install(em_mesh *mesh, engine_fault *fault)
{
    static const emi_engine faulty = {
        .name = "faulty", .open = faulty_open, .close = faulty_close, .begin = faulty_begin, .end = faulty_end};
    mesh->engine = &faulty;
    mesh->engine_state = fault;
}
