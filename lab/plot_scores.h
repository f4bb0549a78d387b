/* Scores as a picture: a point a row, along the first two components. */
#ifndef LAB_PLOT_SCORES_H
#define LAB_PLOT_SCORES_H

#include "lab/gnuplot.h"
#include "lab/labels.h"

typedef struct score_plot {
    size_t rows;
    const double *scores; /* [rows][columns] */
    int columns;          /* 1 or 2 */
    double shares[2];     /* of the variance */
    int whitened;
    const labels *labels; /* NULL: all rows alike */
} score_plot;

em_status plot_scores(const canvas *to, const score_plot *s, em_error *err);

#endif
