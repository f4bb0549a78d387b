/* What is done to the rows before anything else sees them, found over the network: mean, scale, range. */
#ifndef EMI_FIT_STANDARDISE_H
#define EMI_FIT_STANDARDISE_H

#include "fit/prepare.h"

/* What a first look at the rows tells, until the scale is known. */
typedef struct emi_range {
    double *highest,
        *lowest; /* [d] largest value of each feature, and largest negated one; NULL: nothing calls for them */
} emi_range;

/* The global mean, with one pass over the rows; data without variance is refused. */
em_status emi_find_mean(emi_problem *p, emi_range *range, int center, em_error *err);

/* p->scale: each feature's deviation. */
em_status emi_scale_by_deviation(emi_problem *p, const emi_range *range, em_error *err);

/* p->exponent: for data so large, or so small, that its squares are not doubles. */
em_status emi_scale_by_range(emi_problem *p, const emi_range *range, em_error *err);

/* p->scale: the square root of lambda_1(C), which takes the exponent's place. */
em_status emi_scale_by_spectrum(emi_problem *p, em_error *err);

/* p->variance, p->deviation and p->offset. */
em_status emi_find_variance(emi_problem *p, em_error *err);

/* Variances in the user's units are refused, where they are no doubles. */
em_status emi_check_units(const emi_problem *p, em_error *err);

void emi_range_free(emi_range *range); /* accepts the zeroed */

#endif
