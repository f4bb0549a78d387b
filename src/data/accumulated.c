/* What is known of moments; and fewer columns of them. */
#include "base/memory.h"
#include "data/accumulate.h"
#include "linalg/blas.h"
#include "linalg/outer.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- fewer columns -------------------------------------------------------------------------------------------------------------------- */

static void pick_numbers(const em_moments *m, const size_t *pick, em_moments *to)
{
    size_t d = (size_t)m->d, picked = (size_t)to->d;
    for (size_t f = 0; f < picked; f++) {
        to->mean[f] = m->mean[pick[f]];
        to->rest[f] = m->rest[pick[f]];
        for (size_t g = 0; to->scatter && g <= f; g++) {
            size_t a = pick[f] > pick[g] ? pick[f] : pick[g], b = pick[f] > pick[g] ? pick[g] : pick[f];
            to->scatter[f * picked + g] = m->scatter[a * d + b];
        }
        for (int r = 0; to->sketch && m->sketch && r < m->sketch->held; r++)
            to->sketch->rows[(size_t)r * picked + f] = m->sketch->rows[(size_t)r * d + pick[f]];
        if (to->sketch && m->sketch) to->sketch->squares[f] = m->sketch->squares[pick[f]];
    }
    to->rows = m->rows, to->weight = m->weight, to->squared = m->squared, to->single = m->single;
    if (to->sketch && m->sketch) to->sketch->held = m->sketch->held, to->sketch->shed = m->sketch->shed;
}

static int picks_all(const em_moments *m, const size_t *pick, size_t picked)
{
    size_t f = 0;
    while (f < picked && pick[f] == f) f++;
    return f == (size_t)m->d;
}

/* The new one takes the place of the old. */
em_status emi_moments_pick(em_moments *m, const size_t *pick, size_t picked, em_error *err)
{
    if (picks_all(m, pick, picked)) return EM_OK;
    em_moments *fresh = NULL, old = *m;
    em_status status = emi_moments_new(&fresh, picked, m->sketch ? (size_t)m->sketch->most : 0, err);
    if (status != EM_OK) return status;
    pick_numbers(m, pick, fresh);
    *m = *fresh;
    *fresh = old;
    em_moments_free(&fresh);
    return EM_OK;
}

/* ---- what is known ------------------------------------------------------------------------------------------------------------------ */

EMI_GETTER(size_t, em_moments_columns, em_moments *m, (size_t)m->d)
EMI_GETTER(uint64_t, em_moments_rows, em_moments *m, m->rows + m->held)
EMI_GETTER(double, em_moments_weight, em_moments *m, m->weight + (double)m->held)
EMI_GETTER(size_t, em_moments_directions, em_moments *m, m->sketch ? (size_t)m->sketch->most : 0)

const char *em_moments_column_name(const em_moments *m, size_t column)
{
    return m->names && column < (size_t)m->d ? m->names[column] : NULL;
}

double emi_moments_rounding(const em_moments *m)
{
    double terms = fmin((double)m->rows, EMI_SINGLE_ROWS), sums = (double)m->room / EMI_SINGLE_ROWS, centring = 2,
           units = terms / 3 + sums / 3 + centring;
    return (m->single ? units * (double)FLT_EPSILON / 2 : 0) + DBL_EPSILON * sqrt((double)m->rows / (double)m->room);
}

double emi_degrees(double weight, double squared)
{
    double degrees = weight > 0 ? weight - squared / weight : 0;
    return degrees > 0 ? degrees : weight;
}

em_status em_moments_bound(em_moments *m, double *bound, em_error *err)
{
    em_status status = emi_moments_settle(m, err);
    if (status == EM_OK) *bound = m->sketch && m->weight > 0 ? m->sketch->shed / emi_degrees(m->weight, m->squared) : 0;
    return status;
}

static em_status refuse_empty(const em_moments *m, em_error *err)
{
    return m->rows ? EM_OK : emi_fail(err, EM_EDATA, "moments: of no rows; try adding some first");
}

em_status em_moments_mean(em_moments *m, double *mean, em_error *err)
{
    em_status status = emi_moments_settle(m, err);
    if (status == EM_OK) status = refuse_empty(m, err);
    if (status == EM_OK) memcpy(mean, m->mean, sizeof *mean * (size_t)m->d);
    return status;
}

em_status em_moments_covariance(em_moments *m, double *covariance, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)m->d;
    TRY(emi_moments_settle(m, err));
    TRY(refuse_empty(m, err));
    double degrees = emi_degrees(m->weight, m->squared);
    if (m->sketch) {
        emi_blas_claim(1);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, m->d, m->sketch->held, 1 / degrees, m->sketch->rows, m->d,
                    0, covariance, m->d);
        emi_blas_release(1);
    }
    for (size_t n = 0; m->scatter && n < d * d; n++) covariance[n] = m->scatter[n] / degrees;
    emi_mirror(covariance, m->d);
done:
    return status;
}
