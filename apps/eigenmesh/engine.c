/* The table of engines, and the one that is always in it: a process that hosts all nodes. */
#include "engine.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

const engine *engine_at(int index)
{
#define X(name) &engine_##name,
    static const engine *const engines[] = {EIGENMESH_ENGINES};
#undef X
    return index >= 0 && index < (int)(sizeof engines / sizeof *engines) ? engines[index] : NULL;
}

const engine *engine_named(const char *name)
{
    for (int i = 0; engine_at(i); i++)
        if (strcmp(engine_at(i)->name, name) == 0) return engine_at(i);
    return NULL;
}

/* Each of several processes would do all of the work, and write the same files. */
static em_status join(int *argc, char ***argv, double patience, int *rank, int *size, em_error *err)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    (void)argc, (void)argv, (void)patience, (void)rank, (void)size;
    for (int i = 0; i < 2 && !engine_named("mpi"); i++) {
        const char *started = getenv(sizes[i]);
        if (started && strcmp(started, "1") != 0)
            return emi_fail(err, EM_ENOTSUP, "mpi: not built in, and %s processes were started; try a build with MPI",
                            started);
    }
    return EM_OK;
}

static em_status nodes_here(int nodes, int *first, int *hosted, em_error *err)
{
    (void)err;
    *first = 0;
    *hosted = nodes;
    return EM_OK;
}

static em_status open_mesh(em_mesh **out, const em_graph *graph, int threads, double patience, em_error *err)
{
    (void)patience;
    return em_mesh_open(out, "local", graph, threads, err);
}

const engine engine_local = {.name = "local", .join = join, .nodes = nodes_here, .open = open_mesh};
