/* How the variance that the components leave out is spread: sums of squares and cubes of its eigenvalues, for limits of Q.
 *
 * With G random orthonormal columns outside the components, D what is left of C without them, and Y = D G, every sum of powers of D's
 * eigenvalues is a mean over columns: theta_1 of g'D g, theta_2 of y'y, theta_3 of y'D y.  theta_1 is known, so ratios are taken; as
 * many columns as dimensions are left make them exact. */
#ifndef EMI_FIT_REST_H
#define EMI_FIT_REST_H

#include "fit/certify.h"

typedef struct emi_rest {
    double squares, cubes;             /* theta_2 / theta_1^2 and theta_3 / theta_1^3; NaN: unknown */
    double squares_error, cubes_error; /* their standard errors; 0: exact                            */
} emi_rest;

/* From what the method knows or, where the options ask for limits, by two more averages.  Collective; counts as report. */
em_status emi_rest_find(emi_rest *rest, emi_findings *f, em_error *err);

#endif
