/* The pictures: data and a few numbers, filled into the scripts of lab/plots. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "lab/gnuplot.h"

/* ---- curves: errors against what was spent --------------------------------------------------------------- */

typedef struct plot_point {
    double x, y, least, most; /* what is no number is not drawn */
} plot_point;

typedef struct plot_curve {
    char title[80];   /* "": nothing of it is shown, but its colour is given to no other */
    const void *from; /* what plot_axes.at reads */
    size_t count;     /* of points */
    int band;         /* from the least to the most */
} plot_curve;

typedef struct plot_axes {
    plot_point (*at)(const void *from, size_t index, int along);
    int along; /* for `at` */
    const char *xlabel, *xformat, *ylabel;
    int ysize;  /* of the letters of ylabel; 0: as of the numbers */
    int log_x;  /* -1: where one curve is much longer than another */
    double top; /* 0: as high as the curves */
    int dots;   /* across a linear axis: rows closer than that are not told apart; what is steep has twice as many */
} plot_axes;

/* Pixels of a panel: beside its axes, over them, below them, and its height without the legend; columns of that at most. */
typedef struct plot_frame {
    int left, right, title, labels, height, columns;
} plot_frame;

/* The same curves in panels side by side, against other axes in each, and below them one legend. */
em_status plot_panels(const canvas *to, const plot_frame *frame, const char *title, const plot_curve *curves,
                      int curve_count, const plot_axes *axes, int axes_count, em_error *err);

/* Where a panel's axes are, from 0 to 1 across the picture and up. */
void fill_place(fill *panel, double left, double right, double bottom, double top);

/* Into one panel: the axes, fitted to all curves, and the curves. */
void fill_curves(fill *panel, const plot_axes *axes, const plot_curve *curves, int count);

/* ---- fits: their traces, which are the error, or the residual where no truth is known; their variances ----------------- */

typedef enum trace_axis { ALONG_ITERATIONS, ALONG_UNITS, ALONG_ROUNDS, ALONG_SECONDS } trace_axis;

typedef struct trace_curve {
    const char *name;
    const em_model *model; /* NULL: it did not run */
} trace_curve;

/* Several fits of one problem, against each of these, two at most. */
em_status plot_comparison(const canvas *to, const trace_curve *curves, int count, const trace_axis *axes,
                          int axis_count, em_error *err);

/* The share of variance of each component, and of all up to it. */
em_status plot_scree(const canvas *to, const em_model *model, em_error *err);

/* The same, and beside it how the fit came to its end where that took more than a few iterations: its trace against what was
 * sent. */
em_status plot_fit(const canvas *to, const em_model *model, em_error *err);

/* ---- networks ----------------------------------------------------------------------------------------------------------- */

/* Grids as grids, hubs in the middle, all else on a circle. */
em_status plot_graph(const canvas *to, const em_graph *graph, const char *topology, em_error *err);

/* ---- scores: a point a row, along the first two components ----------------------------------------------------------------- */

enum { CLASSES_MAX = 12 };

/* What the rows are called, so that they can be coloured: a few classes, or a number each. */
typedef struct labels {
    const char *name; /* of the column: "species" */
    size_t rows;
    const char *(*of)(const void *from, size_t row); /* a row's text; borrowed, never NULL */
    const void *from;
    int count;                        /* of classes; 0: numbers, each of which has a place on a scale */
    const char *classes[CLASSES_MAX]; /* in order */
    double least, most;               /* of the numbers */
    int missing;                      /* rows that have none: an empty text, NA, ... */
} labels;

/* Fill in what follows from the texts.  Refuses texts of more kinds than a legend holds. */
em_status labels_sort_out(labels *l, em_error *err);
int labels_class(const labels *l, size_t row);     /* from 0; `count` where it has none */
double labels_number(const labels *l, size_t row); /* NaN where it has none */

typedef struct score_plot {
    size_t rows;
    const double *scores; /* [rows][columns] */
    int columns;          /* 1 or 2 */
    double shares[2];     /* of the variance */
    int whitened;
    const labels *labels; /* NULL: all rows alike */
} score_plot;

em_status plot_scores(const canvas *to, const score_plot *of, em_error *err);

#endif
