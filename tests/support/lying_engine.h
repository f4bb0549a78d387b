/* The local engine with a liar: of the blocks of so many numbers, one number of one node arrives as another. */
#ifndef TESTS_SUPPORT_LYING_ENGINE_H
#define TESTS_SUPPORT_LYING_ENGINE_H

#include "mesh/mesh.h"

typedef struct engine_lie {
    int node;     /* whose */
    size_t size;  /* of the blocks that are altered */
    size_t word;  /* which number */
    double value; /* what it arrives as */
    int from;     /* the first block of this size that is altered, counted from 1 */
} engine_lie;

/* A mesh that is opened on it.  The lie must outlive the mesh. */
em_status lying_engine_open(em_mesh **out, engine_lie *lie, const em_graph *graph, em_error *err);

#endif
