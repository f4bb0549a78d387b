#include "model/quantiles.h"

#include <float.h>
#include <math.h>

/* Stirling's series for the logarithm of the gamma function, past its leading terms. */
static double stirling(double x)
{
    double square = x * x;
    return (1 - (1 - (2.0 / 7) / square) / (30 * square)) / (12 * x);
}

/* ln(Gamma(a + b) / Gamma(b)), without the difference of two large numbers. */
static double log_rise(double a, double b)
{
    static const double large = 30;
    double below = 0;
    while (b < large) { /* Gamma(x + 1) = x Gamma(x) */
        below += log((a + b) / b);
        b += 1;
    }
    return (b - 0.5) * log1p(a / b) + a * log(a + b) - a + stirling(a + b) - stirling(b) - below;
}

/* Lentz's way through the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8; Press and others,
 * Numerical Recipes, 6.4), which is short for x < (a + 1) / (a + b + 2). */
static double fraction(double a, double b, double x)
{
    enum { MOST = 100000 };
    double d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    double c = 1; // cppcheck-suppress variableScope
    for (int m = 1; m < MOST; m++) {
        double twice = a + 2 * m, even = m * (b - m) * x / ((twice - 1) * twice),
               odd = -(a + m) * (a + b + m) * x / (twice * (twice + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        value *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON) break;
    }
    return value;
}

double emi_beta_share(double a, double b, double x, double y)
{
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - emi_beta_share(b, a, y, x);
    double rise = a < b ? log_rise(a, b) - lgamma(a) : log_rise(b, a) - lgamma(b);
    return exp(rise + a * log(x) + b * (x < 0.5 ? log1p(-x) : log(y))) * fraction(a, b, x) / a;
}

static double f_below(double f, double m, double n)
{
    return emi_beta_share(m / 2, n / 2, m * f / (m * f + n), n / (m * f + n));
}

double emi_f_quantile(double p, double numerator, double denominator)
{
    double low = 1, high = 1;
    while (low > DBL_MIN && f_below(low, numerator, denominator) > p) low /= 2;
    while (high < DBL_MAX / 2 && f_below(high, numerator, denominator) < p) high *= 2;
    while (high - low > 4 * DBL_EPSILON * high) {
        double middle = low + (high - low) / 2;
        *(f_below(middle, numerator, denominator) < p ? &low : &high) = middle;
    }
    return high;
}

double emi_normal_quantile(double p)
{
    double low = -40, high = 40;
    while (high - low > 2 * DBL_EPSILON * fmax(1, fabs(low))) {
        double middle = low + (high - low) / 2;
        *(erfc(-middle / sqrt(2)) / 2 < p ? &low : &high) = middle;
    }
    return high;
}
