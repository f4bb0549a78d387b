#include "data/rounding.h"

#include <math.h>

double emi_spread(const emi_rounding *r, int d, const double *x)
{
    double sum = 0;
    for (int f = 0; f < d; f++) sum += (r->deviation[f] + (r->uncentred ? r->offset[f] : 0)) * fabs(x[f]);
    return sum;
}

double emi_rounding_variance(const emi_rounding *r, int d, const double *x)
{
    double spread = emi_spread(r, d, x), shift = 0;
    for (int f = 0; f < d; f++) /* what the mean may be off by, and no more than is there */
        shift += fmin(EMI_ROUNDING / 4 * r->offset[f], r->deviation[f]) * fabs(x[f]);
    double scores = EMI_ROUNDING * (spread + 4 * sqrt(r->total)) + shift; /* of each score y'x */
    return r->formed ? EMI_ROUNDING * spread * spread + scores * scores : scores * scores;
}
