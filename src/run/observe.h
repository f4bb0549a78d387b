/* Looking at a run from outside: the network's estimate, and how good it is.  Built on the mesh's exact averages, so that
 * it is the same on every engine; whoever asks says which phase pays for the messages. */
#ifndef EMI_RUN_OBSERVE_H
#define EMI_RUN_OBSERVE_H

#include "run/solver.h"

/* The exact answer, where it is known. */
typedef struct emi_truth {
    int K;
    double *vectors; /* (d, K) column-major, unit columns; NULL: not known */
    double *values;  /* [K]; NaN: not known                                */
} emi_truth;

typedef struct emi_observer {
    emi_solver *s;
    const emi_truth *truth;
    int K, room;       /* components of the estimate, and at most for now                   */
    emi_field parts;   /* (d, room) used up by averages; where the root decides, once they are needed */
    emi_field numbers; /* (room, 1) a few numbers a node                                     */
    double *estimate;  /* (d, K) the mean of the X_i, or the root's; unit columns after residuals */
    double *product;   /* (d, K) C times the estimate                                        */
    double *theta;     /* [K] x_k' C x_k                                                     */
    double *residual;  /* [K] ||C x_k - theta_k x_k|| / theta_k                              */
    double *error;     /* [K] sin^2 to the truth, averaged over the nodes                    */
} emi_observer;

em_status emi_observer_open(emi_observer *o, emi_solver *s, const emi_truth *truth, em_error *err);
void emi_observer_close(emi_observer *o); /* accepts the zeroed and the half-built */

/* The estimate, the same at every node; everything below but the error stands on it. */
void emi_observe_estimate(emi_observer *o);

double emi_observe_consensus(emi_observer *o); /* max_i ||X_i - Xbar||_F / ||Xbar||_F                      */
double emi_observe_residual(emi_observer *o);  /* fills theta and residual, returns the residuals' mean     */
double emi_observe_error(emi_observer *o);     /* fills error, returns its mean E; NaN without a truth      */

#endif
