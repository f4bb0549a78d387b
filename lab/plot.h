/* The pictures. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "lab/gnuplot.h"

/* The share of variance of each component, and of all up to it. */
em_status plot_scree(const canvas *to, const em_model *model, em_error *err);

/* The same, and beside it how the fit came to its end where that took more than a few iterations: the error, or the
 * residual where no truth is known, against what was sent. */
em_status plot_fit(const canvas *to, const em_model *model, em_error *err);

/* The network: grids as grids, hubs in the middle, all else on a circle. */
em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err);

#endif
