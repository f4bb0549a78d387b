#include "fit/standardise.h"

#include "base/memory.h"
#include "data/moments.h"
#include "data/row_kind.h"
#include "fit/masked.h"
#include "fit/range.h"
#include "mesh/masking.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- range ------------------------------------------------------------------------------------- */

void emi_overview_free(emi_overview *over)
{
    emi_free(over->highest);
    emi_free(over->squares);
    *over = (emi_overview){0};
}

/* ---- the pass over the rows ------------------------------------------------------------------------- */

typedef struct survey {
    emi_problem *p;
    const double *unit; /* [d] that rows are divided by; NULL: 1 */
    emi_field found;    /* (d, EMI_SURVEY) a node                */
    emi_field sent;     /* (d, 1) a node: what sums over the network are of */
    int order;          /* where sums are masked: no value is larger than 2^order units */
} survey;

static em_status survey_body(void *context, int i, int worker, em_error *err)
{
    survey *t = context;
    emi_problem *p = t->p;
    emi_gpu_rows *there = p->device.rows ? &p->device.rows[i] : NULL;
    em_error failure = {0};
    em_status status = EM_OK;
    if (there && !there->gave_up) {
        status = emi_gpu_rows_survey(there, t->unit, emi_at(&t->found, i).v, &failure);
        (void)emi_gpu_rows_yield(there, status, &failure, err);
    }
    if (!there || there->gave_up)
        status = emi_survey(&p->shard[i], t->unit, emi_at(&t->found, i).v, emi_problem_helpers(p, i),
                            p->scratch[worker], err);
    if (status != EM_OK && err) err->node = p->mesh->first + i;
    return status;
}

static em_status survey_rows(survey *t, const double *unit, em_error *err)
{
    t->unit = unit;
    return emi_problem_for_nodes(t->p, 6.0 * (double)t->p->N * t->p->d, survey_body, t, err);
}

static const double *found_at(const survey *t, int i, int column)
{
    return emi_column_of(emi_at(&t->found, i), column);
}

/* Each feature's number at node i, by what was found there; and its sum over the network. */
typedef void of_features(const survey *t, int i, double *out);

/* `power`: 1 for sums of values, 2 for those of squares. */
static em_status sum_up(survey *t, of_features *what, int power, double *total, em_error *err)
{
    em_mesh *mesh = t->p->mesh;
    for (int i = 0; i < mesh->hosted; i++) what(t, i, emi_at(&t->sent, i).v);
    if (emi_mesh_is_masked(mesh))
        emi_masked_sums(mesh, &t->sent, power * t->order, total);
    else
        emi_tree_sum(mesh, &t->sent, total);
    return emi_problem_status(t->p, err);
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

static void look(const emi_block found, double weight, int center, double *sight)
{
    double largest = 0, smallest = INFINITY;
    sight[VARIES] = sight[LEVEL] = sight[HOLES] = 0;
    const double *count = emi_column_of(found, EMI_COUNT), *high = emi_column_of(found, EMI_HIGHEST),
                 *low = emi_column_of(found, EMI_LOWEST);
    for (int f = 0; f < found.rows; f++) {
        double highest = high[f], lowest = low[f], size = highest > lowest ? highest : lowest;
        if (count[f] < weight) sight[HOLES] = 1;
        if (size == 0 || size == -INFINITY) continue; /* nothing here, of a feature that is missing at this node */
        if (size > largest) largest = size;
        if (size < smallest) smallest = size;
        sight[center && emi_is_constant(highest, lowest) ? LEVEL : VARIES] = 1;
    }
    sight[LARGEST] = largest > 0 ? (double)ilogb(largest) : -INFINITY;
    sight[SMALLEST] = largest > 0 ? -(double)ilogb(smallest) : -INFINITY;
}

static em_status look_around(const survey *t, int center, double *sight, em_error *err)
{
    emi_field sights = {0};
    double squared;
    em_mesh *mesh = t->p->mesh;
    em_status status = emi_field_alloc(&sights, mesh->hosted, SIGHTS, 1, err);
    if (status != EM_OK) return status;
    for (int i = 0; i < mesh->hosted; i++)
        look(emi_at(&t->found, i), emi_shard_weight(&t->p->shard[i], &squared), center, emi_at(&sights, i).v);
    emi_tree_max(mesh, &sights, sight);
    emi_field_free(&sights);
    return emi_problem_status(t->p, err);
}

/* Every feature's highest and lowest value anywhere. */
static em_status find_range(survey *t, emi_overview *over, em_error *err)
{
    size_t d = (size_t)t->p->d;
    over->highest = emi_doubles(2 * d);
    if (!over->highest) return emi_fail_memory(err, "range");
    over->lowest = over->highest + d;
    emi_field extremes = emi_columns(&t->found, EMI_HIGHEST, 2);
    emi_tree_max(t->p->mesh, &extremes, over->highest);
    return emi_problem_status(t->p, err);
}

/* Data without variance; and a feature of which no difference of two values is a double, nor will be what a model makes of a
 * row. */
static em_status refuse(const emi_problem *p, const emi_overview *over, int center, em_error *err)
{
    int exactly = 1, varies = 0, known = 0;
    char name[64];
    for (int f = 0; f < p->d; f++) {
        double highest = over->highest[f], lowest = over->lowest[f], half = emi_half_span(highest, lowest);
        if (highest == -INFINITY) continue; /* no value is known */
        known = 1;
        if (center && half > DBL_MAX / 2)
            return emi_fail(err, EM_EDATA, "data: %s spans more than a double holds; try dividing it by ten",
                            emi_problem_feature(p, f, name));
        varies |= center ? !emi_is_constant(highest, lowest) : highest != 0 || lowest != 0;
        exactly &= half == 0;
    }
    if (varies) return EM_OK;
    if (!known) return emi_fail(err, EM_EDATA, "data: every value is missing, at every node; try other data");
    return emi_fail(err, EM_EDATA, "data: no variance, every row is the same%s; try other data%s",
                    exactly ? "" : " but for rounding", center ? " or center=no" : "");
}

/* Features whose sums or squares may be no doubles are surveyed once more, each divided by its own power of two. */
static em_status survey_again(survey *t, const emi_overview *over, em_error *err)
{
    int again = 0;
    for (int f = 0; f < t->p->d; f++) {
        over->unit[f] = ldexp(1, emi_exponent_of(fmax(over->highest[f], over->lowest[f])));
        again |= over->unit[f] != 1;
    }
    return again ? survey_rows(t, over->unit, err) : EM_OK;
}

/* What there is to see of the rows before they are added up: is a value missing, and do some need a unit of their own? */
static em_status see(survey *t, emi_overview *over, int center, int *holes, em_error *err)
{
    em_status status = EM_OK;
    double sight[SIGHTS] = {0};
    TRY(look_around(t, center, sight, err));
    t->p->largest = (int)fmax(-INT_MAX, sight[LARGEST]);
    *holes = sight[HOLES] > 0;
    if (sight[LARGEST] < EMI_ORDINARY && sight[SMALLEST] <= EMI_ORDINARY && sight[VARIES] > 0 && sight[LEVEL] == 0)
        return EM_OK;
    TRY(find_range(t, over, err));
    TRY(refuse(t->p, over, center, err));
    TRY(survey_again(t, over, err));
done:
    return status;
}

/* The same where sums are masked: all that is seen is the order of the largest value, by sixteens. */
static em_status see_masked(survey *t, emi_overview *over, int *holes, em_error *err)
{
    emi_problem *p = t->p;
    em_status status = emi_masked_order(p, &t->found, &t->order, holes, err);
    if (status != EM_OK) return status;
    p->largest = t->order - 1;
    if (abs(t->order) <= EMI_ORDINARY) return EM_OK;
    over->exponent = t->order < EMI_TINIEST ? EMI_TINIEST : t->order >= DBL_MAX_EXP ? DBL_MAX_EXP - 1 : t->order;
    t->order -= over->exponent;
    for (int f = 0; f < p->d; f++) over->unit[f] = ldexp(1, over->exponent);
    return survey_rows(t, over->unit, err);
}

/* Each node's own, so that nobody hears of what is wrong elsewhere but that it is. */
static em_status check_genotypes(const survey *t, em_error *err)
{
    char name[64];
    for (int i = 0; i < t->p->mesh->hosted; i++)
        for (int f = 0; f < t->p->d; f++)
            if (found_at(t, i, EMI_HIGHEST)[f] > 2 || found_at(t, i, EMI_LOWEST)[f] > 0)
                return emi_fail_at(
                    err, EM_EDATA, t->p->mesh->first + i,
                    "data: %s has values outside 0 to 2, and scale=binomial is of genotypes; try scale=std",
                    emi_problem_feature(t->p, f, name));
    return EM_OK;
}

/* ---- mean and squares ------------------------------------------------------------------------------ */

static void count_at(const survey *t, int i, double *out)
{
    memcpy(out, found_at(t, i, EMI_COUNT), sizeof *out * (size_t)t->p->d);
}

/* Values that are there, of each feature: all, but for the missing. */
static em_status count_values(survey *t, double *values, em_error *err)
{
    emi_problem *p = t->p;
    char name[64];
    em_status status = EM_OK;
    if (emi_mesh_is_masked(p->mesh))
        status = emi_masked_values(p, &t->found, values, err);
    else
        status = sum_up(t, count_at, 0, values, err);
    for (int f = 0; status == EM_OK && f < p->d; f++) {
        p->missing += (uint64_t)llround(p->weight - values[f]); /* of rows, which weigh 1 */
        if (values[f] == 0 && p->scaling != EMI_SCALE_BINOMIAL)
            return emi_fail(err, EM_EDATA, "data: %s has no value at all, at any node; try leaving it out",
                            emi_problem_feature(p, f, name));
    }
    return status;
}

static void sum_at(const survey *t, int i, double *out)
{
    const double *count = found_at(t, i, EMI_COUNT), *origin = found_at(t, i, EMI_ORIGIN),
                 *sum = found_at(t, i, EMI_SUM);
    for (int f = 0; f < t->p->d; f++) out[f] = count[f] * origin[f] + sum[f];
}

/* Of every feature, over the values that are there; into mean[d]. */
static em_status find_mean(survey *t, const emi_overview *over, double *mean, em_error *err)
{
    em_status status = EM_OK;
    emi_problem *p = t->p;
    double *values = emi_doubles((size_t)p->d);
    if (!values) TRY(emi_fail_memory(err, "mean"));
    for (int f = 0; f < p->d; f++) values[f] = p->weight;
    if (p->fill) TRY(count_values(t, values, err));
    TRY(sum_up(t, sum_at, 1, mean, err));
    for (int f = 0; f < p->d; f++) {
        if (values[f] == 0) continue; /* a variant without a call: its sum is zero */
        mean[f] = mean[f] / values[f] * over->unit[f];
        /* it is not outside of what it is the mean of; a constant's is then exact: nothing is left */
        if (over->highest) mean[f] = fmin(fmax(mean[f], -over->lowest[f]), over->highest[f]);
    }
done:
    emi_free(values);
    return status;
}

/* Squares about the network's mean from those about the node's (see data/moments.c); about zero where the mean is
 * left in.  The origin is near both: no digits are lost in the difference. */
static void squares_at(const survey *t, int i, double *out)
{
    const emi_problem *p = t->p;
    const double *count = found_at(t, i, EMI_COUNT), *origin = found_at(t, i, EMI_ORIGIN),
                 *sum = found_at(t, i, EMI_SUM), *squares = found_at(t, i, EMI_SQUARES);
    double squared, all = emi_shard_weight(&p->shard[i], &squared);
    for (int f = 0; f < p->d; f++) {
        double unit = t->unit ? t->unit[f] : 1, mean = p->mean[f] / unit, n = count[f],
               filled = p->fill ? p->fill[f] / unit - mean : 0, away = n > 0 ? origin[f] - mean + sum[f] / n : 0;
        out[f] = squares[f] + n * away * away + (all - n) * filled * filled;
    }
}

static em_status alloc_survey(survey *t, emi_overview *over, em_error *err)
{
    emi_problem *p = t->p;
    size_t d = (size_t)p->d;
    over->squares = emi_doubles(2 * d);
    if (!over->squares) return emi_fail_memory(err, "variance");
    over->unit = over->squares + d;
    for (size_t f = 0; f < d; f++) over->unit[f] = 1;
    em_status status = emi_field_alloc(&t->sent, p->mesh->hosted, p->d, 1, err);
    return status == EM_OK ? emi_field_alloc(&t->found, p->mesh->hosted, p->d, EMI_SURVEY, err) : status;
}

em_status emi_find_mean(emi_problem *p, emi_overview *over, int center, em_error *err)
{
    em_status status = EM_OK;
    survey task = {.p = p};
    int holes = 0, masked = emi_mesh_is_masked(p->mesh);
    TRY(alloc_survey(&task, over, err));
    TRY(survey_rows(&task, NULL, err));
    TRY(masked ? see_masked(&task, over, &holes, err) : see(&task, over, center, &holes, err));
    if (p->scaling == EMI_SCALE_BINOMIAL) TRY(check_genotypes(&task, err));
    if (holes) { /* filled with the mean, also where that is left in */
        p->standard.fill = p->fill = emi_doubles((size_t)p->d);
        if (!p->fill) TRY(emi_fail_memory(err, "mean"));
    }
    if (center || p->fill) TRY(find_mean(&task, over, center ? p->mean : p->fill, err));
    if (center && p->fill) memcpy(p->fill, p->mean, sizeof *p->fill * (size_t)p->d);
    p->standard.mean = center ? p->mean : NULL;
    TRY(sum_up(&task, squares_at, 2, over->squares, err));
    if (masked) TRY(emi_masked_judge(p, &task.found, task.order, over->unit, over->squares, err));
done:
    emi_field_free(&task.sent);
    emi_field_free(&task.found);
    return status;
}
