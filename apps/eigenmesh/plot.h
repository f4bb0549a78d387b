/* The pictures. */
#ifndef EIGENMESH_PLOT_H
#define EIGENMESH_PLOT_H

#include <eigenmesh/eigenmesh.h>

/* Variance of each component, and the share of all variance up to it. */
em_status plot_scree(em_output *output, const em_model *model, em_error *err);

/* Error, or the residual where no truth is known, against what was sent. */
em_status plot_trace(em_output *output, const em_model *model, em_error *err);

/* The network: grids as grids, all else on a circle. */
em_status plot_graph(em_output *output, const em_graph *graph, const char *topology, em_error *err);

#endif
