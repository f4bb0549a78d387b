#include "fit/certificate.h"

#include "base/larger.h"
#include "base/memory.h"

#include <cblas.h>

/* Two eigenvalues are too close when the angle between their vectors is known to no better than this. */
static const double alike_angle = 0.1;
static const double alike_relative = 1e-8; /* and in any case when they agree to eight digits of their own */
static const double fine_angle = 1e-3;     /* a component above its tolerance is still good for this */
static const double many_digits = 1e-8;    /* rounding that hides no more than this is not looked into */

typedef struct work {
    const emi_evidence *e;
    int K, splits;       /* how many leading components may be taken out of the problem, at most */
    double *square;      /* [K] ||R_k||^2                                               */
    double *G;           /* (K, K) X' R                                                 */
    double *along;       /* (K + 1, K) sum of G_ik^2 over i < m                          */
    double *error;       /* [K + 1] ||E||^2 of the first m                              */
    double *spread;      /* [K] s . |x_k|                                               */
    double *shift;       /* [K] what the mean may be off by along x_k                   */
    double shift_in_all; /* and in all                                                  */
    double *spread_of;   /* [K + 1] sum of the squares of the first m of these          */
    double *left;        /* [K + 1] sum of s_f^2 outside the first m                    */
    double *tail;        /* (K, K) residuals from the k-th on, outside the first m      */
    double *unexplained; /* [K + 1] variance outside the first m                        */
    double *numbers;     /* all of these                                                */
    int knows_next;      /* the eigenvalue after the K-th                               */
} work;

static double positive(double value)
{
    return value > 0 ? value : 0;
}

static double *along_of(const work *w, int k)
{
    return w->along + (size_t)k * ((size_t)w->K + 1);
}

/* R, its lengths, and what of it lies along the components. */
static void measure(work *w)
{
    const emi_evidence *e = w->e;
    int d = e->X.rows, K = w->K;
    for (int k = 0; k < K; k++) {
        double *r = emi_column_of(e->CX, k);
        cblas_daxpy(d, -e->theta[k], emi_column_of(e->X, k), 1, r, 1);
        w->square[k] = cblas_ddot(d, r, 1, r, 1);
    }
    emi_mul_tn(1, e->X, e->CX, 0, (emi_block){K, K, w->G});
    for (int k = 0; k < K; k++) {
        double *along = along_of(w, k);
        along[0] = 0;
        for (int m = 0; m < K; m++)
            along[m + 1] = along[m] + w->G[(size_t)k * (size_t)K + (size_t)m] * w->G[(size_t)k * (size_t)K + (size_t)m];
    }
    for (int m = 0; m <= K; m++) {
        w->error[m] = 0;
        for (int j = 0; j < m; j++) w->error[m] += positive(w->square[j] - along_of(w, j)[m]);
    }
}

/* How much rounding has to work with. */
static void weigh(work *w)
{
    const emi_evidence *e = w->e;
    int d = e->X.rows;
    w->left[0] = w->spread_of[0] = 0;
    for (int f = 0; f < d; f++) w->left[0] += emi_spread_of(&e->rounding, f) * emi_spread_of(&e->rounding, f);
    w->unexplained[0] = e->variance;
    w->shift_in_all = emi_shift(&e->rounding, d, NULL);
    for (int k = 0; k < w->K; k++) {
        const double *x = emi_column_of(e->X, k);
        double taken = 0;
        for (int f = 0; f < d; f++) taken += pow(emi_spread_of(&e->rounding, f) * x[f], 2);
        w->spread[k] = emi_spread(&e->rounding, d, x);
        w->shift[k] = emi_shift(&e->rounding, d, x);
        w->spread_of[k + 1] = w->spread_of[k] + w->spread[k] * w->spread[k];
        w->left[k + 1] = positive(w->left[k] - taken);
        w->unexplained[k + 1] = positive(w->unexplained[k] - e->theta[k]);
    }
    for (int m = 0; m <= w->K; m++) { /* what a difference of large numbers leaves is not nothing */
        w->left[m] += DBL_EPSILON * w->left[0];
        w->unexplained[m] += DBL_EPSILON * e->variance;
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
static double noise(const work *w, int k, int m)
{
    double theta = positive(w->e->theta[k]), left = sqrt(w->left[m]), mean = w->shift[k] * w->shift_in_all;
    if (w->e->rounding.formed) return EMI_ROUNDING * w->spread[k] * left + mean;
    return EMI_ROUNDING * (w->spread[k] * sqrt(w->unexplained[m]) + sqrt(theta) * left) + mean;
}

/* Of the first m, outside them. */
static double noise_of_all(const work *w, int m)
{
    double own = w->left[m] * (w->unexplained[0] - w->unexplained[m]), other = w->unexplained[m] * w->spread_of[m];
    if (w->e->rounding.formed) return EMI_ROUNDING * sqrt(w->left[m] * w->spread_of[m]);
    return EMI_ROUNDING * sqrt(2 * (positive(own) + other));
}

/* What may be wrong with component k outside the first m. */
static double residual_outside(const work *w, int k, int m)
{
    return sqrt(positive(w->square[k] - along_of(w, k)[m]) + DBL_EPSILON * w->square[k]) + noise(w, k, m);
}

/* The residuals of components k .. K - 1 outside the first m, all together: kept for all k, m. */
static void add_up_tails(work *w)
{
    for (int m = 0; m <= w->splits && m < w->K; m++) {
        double sum = 0;
        for (int k = w->K - 1; k >= 0; k--) {
            double one = residual_outside(w, k, m);
            w->tail[(size_t)m * (size_t)w->K + (size_t)k] = sqrt(sum += one * one);
        }
    }
}

/* The distance of theta_first .. theta_last from all other eigenvalues but the first m.  Those above lie no further from the
 * neighbour's value than its residual is long; those below, which may be mixed with each other and
 * with what is outside, than twice all of theirs are. */
static double gap_of(const work *w, int first, int last, int m)
{
    const emi_evidence *e = w->e;
    double below = last + 1 < w->K
                       ? e->theta[last] - e->theta[last + 1] - 2 * w->tail[(size_t)m * (size_t)w->K + (size_t)last + 1]
                       : e->theta[last] - e->next - e->beyond;
    if (first == m) return below;
    return fmin(below, e->theta[first - 1] - e->theta[first] - residual_outside(w, first - 1, m));
}

/* The bound of the head of certificate.h, for the subspace of components first .. last. */
static double bound_without(const work *w, int first, int last, int m)
{
    const double *theta = w->e->theta;
    double own = 0, couple = 0;
    for (int k = first; k <= last; k++) {
        double outside = residual_outside(w, k, m);
        own += outside * outside;
        couple += along_of(w, k)[m] + EMI_ROUNDING * w->spread[k] * EMI_ROUNDING * w->spread[k] * w->spread_of[m];
    }
    own = sqrt(own);
    double gap = gap_of(w, first, last, m);
    if (!(gap > 0)) return 1;
    if (m == 0) return own / gap;
    double far = theta[m - 1] - theta[first], E = sqrt(w->error[m]) + noise_of_all(w, m);
    if (!(far > 0)) return 1;
    return own / gap + (sqrt(couple) + E) / far + E * E / (far * gap);
}

static double bound(const work *w, int first, int last)
{
    double best = 1;
    for (int m = 0; m <= first && m <= w->splits; m++) best = fmin(best, bound_without(w, first, last, m));
    return best < 0.5 ? fmin(1, 1.1 * best / (1 - best)) : 1; /* where it is not small, the gap itself is in doubt */
}

/* ---- what to make of it ----------------------------------------------------------------------------- */

/* Rounding in x_j' C x_k. */
static double coupling_noise(const work *w, int j, int k)
{
    return EMI_ROUNDING * w->spread[k] * (w->e->rounding.formed ? w->spread[j] : sqrt(w->e->theta[j]));
}

/* Variance of its own, with what has been mixed into it of the components before, `counts`, taken off: of an angle of
 * x_j' C x_k / theta_j, its square times theta_j.  It is there if it is more than rounding could make up: in the product, in
 * that difference, or in the covariances that the vectors came from. */
static int has_variance(const work *w, int k, const double *counts)
{
    const emi_evidence *e = w->e;
    double own = e->theta[k], doubt = emi_rounding_variance(&e->rounding, e->X.rows, emi_column_of(e->X, k), k);
    for (int j = 0; j < k; j++) {
        if (counts[j] == 0) continue;
        double G = fabs(w->G[(size_t)k * (size_t)w->K + (size_t)j]), theta = e->theta[j];
        double formed = e->from_formed ? EMI_ROUNDING * w->spread[j] * w->spread[k] : 0;
        own -= G * G / theta;
        doubt += (2 * G * coupling_noise(w, j, k) + formed * formed) / theta;
    }
    return k < e->rank && own > doubt;
}

/* No arithmetic gets a residual below this: an overlap of eps with a component as large as the first. */
static double smallest_residual(const work *w, int k)
{
    return EMI_ROUNDING * positive(w->e->theta[0]) + noise(w, k, 0);
}

static int is_fine(const work *w, int k)
{
    double length = sqrt(w->square[k]);
    return length <= w->e->tolerance * w->e->theta[k] || length <= smallest_residual(w, k);
}

/* With its neighbour: values that agree, or vectors that only their sum knows, though nothing is wrong with either. */
static int is_alike(const work *w, int k, double value, double residual, int fine)
{
    double gap = w->e->theta[k] - value, most = w->splits ? k : 0;
    if (gap <= alike_relative * w->e->theta[k]) return 1;
    return fine && is_fine(w, k) && gap * alike_angle < fmax(residual_outside(w, k, (int)most), residual);
}

/* Neighbours that cannot be told apart, those without variance among them. */
static void find_clusters(const work *w, emi_verdict *out)
{
    const emi_evidence *e = w->e;
    int has = (int)out->has;
    for (int k = 0; k < w->K; k++) {
        int alike = k > has;
        if (k > 0 && k < has)
            alike = is_alike(w, k - 1, e->theta[k], residual_outside(w, k, w->splits ? k - 1 : 0), is_fine(w, k));
        out->cluster[k] = alike ? out->cluster[k - 1] : k;
    }
    out->open = has < w->K ? w->K < e->X.rows : w->knows_next && is_alike(w, w->K - 1, e->next, e->beyond, 1);
}

/* Of a cluster that goes on beyond the K-th there is no gap to tell; its residual is all. */
static double bound_together(const work *w, int first, int last, int open)
{
    double worst = 0;
    if (!open) return bound(w, first, last);
    for (int k = first; k <= last; k++)
        worst = emi_larger(worst, residual_outside(w, k, w->splits ? first : 0) / w->e->theta[k]);
    return fmin(1, worst);
}

static void set_bounds(emi_verdict *out, int first, int end, double bound)
{
    for (int k = first; k < end; k++) out->angle[k] = out->together[k] = bound;
}

/* Once a component is not known, neither is which one those after it are, nor how far it is from the one before. */
static void find_bounds(const work *w, emi_verdict *out)
{
    static const double lost = 0.5, close_by = 0.01;
    int has = (int)out->has, known = 1;
    for (int first = 0, end, before = 0; first < w->K; before = first, first = end) {
        for (end = first + 1; end < w->K && (int)out->cluster[end] == first;) end++;
        int open = end == w->K && out->open != 0;
        double together = first < has && known ? bound_together(w, first, end - 1, open) : 1;
        set_bounds(out, first, end, together);
        for (int k = first; k < end && together < 1; k++) out->angle[k] = open ? 1 : bound(w, k, k);
        if (known && first < has && together >= lost) {
            int near = w->e->theta[first] > close_by * w->e->theta[before];
            set_bounds(out, near ? before : first, end, 1);
            known = 0;
        }
    }
}

/* A component is done when its residual is within the tolerance; or when rounding forbids more and it is known all the same. */
static void judge(const work *w, emi_verdict *out)
{
    const emi_evidence *e = w->e;
    for (int k = 0; k < (int)out->has; k++) {
        int within = out->residual[k] <= e->tolerance;
        int hidden = noise(w, k, w->splits ? k : 0) > fmax(e->tolerance, many_digits) * e->theta[k];
        out->hidden += hidden;
        if (!within && !is_fine(w, k))
            out->short_of++;
        else if ((!within || hidden) && !(out->together[k] <= fine_angle))
            out->unknown++;
        else if (!within)
            out->limited++;
    }
}

/* Clearly larger than the last one, whatever is wrong with that. */
static int misses(const work *w)
{
    int last = w->K - 1;
    return w->e->next - w->e->beyond > 1.01 * w->e->theta[last] + 2 * residual_outside(w, last, 0);
}

static em_status open_work(work *w, const emi_evidence *e, em_error *err)
{
    size_t K = (size_t)e->X.cols, size;
    *w = (work){.e = e, .K = e->X.cols};
    if (emi_size_overflows(K, 3 * K + 9, &size) || !(w->numbers = emi_doubles(size + 4)))
        return emi_fail_memory(err, "certificate");
    double **parts[] = {&w->square, &w->spread, &w->shift},
           **longer[] = {&w->error, &w->spread_of, &w->left, &w->unexplained};
    double *at = w->numbers;
    w->G = at, at += K * K;
    w->along = at, at += K * (K + 1);
    w->tail = at, at += K * K;
    for (int n = 0; n < 3; n++, at += K) *parts[n] = at;
    for (int n = 0; n < 4; n++, at += K + 1) *longer[n] = at;
    return EM_OK;
}

/* Past the rank: no component from here on has variance of its own. */
static int count_with_variance(const work *w, double *counts)
{
    int has = 0;
    for (int k = 0; k < w->K; k++) {
        counts[k] = has_variance(w, k, counts);
        if (counts[k] != 0) has = k + 1;
    }
    return has;
}

static int is_finite(const work *w)
{
    double sum = w->e->variance;
    for (int k = 0; k < w->K; k++) sum += w->square[k] + fabs(w->e->theta[k]);
    return isfinite(sum);
}

em_status emi_certify(emi_evidence *e, emi_verdict *out, em_error *err)
{
    em_status status = EM_OK;
    work w;
    TRY(open_work(&w, e, err));
    w.splits = is_orthonormal(e, w.G) ? w.K : 0;
    measure(&w);
    weigh(&w);
    if (!is_finite(&w))
        TRY(emi_fail(err, EM_ENUMERIC, "fit: the answer is not finite; try --scale std, or another method"));
    w.knows_next = !isnan(e->next);
    if (!w.knows_next) e->next = w.unexplained[w.K], e->beyond = 0; /* it cannot be more than all that is left */
    out->has = count_with_variance(&w, out->angle);                 /* whose turn comes later */
    out->limited = out->hidden = out->unknown = out->short_of = 0;
    for (int k = 0; k < w.K; k++) out->residual[k] = sqrt(w.square[k]) / (e->theta[k] > 0 ? e->theta[k] : e->theta[0]);
    add_up_tails(&w);
    find_clusters(&w, out);
    find_bounds(&w, out);
    judge(&w, out);
    if (out->unknown > 0)
        out->has = w.K < e->rank ? w.K : e->rank; /* who does not know them cannot say that they are none */
    out->missed = w.knows_next && (int)out->has == w.K && misses(&w);
    int first = 0; /* that it belongs before */
    while (first < w.K && !(e->theta[first] < 1.01 * e->next + 2 * residual_outside(&w, first, 0))) first++;
    if (out->missed != 0) set_bounds(out, first > 0 ? first - 1 : 0, w.K, 1);
done:
    emi_free(w.numbers);
    return status;
}
