/* Distances in steps along edges. */
#ifndef EMI_GRAPH_DISTANCE_H
#define EMI_GRAPH_DISTANCE_H

#include "graph/graph.h"

/* The largest distance between two nodes of a connected graph. */
em_status emi_graph_diameter(const em_graph *graph, int *out, em_error *err);

/* A node that node 0 has no path to, or -1 when the graph is connected. */
em_status emi_graph_find_unreached(const em_graph *graph, int *out, em_error *err);

/* EM_EINVAL unless connected; the message names two nodes with no path, but not the graph. */
em_status emi_graph_check_connected(const em_graph *graph, em_error *err);

#endif
