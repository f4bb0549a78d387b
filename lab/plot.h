/* The pictures: data and a few numbers, filled into the scripts of lab/plots. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "lab/gnuplot.h"
#include "lab/labels.h"

/* ---- curves: errors against what was spent --------------------------------------------------------------- */

typedef struct plot_point {
    double x, y, least, most; /* what is no number is not drawn */
} plot_point;

typedef struct plot_curve {
    const char *title; /* NULL: nothing of it is shown, but its colour is given to no other */
    plot_point *points;
    size_t count;
    int band; /* from the least to the most */
} plot_curve;

typedef struct plot_axes {
    const char *xlabel, *xformat, *ylabel;
    int ysize;  /* of the letters of ylabel; 0: as of the numbers */
    int log_x;  /* -1: where one curve is much longer than another */
    double top; /* 0: as high as the curves */
    int dots;   /* across a linear axis: rows closer than that are not told apart; what is steep has twice as many */
} plot_axes;

typedef struct plot_panel {
    plot_axes axes;
    plot_curve *curves;
    int count;
} plot_panel;

/* Pixels of a panel: beside its axes, over them, below them, and its height without the legend; columns of that at most. */
typedef struct plot_frame {
    int left, right, title, labels, height, columns;
} plot_frame;

/* Panels side by side, and below them one legend, of the first's curves. */
em_status plot_panels(const canvas *to, const plot_frame *frame, const char *title, const plot_panel *panels, int count,
                      em_error *err);

/* ---- traces of fits: the error, or the residual where no truth is known --------------------------------------- */

typedef enum trace_axis { ALONG_ITERATIONS, ALONG_UNITS, ALONG_ROUNDS, ALONG_SECONDS } trace_axis;

typedef struct trace_curve {
    const char *name;
    const em_model *model; /* NULL: it did not run */
} trace_curve;

/* Several fits of one problem, against each of these. */
em_status plot_comparison(const canvas *to, const trace_curve *curves, int count, const trace_axis *axes,
                          int axis_count, em_error *err);

/* The share of variance of each component, and of all up to it. */
em_status plot_scree(const canvas *to, const em_model *model, em_error *err);

/* The same, and beside it how the fit came to its end where that took more than a few iterations: its trace against what was
 * sent. */
em_status plot_fit(const canvas *to, const em_model *model, em_error *err);

/* ---- networks and scores ----------------------------------------------------------------------------------------- */

/* The network: grids as grids, hubs in the middle, all else on a circle. */
em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err);

/* A point a row, along the first two components. */
typedef struct score_plot {
    size_t rows;
    const double *scores; /* [rows][columns] */
    int columns;          /* 1 or 2 */
    double shares[2];     /* of the variance */
    int whitened;
    const labels *labels; /* NULL: all rows alike */
} score_plot;

em_status plot_scores(const canvas *to, const score_plot *s, em_error *err);

/* ---- for those who draw ---------------------------------------------------------------------------------------------- */

/* Where a panel's axes are, from 0 to 1 across the picture and up. */
void plot_place(fill *panel, double left, double right, double bottom, double top);

/* Into a panel: the axes, fitted to all curves, and the curves. */
void plot_curves(fill *panel, const plot_panel *of);

#endif
