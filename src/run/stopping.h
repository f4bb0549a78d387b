/* The stopping test: when is what is sought found, and when has a run come apart?
 *
 * Every few iterations all nodes learn the largest residual of any; or, of methods that do not know it, how far every
 * component moved; and the largest number anywhere.  A process that asks for something (the end, a checkpoint) says so in
 * the same exchange, so that all hear of it after the same iteration. */
#ifndef EMI_RUN_STOPPING_H
#define EMI_RUN_STOPPING_H

#include "run/observe.h"

typedef struct emi_stopping {
    emi_observer *observer;
    emi_field good;    /* (d, K) the estimate at the last test, known to be sound, where nodes have one */
    emi_field shown;   /* (d, K) as it would have been reported, where its change decides */
    emi_field numbers; /* (4 + 2 K, 1) a node's share of the test: see there */
    double *largest;   /* [4 + 2 K] of all of them */
    long tested;       /* iteration of that test */
    double travelled;  /* the sum of the steps since */
    double change;     /* what the test found: the largest residual, or how fast columns move; NaN before it */
    double reserve;    /* a node's residual must be so much smaller than the tolerance */
} emi_stopping;

em_status emi_stopping_open(emi_stopping *t, emi_solver *s, emi_observer *observer, em_error *err);
void emi_stopping_close(emi_stopping *t); /* accepts the zeroed and the half-built */

/* Changes count from what the solver holds now. */
void emi_stopping_begin(emi_stopping *t, emi_solver *s);

/* Is there a test after the iteration that has just ended?  The last one, `end`, is always tested. */
int emi_stopping_is_due(const emi_solver *s, long end);

/* What a process asks of all: the largest wins. */
enum { EMI_ASKS_NOTHING, EMI_ASKS_SAVE, EMI_ASKS_END };

typedef enum emi_finding { EMI_GO_ON, EMI_FOUND, EMI_DIVERGED } emi_finding;

/* The test, for columns first .. first + count - 1; *request is this process's, and becomes that of all.  Where a run has come
 * apart, the solver is given back its last sound estimate.  Collective; counts as control. */
emi_finding emi_stopping_test(emi_stopping *t, emi_solver *s, int first, int count, int *request);

#endif
