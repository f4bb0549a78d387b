/* The local engine with a fault: one of its calls fails as a lost neighbour would. */
#ifndef TESTS_SUPPORT_FAULTY_ENGINE_H
#define TESTS_SUPPORT_FAULTY_ENGINE_H

#include "mesh/mesh.h"

typedef struct engine_fault {
    long at;    /* the call of `begin` or `end` that fails, counted from 0 */
    long calls; /* so far */
} engine_fault;

/* From now on the open mesh moves its blocks by the faulty engine.  The fault must outlive the mesh. */
void faulty_engine_install(em_mesh *mesh, engine_fault *fault);

#endif
