/* A small network with a table spread over it: all that em_fit needs. */
#ifndef TESTS_SUPPORT_NETWORK_H
#define TESTS_SUPPORT_NETWORK_H

#include <eigenmesh/eigenmesh.h>

typedef struct network {
    em_data *data;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
} network;

typedef struct network_plan {
    const double *values; /* [rows * columns], borrowed */
    size_t rows, columns;
    const char *topology;
    int nodes, threads;
} network_plan;

/* On failure nothing is left open. */
em_status network_open(network *out, const network_plan *plan, em_error *err);
void network_close(network *net); /* accepts the zeroed */

#endif
