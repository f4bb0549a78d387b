#include "data/rounding.h"

#include <math.h>
#include <stddef.h>

double emi_eps(const emi_rounding *r)
{
    return r->single ? EMI_ROUNDING_SINGLE : EMI_ROUNDING;
}

double emi_spread(const emi_rounding *r, int d, const double *x)
{
    double sum = 0;
    for (int f = 0; f < d; f++) sum += r->deviation[f] * fabs(x[f]);
    return sum;
}

/* What the mean of feature f may be off by, and no more than is there. */
static double shift_of(const emi_rounding *r, int f)
{
    return fmin(EMI_ROUNDING / 32 * r->offset[f], r->deviation[f]);
}

double emi_shift(const emi_rounding *r, int d, const double *x)
{
    double sum = 0;
    for (int f = 0; f < d; f++) sum += shift_of(r, f) * (x ? fabs(x[f]) : shift_of(r, f));
    return x ? sum : sqrt(sum);
}

double emi_rounding_variance(const emi_rounding *r, int d, const double *x, int before)
{
    double spread = emi_spread(r, d, x);
    double scores = emi_eps(r) / 2 * (spread + 4 * sqrt(r->total)) + emi_shift(r, d, x); /* of each score y'x */
    return (1 + before) * scores * scores + (r->formed ? emi_eps(r) / 2 * spread * spread : 0);
}

double emi_rounding_most(const emi_rounding *r, int d, int before)
{
    double square = 0;
    for (int f = 0; f < d; f++) square += r->deviation[f] * r->deviation[f];
    double scores = emi_eps(r) / 2 * (sqrt(square) + 4 * sqrt(r->total)) + emi_shift(r, d, NULL);
    return (1 + before) * scores * scores;
}
