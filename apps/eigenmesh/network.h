/* The network that --topology, --weights and --seed describe. */
#ifndef EIGENMESH_NETWORK_H
#define EIGENMESH_NETWORK_H

#include <eigenmesh/eigenmesh.h>

/* What is used when no topology is named. */
const char *network_default_topology(int nodes);

/* weights: a rule's name, file:W.npy, or NULL for the library's own. */
em_status network_create(em_graph **out, const char *topology, const char *weights, int nodes, uint64_t seed,
                         em_error *err);

#endif
