/* What is done to the rows before anything else sees them, found over the network: mean, scale, range. */
#ifndef EMI_FIT_STANDARDISE_H
#define EMI_FIT_STANDARDISE_H

#include "fit/prepare.h"

/* What one pass over the rows tells of every feature, over the whole network; needed until the scale is known. */
typedef struct emi_overview {
    double *squares;          /* [d] sum of the squares of its differences from the mean, or from zero, in units of */
    double *unit;             /* [d] a power of two: 1 for all but very large or small numbers; squared */
    double *highest, *lowest; /* [d] largest value, and largest negated one; NULL: nothing calls for them */
    int exponent;             /* where sums are masked, of the unit of all features */
} emi_overview;

/* The global mean, and the overview, with one pass over the rows; data without variance is refused. */
em_status emi_find_mean(emi_problem *p, emi_overview *over, int center, em_error *err);

/* p->scale: each feature's deviation. */
em_status emi_scale_by_deviation(emi_problem *p, const emi_overview *over, em_error *err);

/* p->scale: what genotypes of such a mean would deviate by, if the two alleles of a person were drawn independently. */
em_status emi_scale_by_frequency(emi_problem *p, em_error *err);

/* p->exponent: for data so large, or so small, that its squares are not doubles. */
em_status emi_scale_by_range(emi_problem *p, const emi_overview *over, em_error *err);

/* p->scale: the square root of lambda_1(C), which takes the exponent's place. */
em_status emi_scale_by_spectrum(emi_problem *p, em_error *err);

/* p->variance, p->deviation and p->offset, when the scale is known. */
em_status emi_find_variance(emi_problem *p, const emi_overview *over, em_error *err);

/* Variances in the user's units are refused, where they are no doubles. */
em_status emi_check_units(const emi_problem *p, em_error *err);

void emi_overview_free(emi_overview *over); /* accepts the zeroed */

#endif
