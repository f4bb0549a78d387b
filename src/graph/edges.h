/* A list of edges as it grows, and the graph made of it. */
#ifndef EMI_GRAPH_EDGES_H
#define EMI_GRAPH_EDGES_H

#include "graph/graph.h"
#include "graph/pair_set.h"

typedef struct emi_edges {
    size_t count, capacity;
    int (*pair)[2]; /* [count] */
} emi_edges;

em_status emi_edges_add(emi_edges *edges, int i, int j, em_error *err);
void emi_edges_free(emi_edges *edges);

/* Add an edge that someone wrote down: both ends must be nodes, different ones, and the pair not among those
 * `seen`, which it joins.  A refusal has this code, and a message that says why but not where. */
em_status emi_edges_add_checked(emi_edges *edges, emi_pair_set *seen, int nodes, long i, long j, em_status code,
                                em_error *err);

/* The graph of a list without loops and repetitions, with Metropolis weights; connected or not. */
em_status emi_graph_build(em_graph **out, int nodes, const emi_edges *edges, em_error *err);

#endif
