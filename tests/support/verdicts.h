/* What a method owes, by its verdict: shared by the tests of all methods. */
#ifndef TESTS_SUPPORT_VERDICTS_H
#define TESTS_SUPPORT_VERDICTS_H

#include "support/svd.h"

#include <eigenmesh/eigenmesh.h>

/* Where a fit was made, for the words of a complaint. */
typedef struct verdict_place {
    const char *method, *where;
    double most; /* the largest sine allowed */
} verdict_place;

/* Print whatever the model owes and does not keep, and return how many things:
 * - one that promises a residual has converged: every residual is within the tolerance, or limited by rounding;
 * - of the others each has settled, or converged likewise;
 * - components past the rank of the data have variance 0, and the rank is told;
 * - no angle is above its bound; nor, where it came to an end, a sine above `most`. */
int verdict_complaints(const em_model *model, const svd *exact, const verdict_place *place);

/* The entry of the registry; the test fails where there is none. */
const em_method_info *verdict_method(const char *name);

#endif
