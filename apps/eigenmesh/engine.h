/* The engines of this program: how its processes find each other, and how a mesh on them is opened.  An engine is a file
 * engine_NAME.c that defines `engine_NAME`, and a line in the top CMakeLists.txt, which knows what was found and makes of
 * it EIGENMESH_ENGINES: X(local) X(mpi) ... */
#ifndef EIGENMESH_APP_ENGINE_H
#define EIGENMESH_APP_ENGINE_H

#include <eigenmesh/engine.h>

typedef struct engine {
    const char *name; /* as --engine knows it */

    /* Join those that were started together with this process, where it was started by what starts them under this engine;
     * else *size stays 1.  *rank is set as soon as it is known, since the first one speaks. */
    em_status (*join)(int *argc, char ***argv, double patience, int *rank, int *size, em_error *err);

    /* What moves bytes between them, one node a process; asked for where there are several. */
    em_status (*connect)(const em_engine **mover, void **state, double patience, em_error *err);

    /* The nodes that live here, and the mesh; in one process too, where this engine was asked for by name. */
    em_status (*nodes)(int nodes, int *first, int *hosted, em_error *err);
    em_status (*open)(em_mesh **out, const em_graph *graph, int threads, double patience, em_error *err);

    void (*part)(double patience); /* at the end of the program, whether joined or not; NULL: nothing to do */
    void (*abort)(void);           /* instead of that where a process is lost: end them all */
} engine;

/* Those that were found when this was built; NULL past the end, and where there is none of this name. */
const engine *engine_at(int index);
const engine *engine_named(const char *name);

/* engine_local, which is always there, and the others. */
#define X(name) extern const engine engine_##name;
EIGENMESH_ENGINES
#undef X

#endif
