/* Any engine, with something wrong: its blocks come late, one of its calls fails as a lost neighbour would, a block is
 * missing, it falls silent, or what has arrived is altered.  One at a time in a process. */
#ifndef TESTS_SUPPORT_FAULTY_ENGINE_H
#define TESTS_SUPPORT_FAULTY_ENGINE_H

#include "mesh/mesh.h"

enum fault_kind {
    FAULT_FAILS,  /* the call returns an error                                             */
    FAULT_DROPS,  /* the `end` of that round, or of the first after it, leaves a block out */
    FAULT_SILENT, /* from then on all calls fail, nothing leaves, and nobody is told       */
};

enum { FAULT_NEVER = -1 };

typedef struct engine_fault engine_fault;
struct engine_fault {
    long at; /* the call of `begin` or `end` that goes wrong, counted from 0 */
    enum fault_kind kind;
    double late;                                            /* seconds that every block is held back */
    void (*alter)(engine_fault *fault, const void **inbox); /* what has arrived, before the mesh reads it */

    long calls; /* so far */

    const em_link *links; /* of the round under way */
    size_t count, bytes;
    const void *const *blocks;
};

/* From now on the open mesh moves its blocks by the faulty engine, on whichever it has.  The fault must outlive the mesh. */
void faulty_engine_install(em_mesh *mesh, engine_fault *fault);

/* A mesh that is opened on it, on the local engine. */
em_status faulty_engine_open(em_mesh **out, engine_fault *fault, const em_graph *graph, em_error *err);

#endif
