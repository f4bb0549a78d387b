#include "fit/standardise.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Data whose largest values are between 2^-ORDINARY and 2^ORDINARY is taken as it is: wider than single precision, and
 * narrow enough that the square of a variance and the square of a variance's rounding error are normal doubles, also where
 * deviations are 2^-53 of the values. */
enum { ORDINARY = 160, TINIEST = -1000 }; /* 2^-TINIEST is a double */

/* How to call a feature: by its name, or by its position. */
static const char *called(const emi_problem *p, int f, char out[64])
{
    const em_data *data = p->shard[0].data;
    if (data->names && *data->names[f])
        (void)snprintf(out, 64, "column '%.40s'", data->names[f]);
    else
        (void)snprintf(out, 64, "column %d (from 0)", f);
    return out;
}

/* ---- range ------------------------------------------------------------------------------------- */

void emi_range_free(emi_range *range)
{
    emi_free(range->highest);
    *range = (emi_range){0};
}

/* What a value and a negated one span, halved: the whole may not be a double. */
static double half_span(double highest, double lowest)
{
    return highest / 2 + lowest / 2;
}

/* Equal but for rounding: within four units of 2^-52 of its size, where 0.1 + 0.2 and 0.3 are.  By the span and not by the
 * deviation from the mean, since a mean of n equal numbers may itself be off by n / 4 such units. */
static int is_constant(double highest, double lowest)
{
    return half_span(highest, lowest) <= 2 * DBL_EPSILON * fmax(highest, lowest);
}

/* How far a feature reaches: from its mean, or from zero where that is left in. */
static double reach(const emi_problem *p, const emi_range *range, int f)
{
    double highest = range->highest[f], lowest = range->lowest[f];
    return p->standard.mean ? half_span(highest, lowest) : fmax(highest, lowest);
}

/* The power of two that makes it ordinary. */
static int exponent_of(double size)
{
    if (size == 0 || (size >= ldexp(1, -ORDINARY) && size <= ldexp(1, ORDINARY))) return 0;
    int exponent = ilogb(size);
    return exponent < TINIEST ? TINIEST : exponent;
}

/* ---- the first pass -------------------------------------------------------------------------------- */

typedef struct sum_task {
    emi_problem *p;
    const double *factor; /* [d] of the rows; NULL: 1 */
    emi_field found;      /* (d, EMI_SURVEY) or (d, 1) a node */
} sum_task;

static em_status survey_body(void *context, int i, int worker, em_error *err)
{
    sum_task *t = context;
    emi_problem *p = t->p;
    em_status status =
        emi_survey(&p->shard[i], t->factor, emi_at(&t->found, i).v, emi_problem_helpers(p), p->scratch[worker], err);
    if (status != EM_OK && err) err->node = p->mesh->first + i;
    return status;
}

static em_status survey(sum_task *t, const double *factor, em_error *err)
{
    t->factor = factor;
    return emi_problem_for_nodes(t->p, 2.0 * (double)t->p->N * t->p->d, survey_body, t, err);
}

/* What a node sees of the whole; the largest of any node's is what all act on. */
enum sight {
    LARGEST,  /* exponent of the largest value                                                 */
    SMALLEST, /* of the smallest largest value of a feature that is not zero, negated          */
    VARIES,   /* is there a feature that varies?                                               */
    LEVEL,    /* is there one that seems constant, and not zero?                               */
    HOLES,    /* is there a value missing?                                                     */
    SIGHTS
};

static void look(const emi_block found, int center, double *sight)
{
    sight[LARGEST] = sight[SMALLEST] = -INFINITY;
    sight[VARIES] = sight[LEVEL] = sight[HOLES] = 0;
    for (int f = 0; f < found.rows; f++) {
        double highest = emi_column_of(found, EMI_HIGHEST)[f], lowest = emi_column_of(found, EMI_LOWEST)[f],
               size = fmax(highest, lowest);
        if (emi_column_of(found, EMI_MISSING)[f] > 0) sight[HOLES] = 1;
        if (size == 0 || size == -INFINITY) continue; /* nothing here, of a feature that is missing at this node */
        sight[LARGEST] = fmax(sight[LARGEST], ilogb(size));
        sight[SMALLEST] = fmax(sight[SMALLEST], -ilogb(size));
        sight[center && is_constant(highest, lowest) ? LEVEL : VARIES] = 1;
    }
}

static em_status look_around(const sum_task *t, int center, double *sight, em_error *err)
{
    emi_field sights = {0};
    em_mesh *mesh = t->p->mesh;
    em_status status = emi_field_alloc(&sights, mesh->hosted, SIGHTS, 1, err);
    if (status != EM_OK) return status;
    for (int i = 0; i < mesh->hosted; i++) look(emi_at(&t->found, i), center, emi_at(&sights, i).v);
    emi_tree_max(mesh, &sights, sight);
    emi_field_free(&sights);
    return emi_problem_status(t->p, err);
}

/* Every feature's highest and lowest value anywhere. */
static em_status find_range(sum_task *t, emi_range *range, em_error *err)
{
    size_t d = (size_t)t->p->d;
    range->highest = emi_doubles(2 * d);
    if (!range->highest) return emi_fail_memory(err, "range");
    range->lowest = range->highest + d;
    emi_field extremes = emi_columns(&t->found, EMI_HIGHEST, 2);
    emi_tree_max(t->p->mesh, &extremes, range->highest);
    return emi_problem_status(t->p, err);
}

/* Data without variance; and a feature of which no difference of two values is a double, nor will be what a model makes of a
 * row. */
static em_status refuse(const emi_problem *p, const emi_range *range, int center, em_error *err)
{
    int exactly = 1, varies = 0;
    char name[64];
    for (int f = 0; f < p->d; f++) {
        double highest = range->highest[f], lowest = range->lowest[f], half = half_span(highest, lowest);
        if (center && half > DBL_MAX / 2)
            return emi_fail(err, EM_EDATA, "data: %s spans more than a double holds; try dividing it by ten",
                            called(p, f, name));
        varies |= center ? !is_constant(highest, lowest) : highest != 0 || lowest != 0;
        exactly &= half == 0;
    }
    if (varies) return EM_OK;
    return emi_fail(err, EM_EDATA, "data: no variance, every row is the same%s; try other data%s",
                    exactly ? "" : " but for rounding", center ? " or center=no" : "");
}

/* ---- mean ---------------------------------------------------------------------------------------- */

/* Values that are there, of each feature: all, but for the missing. */
static em_status count_values(const sum_task *t, double *values, em_error *err)
{
    emi_problem *p = t->p;
    char name[64];
    emi_field missing = emi_columns(&t->found, EMI_MISSING, 1);
    emi_tree_sum(p->mesh, &missing, values);
    em_status status = emi_problem_status(p, err);
    for (int f = 0; status == EM_OK && f < p->d; f++) {
        p->missing += (uint64_t)values[f];
        values[f] = (double)p->N - values[f];
        if (values[f] == 0)
            return emi_fail(err, EM_EDATA, "data: %s has no value at all, at any node; try leaving it out",
                            called(p, f, name));
    }
    return status;
}

/* Of every feature, over the values that are there; into mean[d].  Numbers so large that N of them may add up to more than a
 * double holds are summed in a second pass, with those features made smaller. */
static em_status find_mean(sum_task *t, const emi_range *range, const double *sight, double *mean, em_error *err)
{
    enum { LARGE = 900, LESS = 100 }; /* N is less than 2^LESS */
    em_status status = EM_OK;
    emi_problem *p = t->p;
    emi_field sums;
    int again = sight[LARGEST] + ilogb((double)p->N) + 2 > DBL_MAX_EXP;
    double *values = emi_doubles(2 * (size_t)p->d), *factor = NULL;
    if (!values) TRY(emi_fail_memory(err, "mean"));
    factor = values + p->d;
    for (int f = 0; f < p->d; f++) values[f] = (double)p->N, factor[f] = 1;
    if (sight[HOLES] > 0) TRY(count_values(t, values, err));
    for (int f = 0; again && f < p->d; f++)
        if (fmax(range->highest[f], range->lowest[f]) > ldexp(1, LARGE)) factor[f] = ldexp(1, -LESS);
    if (again) TRY(survey(t, factor, err));
    sums = emi_columns(&t->found, EMI_SUM, 1);
    emi_tree_sum(p->mesh, &sums, mean);
    TRY(emi_problem_status(p, err));
    for (int f = 0; f < p->d; f++) {
        mean[f] = mean[f] / values[f] / factor[f];
        if (range
                ->highest) /* it is not outside of what it is the mean of; a constant's is then exact: nothing is left */
            mean[f] = fmin(fmax(mean[f], -range->lowest[f]), range->highest[f]);
    }
done:
    emi_free(values);
    return status;
}

/* The pass over the rows is made even where the mean is left in: it is also where non-finite values are found. */
em_status emi_find_mean(emi_problem *p, emi_range *range, int center, em_error *err)
{
    em_status status = EM_OK;
    sum_task task = {.p = p};
    double sight[SIGHTS] = {0};
    TRY(emi_field_alloc(&task.found, p->mesh->hosted, p->d, EMI_SURVEY, err));
    TRY(survey(&task, NULL, err));
    TRY(look_around(&task, center, sight, err));
    int ordinary = sight[LARGEST] < ORDINARY && sight[SMALLEST] <= ORDINARY && sight[VARIES] > 0 && sight[LEVEL] == 0;
    if (!ordinary) {
        TRY(find_range(&task, range, err));
        TRY(refuse(p, range, center, err));
    }
    if (sight[HOLES] > 0) { /* filled with the mean, also where that is left in */
        p->standard.fill = p->fill = emi_doubles((size_t)p->d);
        if (!p->fill) TRY(emi_fail_memory(err, "mean"));
    }
    if (center || p->fill) TRY(find_mean(&task, range, sight, center ? p->mean : p->fill, err));
    if (center && p->fill) memcpy(p->fill, p->mean, sizeof *p->fill * (size_t)p->d);
    p->standard.mean = center ? p->mean : NULL;
done:
    emi_field_free(&task.found);
    return status;
}

/* ---- scale ----------------------------------------------------------------------------------------- */

static em_status keep_inverse_scale(emi_problem *p, em_error *err)
{
    if (!p->standard.inverse_scale) p->standard.inverse_scale = emi_doubles((size_t)p->d);
    if (!p->standard.inverse_scale) return emi_fail_memory(err, "scale");
    for (int f = 0; f < p->d; f++) p->standard.inverse_scale[f] = ldexp(1 / p->scale[f], -p->exponent);
    return EM_OK;
}

static em_status squares_body(void *context, int i, int worker, em_error *err)
{
    sum_task *t = context;
    emi_problem *p = t->p;
    return emi_sum_squares(&p->standard, &p->shard[i], emi_at(&t->found, i).v, emi_problem_helpers(p),
                           p->scratch[worker], err);
}

typedef void reduction(em_mesh *mesh, emi_field *parts, double *result);

/* [d] numbers of every node, summed or averaged over the network. */
static em_status reduce(emi_problem *p, emi_loop_body *body, reduction *how, double *out, em_error *err)
{
    em_status status = EM_OK;
    sum_task task = {.p = p};
    TRY(emi_field_alloc(&task.found, p->mesh->hosted, p->d, 1, err));
    TRY(emi_problem_for_nodes(p, 2.0 * (double)p->N * p->d, body, &task, err));
    how(p->mesh, &task.found, out);
    TRY(emi_problem_status(p, err));
done:
    emi_field_free(&task.found);
    return status;
}

/* What is left of a constant feature after centring is rounding, which must not be blown up; nor may it weigh anything
 * beside unit variances. */
static double scale_of_constant(const emi_range *range, int f, double deviation)
{
    return deviation < 1e-8 || !range->highest ? 1 : ldexp(1, ilogb(fmax(range->highest[f], range->lowest[f])));
}

/* Unit variance in the convention that variances are reported in: divided by N - 1.  Features that are not ordinary are
 * first brought to where their squares are doubles, each by its own power of two. */
em_status emi_scale_by_deviation(emi_problem *p, const emi_range *range, em_error *err)
{
    em_status status = EM_OK;
    const int center = p->standard.mean != NULL;
    char name[64];
    double degrees = p->N > 1 ? (double)(p->N - 1) : 1;
    for (int f = 0; range->highest && f < p->d; f++) p->scale[f] = ldexp(1, exponent_of(reach(p, range, f)));
    if (range->highest) TRY(keep_inverse_scale(p, err));
    TRY(reduce(p, squares_body, emi_tree_sum, p->scale, err)); /* of the rows as they are standardised so far */
    for (int f = 0; f < p->d; f++) {
        int exponent = range->highest ? exponent_of(reach(p, range, f)) : 0;
        double deviation = ldexp(sqrt(p->scale[f] / degrees), exponent);
        int constant = deviation == 0 || (center && range->highest && is_constant(range->highest[f], range->lowest[f]));
        if (!constant && !isnormal(deviation))
            TRY(emi_fail(err, EM_EDATA,
                         "data: %s deviates by %g, which a double does not hold to all digits; try multiplying it by "
                         "1e20",
                         called(p, f, name), deviation));
        p->scale[f] = constant ? scale_of_constant(range, f, deviation) : deviation;
        p->constant_features += constant;
    }
    TRY(keep_inverse_scale(p, err));
done:
    return status;
}

em_status emi_scale_by_range(emi_problem *p, const emi_range *range, em_error *err)
{
    double farthest = 0;
    for (int f = 0; range->highest && f < p->d; f++) farthest = fmax(farthest, reach(p, range, f));
    p->exponent = exponent_of(farthest);
    return p->exponent ? keep_inverse_scale(p, err) : EM_OK;
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

static em_status diagonal_body(void *context, int i, int worker, em_error *err)
{
    sum_task *t = context;
    return emi_cov_diagonal(&t->p->C[i], emi_at(&t->found, i).v, t->p->scratch[worker], err);
}

static void keep_features(emi_problem *p, const double *variance)
{
    const double *inverse = p->standard.inverse_scale;
    p->variance = 0;
    for (int f = 0; f < p->d; f++) {
        p->variance += variance[f];
        p->deviation[f] = sqrt(variance[f]);
        double offset = p->standard.mean ? fabs(p->mean[f] * (inverse ? inverse[f] : 1)) : 0;
        p->offset[f] = fmin(offset, DBL_MAX); /* a constant may be any number of deviations of the others away */
    }
}

em_status emi_find_variance(emi_problem *p, em_error *err)
{
    em_status status = EM_OK;
    double *variance = emi_doubles((size_t)p->d);
    if (!variance) TRY(emi_fail_memory(err, "variance"));
    TRY(reduce(p, diagonal_body, emi_tree_average, variance, err));
    keep_features(p, variance);
    if (!(p->variance > 0 && isfinite(p->variance)))
        TRY(emi_fail(err, EM_EDATA, "data: its variance adds up to %g; try scale=std", p->variance));
done:
    emi_free(variance);
    return status;
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
