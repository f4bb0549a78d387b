/* The local engine: all M nodes live in this process, so a block that is sent is simply read where it lies. */
#include "mesh/mesh.h"

static em_status local_open(em_mesh *mesh, em_error *err)
{
    (void)err;
    mesh->first = 0;
    mesh->hosted = mesh->graph->nodes;
    return EM_OK;
}

static void local_close(em_mesh *mesh)
{
    (void)mesh;
}

static em_status local_begin(em_mesh *mesh, emi_links links, const double *const *blocks, size_t count, em_error *err)
{
    (void)links, (void)count, (void)err;
    for (int i = 0; i < mesh->hosted; i++) mesh->inbox[i] = blocks[i];
    return EM_OK;
}

static em_status local_end(em_mesh *mesh, const double **inbox, em_error *err)
{
    (void)mesh, (void)inbox, (void)err;
    return EM_OK;
}

const emi_engine emi_engine_local = {
    .name = "local", .open = local_open, .close = local_close, .begin = local_begin, .end = local_end};
