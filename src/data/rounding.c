#include "data/rounding.h"

#include <math.h>
#include <stddef.h>

double emi_eps(const emi_rounding *r)
{
    return r->single ? EMI_ROUNDING_SINGLE : EMI_ROUNDING;
}

/* Sums of many terms go in lanes, which a processor adds at once. */
enum { LANES = 8 };

static double total(const double *lanes)
{
    double sum = 0;
    for (int n = 0; n < LANES; n++) sum += lanes[n];
    return sum;
}

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

double emi_spread(const emi_rounding *r, int d, const double *x)
{
    double lanes[LANES] = {0};
    int f = 0;
    for (; f + LANES <= d; f += LANES)
        for (int n = 0; n < LANES; n++) lanes[n] += r->deviation[f + n] * magnitude(x[f + n]);
    for (; f < d; f++) lanes[0] += r->deviation[f] * magnitude(x[f]);
    return total(lanes);
}

double emi_spread_square(const emi_rounding *r, int d, const double *x)
{
    double lanes[LANES] = {0};
    int f = 0;
    for (; f + LANES <= d; f += LANES)
        for (int n = 0; n < LANES; n++) {
            double own = r->deviation[f + n] * x[f + n];
            lanes[n] += own * own;
        }
    for (; f < d; f++) lanes[0] += r->deviation[f] * x[f] * r->deviation[f] * x[f];
    return total(lanes);
}

/* What the mean of feature f may be off by, and no more than is there. */
static double shift_of(const emi_rounding *r, int f)
{
    double off = EMI_ROUNDING / 32 * r->offset[f];
    return off < r->deviation[f] ? off : r->deviation[f];
}

double emi_shift(const emi_rounding *r, int d, const double *x)
{
    double lanes[LANES] = {0};
    int f = 0;
    for (; x && f + LANES <= d; f += LANES)
        for (int n = 0; n < LANES; n++) lanes[n] += shift_of(r, f + n) * magnitude(x[f + n]);
    for (; f < d; f++) lanes[f % LANES] += shift_of(r, f) * (x ? magnitude(x[f]) : shift_of(r, f));
    return x ? total(lanes) : sqrt(total(lanes));
}

double emi_rounding_variance(const emi_rounding *r, int d, const double *x, int before)
{
    return emi_rounding_variance_of(r, emi_spread(r, d, x), emi_shift(r, d, x), before);
}

double emi_rounding_variance_of(const emi_rounding *r, double spread, double shift, int before)
{
    double scores = emi_eps(r) / 2 * (spread + 4 * sqrt(r->total)) + shift; /* of each score y'x */
    double summed = r->formed ? emi_eps(r) / 2 : 0;
    return (1 + before) * scores * scores + (summed + r->answers) * spread * spread;
}

double emi_rounding_most(const emi_rounding *r, int d, int before)
{
    double square = 0;
    for (int f = 0; f < d; f++) square += r->deviation[f] * r->deviation[f];
    double scores = emi_eps(r) / 2 * (sqrt(square) + 4 * sqrt(r->total)) + emi_shift(r, d, NULL);
    return (1 + before) * scores * scores + d * r->answers * square;
}
