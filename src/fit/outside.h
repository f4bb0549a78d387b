/* How large eigenvalues of C may be outside the last answer, by what every node finds of its own rows, in one sum of a number.
 *
 * With P = I - V V', no more than V has columns are larger than lambda_1(P C P), which is at most the mean of the
 * lambda_1(P C_i P).  Where nodes hold alike data that is not much more. */
#ifndef EMI_FIT_OUTSIDE_H
#define EMI_FIT_OUTSIDE_H

#include "fit/prepare.h"

/* That mean, each as a bound that is wrong with no chance worth speaking of (methods/hidden.h).  Collective: counts as set-up.
 * INFINITY: some node could not say. */
em_status emi_problem_outside(emi_problem *p, emi_block V, uint64_t seed, double *value, em_error *err);

#endif
