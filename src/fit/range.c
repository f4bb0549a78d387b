#include "fit/range.h"

#include <float.h>
#include <math.h>

double emi_half_span(double highest, double lowest)
{
    return highest / 2 + lowest / 2;
}

/* Equal but for rounding: within four units of 2^-52 of its size, where 0.1 + 0.2 and 0.3 are.  By the span and not by the
 * deviation from the mean, since a mean of n equal numbers may itself be off by n / 4 such units. */
int emi_is_constant(double highest, double lowest)
{
    return emi_half_span(highest, lowest) <= 2 * DBL_EPSILON * fmax(highest, lowest);
}

int emi_exponent_of(double size)
{
    if (!(size > 0) || (size >= ldexp(1, -EMI_ORDINARY) && size <= ldexp(1, EMI_ORDINARY))) return 0;
    int exponent = ilogb(size);
    return exponent < EMI_TINIEST ? EMI_TINIEST : exponent;
}
