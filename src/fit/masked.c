#include "fit/masked.h"

#include "base/memory.h"
#include "data/moments.h"
#include "mesh/fixed.h"
#include "mesh/masking.h"

#include <float.h>
#include <math.h>

/* ---- order ----------------------------------------------------------------------------------------------------------- */

/* Orders of all doubles, by sixteens: place n is for values below 2^(LEAST + 16 n). */
enum { STEP = 16, LEAST = -1088, PLACES = 132 };
_Static_assert(LEAST + STEP * PLACES == DBL_MAX_EXP, "the last place is for the largest double");

static int place_of(double size)
{
    return size > 0 ? (ilogb(size) + 1 - LEAST + STEP - 1) / STEP : 0;
}

static double largest_of(emi_block found)
{
    double largest = 0;
    for (int f = 0; f < found.rows; f++)
        largest = fmax(largest, fmax(emi_column_of(found, EMI_HIGHEST)[f], emi_column_of(found, EMI_LOWEST)[f]));
    return largest;
}

static int has_holes(emi_block found, size_t rows)
{
    for (int f = 0; f < found.rows; f++)
        if (emi_column_of(found, EMI_COUNT)[f] < (double)rows) return 1;
    return 0;
}

em_status emi_masked_order(emi_problem *p, const emi_field *found, int *order, int *holes, em_error *err)
{
    int hosted = p->mesh->hosted, place = 0;
    int *own = emi_calloc((size_t)hosted, sizeof *own);
    if (!own) return emi_fail_memory(err, "range");
    for (int i = 0; i < hosted; i++) own[i] = place_of(largest_of(emi_at(found, i)));
    emi_masked_maximum(p->mesh, own, PLACES, &place);
    for (int i = 0; i < hosted; i++) own[i] = has_holes(emi_at(found, i), p->shard[i].count);
    emi_masked_maximum(p->mesh, own, 1, holes);
    emi_free(own);
    *order = place > 0 ? LEAST + STEP * place : 0;
    return emi_problem_status(p, err);
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

em_status emi_masked_values(emi_problem *p, const emi_field *found, double *values, em_error *err)
{
    size_t d = (size_t)p->d, hosted = (size_t)p->mesh->hosted;
    uint64_t *own = emi_calloc((hosted + 1) * d, sizeof *own), *total = own ? own + hosted * d : NULL;
    if (!own) return emi_fail_memory(err, "mean");
    for (size_t i = 0; i < hosted; i++)
        for (size_t f = 0; f < d; f++) own[i * d + f] = (uint64_t)emi_column_of(emi_at(found, (int)i), EMI_COUNT)[f];
    emi_masked_counts(p->mesh, own, d, total);
    for (size_t f = 0; f < d; f++) values[f] = (double)total[f];
    emi_free(own);
    return emi_problem_status(p, err);
}

/* ---- what the squares say ------------------------------------------------------------------------------------------------- */

/* Does nothing but rounding keep the values of a feature from its mean?  That of n equal numbers is off by a unit or two. */
static int is_level(const emi_problem *p, int f, double square, double unit)
{
    double deviation = sqrt(square / (double)p->N) * unit;
    return square <= 0 || (p->standard.mean && deviation <= 4 * DBL_EPSILON * fabs(p->mean[f]));
}

/* Does it vary, as far as a node's own values say, among themselves or from the mean?  The mean has its last place at 2^last. */
static int varies_here(const emi_problem *p, const emi_field *found, int f, double unit, int last)
{
    double mean = p->mean[f] / unit;
    for (int i = 0; i < p->mesh->hosted; i++) {
        emi_block own = emi_at(found, i);
        double highest = emi_column_of(own, EMI_HIGHEST)[f], lowest = emi_column_of(own, EMI_LOWEST)[f];
        double size = fmax(highest, lowest), away = fabs(highest - mean);
        if (!(size > 0)) continue;
        if (highest / 2 + lowest / 2 > 2 * DBL_EPSILON * size || away > 4 * DBL_EPSILON * size + ldexp(1, last))
            return 1;
    }
    return 0;
}

/* Of its sum of squares, fewer than 40 bits may be there. */
static em_status refuse_small(const emi_problem *p, const emi_field *found, int f, double unit, int last, em_error *err)
{
    char name[64];
    if (!varies_here(p, found, f, unit, last)) return EM_OK;
    return emi_fail(err, EM_EDATA,
                    "data: %s varies by less than masked sums hold beside the largest values of the data; try another "
                    "unit for it, or for those",
                    emi_problem_feature(p, f, name));
}

em_status emi_masked_judge(emi_problem *p, const emi_field *found, int order, const double *unit, double *squares,
                           em_error *err)
{
    enum { BITS = 40 };
    int varies = 0, level = 0;
    p->level = emi_calloc((size_t)p->d, sizeof *p->level);
    if (!p->level) return emi_fail_memory(err, "variance");
    for (int f = 0; f < p->d; f++) {
        p->level[f] = (unsigned char)is_level(p, f, squares[f], unit[f]);
        level += p->level[f];
        varies |= !p->level[f];
        if (squares[f] < ldexp(1, BITS - EMI_WIDE_BELOW + 2 * order)) {
            em_status status = refuse_small(p, found, f, unit[f], order + 1 - EMI_WIDE_BELOW, err);
            if (status != EM_OK) return status;
        }
        if (p->level[f]) squares[f] = 0;
    }
    if (level == 0) {
        emi_free(p->level);
        p->level = NULL;
    }
    if (varies) return EM_OK;
    return emi_fail(err, EM_EDATA, "data: no variance, every row is the same but for rounding; try other data%s",
                    p->standard.mean ? " or center=no" : "");
}
