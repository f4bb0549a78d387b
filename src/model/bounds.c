#include "model/bounds.h"

#include "base/memory.h"

#include <cblas.h>
#include <math.h>

static double positive(double value)
{
    return value > 0 ? value : 0;
}

static double *along_of(const emi_bounds *b, int k)
{
    return b->along + (size_t)k * ((size_t)b->splits + 1);
}

/* Of residuals that are estimated there are lengths alone. */
static void take_lengths(emi_bounds *b)
{
    for (int k = 0; k < b->K; k++) {
        b->square[k] = b->e->lengths[k] * b->e->lengths[k];
        *along_of(b, k) = 0;
    }
    b->error[0] = 0;
}

/* R, its lengths, and what of it lies along the components. */
static void measure(emi_bounds *b)
{
    const emi_evidence *e = b->e;
    int d = e->X.rows, K = b->K;
    for (int k = 0; k < K; k++) {
        double *r = emi_column_of(e->CX, k);
        cblas_daxpy(d, -e->theta[k], emi_column_of(e->X, k), 1, r, 1);
        b->square[k] = cblas_ddot(d, r, 1, r, 1);
    }
    emi_mul_tn(1, e->X, e->CX, 0, (emi_block){K, K, b->G});
    for (int k = 0; k < K; k++) {
        double *along = along_of(b, k);
        along[0] = 0;
        for (int m = 0; m < b->splits; m++)
            along[m + 1] = along[m] + b->G[(size_t)k * (size_t)K + (size_t)m] * b->G[(size_t)k * (size_t)K + (size_t)m];
    }
    for (int m = 0; m <= b->splits; m++) {
        b->error[m] = 0;
        for (int j = 0; j < m; j++) b->error[m] += positive(b->square[j] - along_of(b, j)[m]);
    }
}

/* How much rounding has to work with. */
static void weigh(emi_bounds *b)
{
    const emi_evidence *e = b->e;
    int d = e->X.rows;
    b->left[0] = b->spread_of[0] = 0;
    for (int f = 0; f < d; f++) b->left[0] += e->rounding.deviation[f] * e->rounding.deviation[f];
    b->unexplained[0] = e->variance;
    b->shift_in_all = emi_shift(&e->rounding, d, NULL);
    for (int k = 0; k < b->K; k++) {
        const double *x = emi_column_of(e->X, k);
        double taken = emi_spread_square(&e->rounding, d, x);
        b->spread[k] = emi_spread(&e->rounding, d, x);
        b->shift[k] = emi_shift(&e->rounding, d, x);
        b->spread_of[k + 1] = b->spread_of[k] + b->spread[k] * b->spread[k];
        b->left[k + 1] = positive(b->left[k] - taken);
        b->unexplained[k + 1] = positive(b->unexplained[k] - e->theta[k]);
    }
    for (int m = 0; m <= b->K; m++) { /* what a difference of large bounds leaves is not nothing */
        b->left[m] += DBL_EPSILON * b->left[0];
        b->unexplained[m] += DBL_EPSILON * e->variance;
    }
}

/* Columns that are orthonormal but for rounding; others are not taken out of the problem. */
static int is_orthonormal(const emi_evidence *e, double *gram)
{
    int K = e->X.cols;
    emi_mul_tn(1, e->X, e->X, 0, (emi_block){K, K, gram});
    for (int j = 0; j < K; j++)
        for (int i = 0; i <= j; i++)
            if (!(fabs(gram[(size_t)j * (size_t)K + (size_t)i] - (i == j)) <= 1e-12)) return 0;
    return 1;
}

/* Rounding in C x_k, outside the first m components. */
double emi_noise_of(const emi_bounds *b, int k, int m)
{
    double theta = positive(b->e->theta[k]), left = sqrt(b->left[m]);
    double rest = b->shift[k] * b->shift_in_all + b->e->rounding.answers * b->spread[k] * left;
    if (b->e->rounding.formed) return EMI_ROUNDING * b->spread[k] * left + rest;
    return EMI_ROUNDING * (b->spread[k] * sqrt(b->unexplained[m]) + sqrt(theta) * left) + rest;
}

/* Of the first m, outside them. */
static double noise_of_all(const emi_bounds *b, int m)
{
    double own = b->left[m] * (b->unexplained[0] - b->unexplained[m]), other = b->unexplained[m] * b->spread_of[m];
    double formed = sqrt(b->left[m] * b->spread_of[m]), answers = b->e->rounding.answers * formed;
    if (b->e->rounding.formed) return EMI_ROUNDING * formed + answers;
    return EMI_ROUNDING * sqrt(2 * (positive(own) + other)) + answers;
}

/* What may be wrong with component k outside the first m. */
double emi_residual_outside(const emi_bounds *b, int k, int m)
{
    return sqrt(positive(b->square[k] - along_of(b, k)[m]) + DBL_EPSILON * b->square[k]) + emi_noise_of(b, k, m);
}

/* The residuals of components k .. K - 1 outside the first m, all together: kept for all k, m. */
static void add_up_tails(emi_bounds *b)
{
    for (int m = 0; m <= b->splits && m < b->K; m++) {
        double sum = 0;
        for (int k = b->K - 1; k >= 0; k--) {
            double one = emi_residual_outside(b, k, m);
            b->tail[(size_t)m * (size_t)b->K + (size_t)k] = sqrt(sum += one * one);
        }
    }
}

/* The distance of theta_first .. theta_last from all other eigenvalues but the first m.  Those above lie no further from the
 * neighbour's value than its residual is long; those below, which may be mixed with each other and
 * with what is outside, than twice all of theirs are. */
static double gap_of(const emi_bounds *b, int first, int last, int m)
{
    const emi_evidence *e = b->e;
    double below = last + 1 < b->K
                       ? e->theta[last] - e->theta[last + 1] - 2 * b->tail[(size_t)m * (size_t)b->K + (size_t)last + 1]
                       : e->theta[last] - e->next - e->beyond;
    if (first == m) return below;
    return fmin(below, e->theta[first - 1] - e->theta[first] - emi_residual_outside(b, first - 1, m));
}

/* The bound of the head of certificate.h, for the subspace of components first .. last. */
static double bound_without(const emi_bounds *b, int first, int last, int m)
{
    const double *theta = b->e->theta;
    double own = 0, couple = 0;
    for (int k = first; k <= last; k++) {
        double outside = emi_residual_outside(b, k, m);
        own += outside * outside;
        couple += along_of(b, k)[m] + EMI_ROUNDING * b->spread[k] * EMI_ROUNDING * b->spread[k] * b->spread_of[m];
    }
    own = sqrt(own);
    double gap = gap_of(b, first, last, m);
    if (!(gap > 0)) return 1;
    if (m == 0) return own / gap;
    double far = theta[m - 1] - theta[first], E = sqrt(b->error[m]) + noise_of_all(b, m);
    if (!(far > 0)) return 1;
    return own / gap + (sqrt(couple) + E) / far + E * E / (far * gap);
}

/* The best of these, at most 1. */
double emi_bound_of(const emi_bounds *b, int first, int last)
{
    double best = 1;
    for (int m = 0; m <= first && m <= b->splits; m++) best = fmin(best, bound_without(b, first, last, m));
    return best < 0.5 ? fmin(1, 1.1 * best / (1 - best)) : 1; /* where it is not small, the gap itself is in doubt */
}

static em_status alloc_numbers(emi_bounds *b, em_error *err)
{
    size_t K = (size_t)b->K, part = K + 1;
    double **vectors[] = {&b->square, &b->spread, &b->shift, &b->error, &b->spread_of, &b->left, &b->unexplained};
    if (!b->e->lengths) {
        b->G = emi_doubles(K * K);
        if (!b->G) return emi_fail_memory(err, "certificate");
        b->splits = is_orthonormal(b->e, b->G) ? b->K : 0;
    }
    size_t splits = (size_t)b->splits + 1;
    b->along = emi_doubles(2 * splits * K + 7 * part);
    if (!b->along) return emi_fail_memory(err, "certificate");
    b->tail = b->along + splits * K;
    for (size_t n = 0; n < 7; n++) *vectors[n] = b->tail + splits * K + n * part;
    return EM_OK;
}

em_status emi_bounds_find(emi_bounds *b, emi_evidence *e, em_error *err)
{
    *b = (emi_bounds){.e = e, .K = e->X.cols};
    em_status status = alloc_numbers(b, err);
    if (status != EM_OK) return status;
    if (e->lengths)
        take_lengths(b);
    else
        measure(b);
    weigh(b);
    double sum = e->variance;
    for (int k = 0; k < b->K; k++) sum += b->square[k] + fabs(e->theta[k]);
    if (!isfinite(sum))
        return emi_fail(err, EM_ENUMERIC, "fit: the answer is not finite; try scale=std, or another method");
    b->knows_next = !isnan(e->next);
    if (!b->knows_next) e->next = b->unexplained[b->K], e->beyond = 0; /* it cannot be more than all that is left */
    add_up_tails(b);
    return EM_OK;
}

void emi_bounds_free(emi_bounds *b)
{
    emi_free(b->along);
    emi_free(b->G);
}
