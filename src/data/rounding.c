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
    for (int f = 0; f < d; f++) shift += r->offset[f] * fabs(x[f]);
    double scores = EMI_ROUNDING * (spread + shift / 4 + 4 * sqrt(r->total)); /* of each score y'x */
    return r->formed ? EMI_ROUNDING * spread * spread + scores * scores : scores * scores;
}
