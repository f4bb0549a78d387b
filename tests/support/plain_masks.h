/* Masks whose keys anybody can make: enough to see what the library does with them, in tests that need no libcrypto. */
#ifndef TESTS_SUPPORT_PLAIN_MASKS_H
#define TESTS_SUPPORT_PLAIN_MASKS_H

#include <eigenmesh/masks.h>

/* For all nodes of a mesh here, with a view that follows from the seed. */
em_status plain_masks_set(em_mesh *mesh, uint64_t seed, em_error *err);

/* The table, and a state for it. */
extern const em_masks plain_masks;
void *plain_masks_state(int nodes, uint64_t seed);

/* words += the node's mask with one other. */
void plain_masks_pair(int node, int other, const em_sum *sum, uint64_t *words);

#endif
