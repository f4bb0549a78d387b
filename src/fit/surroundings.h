/* What surrounds a method while it runs: counting, tracing, stopping, spotting divergence. */
#ifndef EMI_FIT_SURROUNDINGS_H
#define EMI_FIT_SURROUNDINGS_H

#include "fit/checkpoint.h"
#include "fit/observe.h"

typedef struct emi_surroundings {
    const em_options *options;
    emi_observer *observer;
    emi_count before; /* what the method's phase had sent when this run began: another may have been tried first */
    emi_checkpoint *checkpoint; /* NULL: none */
    double alpha;               /* the first step */

    long iteration; /* completed */
    int began, running, over;
    int wish;        /* the monitor asks for the end, which all processes must hear of first */
    int due;         /* a checkpoint, in all of them */
    int column;      /* the one being sought, -1 for all at once */
    long column_end; /* iteration at which its turn ends */
    int found;       /* it, or all of them */
    int unfinished;  /* columns whose turn ended by the iteration limit */
    em_reason reason;

    emi_field good;    /* (d, K) the estimate at the last test, known to be sound */
    emi_field shown;   /* (d, K) as it would have been reported, where its change decides */
    emi_field numbers; /* (4 + 2 K, 1) a node's share of the test: see there */
    double *largest;   /* [4 + 2 K] of all of them */
    long tested;       /* iteration of that test */
    double travelled;  /* the sum of the steps since */
    double change;
    double reserve; /* a node's residual must be so much smaller than the tolerance */

    double resumed, seconds; /* the clock runs during iterations, not while looking on */
    em_trace_row *rows;
    size_t row_count, row_room;
} emi_surroundings;

em_status emi_surroundings_open(emi_surroundings *a, emi_solver *s, const em_options *options, emi_observer *observer,
                                double alpha, em_error *err); /* without checkpoints, until one is set */
void emi_surroundings_close(emi_surroundings *a);             /* accepts the zeroed and the half-built */

/* Scalars sent, in the paper's unit: every node sends one d x K matrix to each neighbour. */
double emi_units(const em_mesh *mesh, int d, int K, uint64_t scalars);

#endif
