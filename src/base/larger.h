/* The larger of two numbers, and NaN where either is: fmax forgets a NaN, which then reads as small. */
#ifndef EMI_BASE_LARGER_H
#define EMI_BASE_LARGER_H

#include <math.h>

static inline double emi_larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

#endif
