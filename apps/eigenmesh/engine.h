/* The engines of this program: how its processes find each other, and how a mesh on them is opened.  An engine is a file
 * engine_NAME.c that defines `engine_NAME`, and a line in the top CMakeLists.txt, which knows what was found and makes of
 * it EIGENMESH_ENGINES: X(local) X(mpi) ... */
#ifndef EIGENMESH_APP_ENGINE_H
#define EIGENMESH_APP_ENGINE_H

#include <eigenmesh/engine.h>

/* Those that were started together, as far as this one knows: by itself a process is {.size = 1}. */
typedef struct processes {
    int rank, size;         /* the rank as soon as it is known, since the first one speaks */
    const em_engine *mover; /* where there are several: moves bytes between them, one node a process */
    void *state;            /* of the mover */
} processes;

/* All but the name may be NULL, where there is nothing to do: the local engine hosts all nodes in one process. */
typedef struct engine {
    const char *name; /* as --engine knows it */

    /* Join the others, where this process was started by what starts several under this engine. */
    em_status (*join)(int *argc, char ***argv, double patience, processes *out, em_error *err);

    /* The nodes that live here, and then the mesh; in one process too, where this engine was asked for by name. */
    em_status (*nodes)(int nodes, int *first, int *hosted, em_error *err);
    em_status (*open)(em_mesh **out, const em_graph *graph, int threads, double patience, em_error *err);

    void (*part)(double patience); /* at the end of the program, whether joined or not */
    void (*abort)(void);           /* instead of that where a process is lost: end them all */
} engine;

/* Those that were found when this was built; NULL past the end. */
const engine *engine_at(int index);

/* engine_local (cluster.c), which is always there, and the others. */
#define X(name) extern const engine engine_##name;
EIGENMESH_ENGINES
#undef X

#endif
