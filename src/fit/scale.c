/* What rows are divided by, and what of their variance is left. */
#include "fit/range.h"
#include "fit/standardise.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

/* How far a feature reaches: from its mean, or from zero where that is left in. */
static double reach(const emi_problem *p, const emi_overview *over, int f)
{
    double highest = over->highest[f], lowest = over->lowest[f];
    return p->standard.mean ? emi_half_span(highest, lowest) : fmax(highest, lowest);
}

static em_status keep_inverse_scale(emi_problem *p, em_error *err)
{
    if (!p->standard.inverse_scale) p->standard.inverse_scale = emi_doubles((size_t)p->d);
    if (!p->standard.inverse_scale) return emi_fail_memory(err, "scale");
    for (int f = 0; f < p->d; f++)
        p->standard.inverse_scale[f] = p->level && p->level[f] ? 0 : ldexp(1 / p->scale[f], -p->exponent);
    return EM_OK;
}

/* What is left of a constant feature after centring is rounding, which must not be blown up; nor may it weigh anything
 * beside unit variances. */
static double scale_of_constant(const emi_overview *over, int f, double deviation)
{
    return deviation < 1e-8 || !over->highest ? 1 : ldexp(1, ilogb(fmax(over->highest[f], over->lowest[f])));
}

/* Unit variance in the convention that variances are reported in: divided by N - 1. */
em_status emi_scale_by_deviation(emi_problem *p, const emi_overview *over, em_error *err)
{
    const int center = p->standard.mean != NULL;
    char name[64];
    for (int f = 0; f < p->d; f++) {
        double deviation = sqrt(over->squares[f] / p->degrees) * over->unit[f];
        int constant =
            deviation == 0 || (center && over->highest && emi_is_constant(over->highest[f], over->lowest[f]));
        if (!constant && !isnormal(deviation))
            return emi_fail(err, EM_EDATA,
                            "data: %s deviates by %g, which a double does not hold to all digits; try multiplying it "
                            "by 1e20",
                            emi_problem_feature(p, f, name), deviation);
        p->scale[f] = constant ? scale_of_constant(over, f, deviation) : deviation;
        p->constant_features += constant;
    }
    return keep_inverse_scale(p, err);
}

/* N. Patterson, A. L. Price, D. Reich: Population structure and eigenanalysis.  PLoS Genetics 2, 2006; but with the plain
 * frequency, as PLINK has it.  One that is 0 or 1 leaves nothing to scale, and its variant out. */
em_status emi_scale_by_frequency(emi_problem *p, em_error *err)
{
    static const double least = 0x1p-44; /* less than one copy among as many people as there may be: a sum's rounding */
    for (int f = 0; f < p->d; f++) {
        double frequency = p->mean[f] / 2, variance = 2 * frequency * (1 - frequency);
        int varies = variance > least; /* one that all have a single copy of has a frequency, and counts */
        p->scale[f] = varies ? sqrt(variance) : 1;
        p->constant_features += !varies;
    }
    return keep_inverse_scale(p, err);
}

em_status emi_scale_by_range(emi_problem *p, const emi_overview *over, em_error *err)
{
    double farthest = 0;
    for (int f = 0; over->highest && f < p->d; f++) farthest = fmax(farthest, reach(p, over, f));
    p->exponent = over->highest ? emi_exponent_of(farthest) : over->exponent;
    return p->exponent || p->level ? keep_inverse_scale(p, err) : EM_OK;
}

/* Divide the data by sqrt(lambda_1(C)), so that lambda_1 = 1. */
em_status emi_scale_by_spectrum(emi_problem *p, em_error *err)
{
    double lambda = 0, beyond = 0;
    em_status status = emi_problem_top_eigenvalue(p, (emi_block){0}, 1e-13, &lambda, &beyond, err);
    if (status != EM_OK || lambda <= 0) return status; /* no variance at all is said elsewhere */
    double divisor = ldexp(sqrt(lambda), p->exponent);
    if (!isnormal(divisor))
        return emi_fail(err, EM_EDATA, "data: its scale, %g, is not a double with all digits; try %s the data by 1e20",
                        divisor, p->exponent < 0 ? "multiplying" : "dividing");
    for (int f = 0; f < p->d; f++) p->scale[f] *= divisor;
    p->exponent = 0;
    for (int i = 0; i < p->mesh->hosted; i++)
        for (size_t n = 0; p->C[i].dense && n < (size_t)p->d * (size_t)p->d; n++) p->C[i].dense[n] /= lambda;
    return keep_inverse_scale(p, err);
}

/* ---- variance -------------------------------------------------------------------------------------- */

em_status emi_find_variance(emi_problem *p, const emi_overview *over, em_error *err)
{
    static const double most = 0x1p30; /* a scale that single precision bears too */
    double within = 1;
    p->variance = 0;
    for (int f = 0; f < p->d; f++) {
        double inverse = p->standard.inverse_scale ? p->standard.inverse_scale[f] : 1, squares = over->squares[f];
        double deviation = squares > 0 ? sqrt(squares / p->weight) * (over->unit[f] * inverse) : 0;
        p->variance += deviation * deviation;
        p->deviation[f] = deviation;
        p->offset[f] = fmin(fabs(p->mean[f] * inverse), DBL_MAX); /* a constant may be any number of deviations away */
        if (p->offset[f] > within * deviation) within = p->offset[f] / deviation;
        if (inverse > most || inverse < 1 / most) within = INFINITY;
    }
    p->standard.within = within;
    if (p->variance > 0 && isfinite(p->variance)) return EM_OK;
    return emi_fail(err, EM_EDATA, "data: its variance adds up to %g; try scale=std", p->variance);
}

/* All that are not rounding beside the first must be normal numbers. */
em_status emi_check_units(const emi_problem *p, em_error *err)
{
    int deviation = ilogb(p->variance) / 2 + p->exponent, variance = ilogb(p->variance) + 2 * p->exponent,
        large = p->exponent > 0;
    if (variance < DBL_MAX_EXP - 2 && variance > DBL_MIN_EXP + DBL_MANT_DIG) return EM_OK;
    const double digits = 0.30103; /* log10(2) */
    return emi_fail(
        err, EM_EDATA,
        "data: values that deviate by about 1e%+.0f have variances near 1e%+.0f, which a double %s; try scale="
        "std, or %s the data by 1e%.0f",
        digits * deviation, digits * variance, large ? "does not hold" : "does not hold to all digits",
        large ? "dividing" : "multiplying", fabs(digits * deviation));
}
