/* The network's graph: undirected, connected, with symmetric doubly stochastic mixing weights. */
#ifndef EMI_GRAPH_GRAPH_H
#define EMI_GRAPH_GRAPH_H

#include "base/error.h"

/* Compressed rows: node i's neighbours are neighbour[start[i]] .. neighbour[start[i + 1] - 1], in
 * increasing order, with weight w_ij beside each. */
struct em_graph {
    int nodes;
    size_t edges;
    size_t *start;      /* [nodes + 1]  */
    size_t *first_edge; /* [nodes + 1] how many edges (i, j), i < j, come before node i's */
    int *neighbour;     /* [2 edges]    */
    double *weight;     /* [2 edges]    */
    double *self;       /* [nodes] w_ii */
};

/* A breadth-first spanning tree from node 0, each node's parent being its smallest-numbered neighbour
 * one step nearer to the root. */
typedef struct emi_tree {
    int nodes;
    int depth;     /* of the deepest node; the root's is 0 */
    int *parent;   /* [nodes] -1 for the root */
    int *depth_of; /* [nodes] */
} emi_tree;

em_status emi_tree_build(emi_tree *out, const em_graph *graph, em_error *err);
void emi_tree_free(emi_tree *tree); /* accepts the zeroed and the half-built */

int emi_graph_degree(const em_graph *graph, int node);

/* The network average of W's mixing, sparse: z = W v for a vector of one number a node. */
void emi_graph_mix_vector(const em_graph *graph, const double *v, double *z);

#endif
