/* The local engine with a bad node: one number that it sends is NaN, of what is iterated, or of its share in what all
 * decide together. */
#ifndef TESTS_SUPPORT_POISONED_ENGINE_H
#define TESTS_SUPPORT_POISONED_ENGINE_H

#include "mesh/mesh.h"

enum { POISON_LARGEST = 1024 }; /* doubles in a block, at most */

typedef struct engine_poison {
    em_phase phase; /* of which the exchanges count                       */
    long at;        /* the exchange in question, counted from 0           */
    int lasting;    /* and all after it                                   */
    size_t entry;   /* of the block, modulo its size                      */
    long seen;      /* so far                                             */
    double block[POISON_LARGEST];
    const em_mesh *mesh;
    size_t size;
    int sender;
} engine_poison;

/* From now on the open mesh moves its blocks by this engine.  The poison must outlive the mesh. */
void poisoned_engine_install(em_mesh *mesh, engine_poison *poison);

#endif
