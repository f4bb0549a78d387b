/* A set of unordered pairs of nodes: a hash table, so that it costs what it holds and not nodes x nodes. */
#ifndef EMI_GRAPH_PAIR_SET_H
#define EMI_GRAPH_PAIR_SET_H

#include "base/error.h"

typedef struct emi_pair_set {
    uint64_t *slot; /* [slots] */
    size_t slots;   /* a power of two, or 0 at first */
    size_t used;    /* slots that hold a pair or once held one */
    size_t count;   /* pairs in the set */
} emi_pair_set;

int emi_pair_set_has(const emi_pair_set *set, int i, int j);
em_status emi_pair_set_add(emi_pair_set *set, int i, int j, em_error *err);
void emi_pair_set_remove(emi_pair_set *set, int i, int j);
void emi_pair_set_free(emi_pair_set *set);

#endif
