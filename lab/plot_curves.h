/* Traces as curves: the error, or the residual where no truth is known, against what was spent. */
#ifndef LAB_PLOT_CURVES_H
#define LAB_PLOT_CURVES_H

#include <eigenmesh/eigenmesh.h>

typedef enum trace_axis { ALONG_ITERATIONS, ALONG_UNITS, ALONG_ROUNDS, ALONG_SECONDS } trace_axis;

typedef struct trace_curve {
    const char *name;
    const em_model *model; /* NULL: it did not run */
} trace_curve;

/* Where it ended along the axis; 0 where it did not run. */
double trace_end(const em_model *model, trace_axis along);

/* Does the trace have more than a few points to draw? */
int trace_is_a_curve(const em_model *model, trace_axis along);

/* Settings and the plot command of one panel. */
void put_curves(FILE *script, const trace_curve *curves, int count, trace_axis along);

#endif
