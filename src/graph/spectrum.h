/* How fast mixing forgets disagreement. */
#ifndef EMI_GRAPH_SPECTRUM_H
#define EMI_GRAPH_SPECTRUM_H

#include "graph/graph.h"

/* beta = max(|lambda_2|, |lambda_M|) of W: the size of W - J/M, where J is all ones.  0 for a single node. */
em_status emi_graph_beta(const em_graph *graph, double *beta, em_error *err);

/* The two ways of it, to compare: LAPACK on nodes x nodes numbers, and Lanczos on the edges. */
em_status emi_beta_dense(const em_graph *graph, double *beta, em_error *err);
em_status emi_beta_sparse(const em_graph *graph, double *beta, em_error *err);

#endif
