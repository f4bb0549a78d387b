#include "model/certificate.h"

#include "base/larger.h"
#include "base/memory.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* What residuals say of angles: the numbers behind a certificate. */
typedef struct bounds {
    const emi_evidence *e;
    int K, splits;       /* how many leading components may be taken out of the problem, at most */
    double *G;           /* (K, K) X' R; NULL where R is estimated                      */
    double *along;       /* (splits + 1, K) sum of G_ik^2 over i < m                     */
    double *tail;        /* (K, splits + 1) residuals from the k-th on, outside the first m */
    double *square;      /* [K] ||R_k||^2                                               */
    double *spread;      /* [K] s . |x_k|                                               */
    double *shift;       /* [K] what the mean may be off by along x_k                   */
    double *error;       /* [K + 1] ||E||^2 of the first m                              */
    double *spread_of;   /* [K + 1] sum of the squares of the spreads of the first m    */
    double *left;        /* [K + 1] sum of s_f^2 outside the first m                    */
    double *unexplained; /* [K + 1] variance outside the first m                        */
    double shift_in_all; /* what the mean may be off by in all                          */
    int knows_next;      /* the eigenvalue after the K-th                               */
} bounds;

static double positive(double value)
{
    return value > 0 ? value : 0;
}

static double *along_of(const bounds *b, int k)
{
    return b->along + (size_t)k * ((size_t)b->splits + 1);
}

/* Of residuals that are estimated there are lengths alone. */
static void take_lengths(bounds *b)
{
    for (int k = 0; k < b->K; k++) {
        b->square[k] = b->e->lengths[k] * b->e->lengths[k];
        *along_of(b, k) = 0;
    }
    b->error[0] = 0;
}

/* R, its lengths, and what of it lies along the components. */
static void measure(bounds *b)
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
static void weigh(bounds *b)
{
    const emi_evidence *e = b->e;
    int d = e->X.rows;
    b->left[0] = b->spread_of[0] = 0;
    for (int f = 0; f < d; f++) b->left[0] += e->rounding.deviation[f] * e->rounding.deviation[f];
    b->unexplained[0] = e->variance;
    b->shift_in_all = emi_shift(&e->rounding, d, NULL);
    for (int k = 0; k < b->K; k++) {
        const double *x = emi_column_of(e->X, k);
        double taken = 0;
        for (int f = 0; f < d; f++) taken += e->rounding.deviation[f] * x[f] * e->rounding.deviation[f] * x[f];
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
static double noise_of(const bounds *b, int k, int m)
{
    double theta = positive(b->e->theta[k]), left = sqrt(b->left[m]), mean = b->shift[k] * b->shift_in_all;
    if (b->e->rounding.formed) return EMI_ROUNDING * b->spread[k] * left + mean;
    return EMI_ROUNDING * (b->spread[k] * sqrt(b->unexplained[m]) + sqrt(theta) * left) + mean;
}

/* Of the first m, outside them. */
static double noise_of_all(const bounds *b, int m)
{
    double own = b->left[m] * (b->unexplained[0] - b->unexplained[m]), other = b->unexplained[m] * b->spread_of[m];
    if (b->e->rounding.formed) return EMI_ROUNDING * sqrt(b->left[m] * b->spread_of[m]);
    return EMI_ROUNDING * sqrt(2 * (positive(own) + other));
}

/* What may be wrong with component k outside the first m. */
static double residual_outside(const bounds *b, int k, int m)
{
    return sqrt(positive(b->square[k] - along_of(b, k)[m]) + DBL_EPSILON * b->square[k]) + noise_of(b, k, m);
}

/* The residuals of components k .. K - 1 outside the first m, all together: kept for all k, m. */
static void add_up_tails(bounds *b)
{
    for (int m = 0; m <= b->splits && m < b->K; m++) {
        double sum = 0;
        for (int k = b->K - 1; k >= 0; k--) {
            double one = residual_outside(b, k, m);
            b->tail[(size_t)m * (size_t)b->K + (size_t)k] = sqrt(sum += one * one);
        }
    }
}

/* The distance of theta_first .. theta_last from all other eigenvalues but the first m.  Those above lie no further from the
 * neighbour's value than its residual is long; those below, which may be mixed with each other and
 * with what is outside, than twice all of theirs are. */
static double gap_of(const bounds *b, int first, int last, int m)
{
    const emi_evidence *e = b->e;
    double below = last + 1 < b->K
                       ? e->theta[last] - e->theta[last + 1] - 2 * b->tail[(size_t)m * (size_t)b->K + (size_t)last + 1]
                       : e->theta[last] - e->next - e->beyond;
    if (first == m) return below;
    return fmin(below, e->theta[first - 1] - e->theta[first] - residual_outside(b, first - 1, m));
}

/* The bound of the head of certificate.h, for the subspace of components first .. last. */
static double bound_without(const bounds *b, int first, int last, int m)
{
    const double *theta = b->e->theta;
    double own = 0, couple = 0;
    for (int k = first; k <= last; k++) {
        double outside = residual_outside(b, k, m);
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
static double bound_of(const bounds *b, int first, int last)
{
    double best = 1;
    for (int m = 0; m <= first && m <= b->splits; m++) best = fmin(best, bound_without(b, first, last, m));
    return best < 0.5 ? fmin(1, 1.1 * best / (1 - best)) : 1; /* where it is not small, the gap itself is in doubt */
}

static em_status alloc_numbers(bounds *b, em_error *err)
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

static em_status find_numbers(bounds *b, emi_evidence *e, em_error *err)
{
    *b = (bounds){.e = e, .K = e->X.cols};
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

/* ---- the verdict -------------------------------------------------------------------------------- */

/* Two eigenvalues are too close when the angle between their vectors is known to no better than this. */
static const double alike_angle = 0.1;
static const double alike_relative = 1e-8; /* and in any case when they agree to eight digits of their own */
static const double close_relative = 0.01; /* and to two, when rounding leaves either open */
static const double fine_angle = 1e-3;     /* a component above its tolerance is still good for this */
static const double many_digits = 1e-8;    /* rounding that hides no more than this is not looked into */

/* Variance of its own, with what has been mixed into it of the components before, `counts`, taken off: of an angle of
 * x_j' C x_k / theta_j, its square times theta_j.  It is there if it is more than rounding could make up: in the product, in
 * that difference, or in the covariances that the vectors came from. */
static int has_variance(const bounds *b, int k, const double *counts)
{
    const emi_evidence *e = b->e;
    double own = e->theta[k], doubt = emi_rounding_variance(&e->rounding, e->X.rows, emi_column_of(e->X, k), k);
    if (!b->G && k > 0 && e->theta[k - 1] > 0) own -= b->square[k] / e->theta[k - 1]; /* it cannot be more */
    for (int j = 0; b->G && j < k; j++) {
        if (counts[j] == 0) continue;
        double G = fabs(b->G[(size_t)k * (size_t)b->K + (size_t)j]), theta = e->theta[j];
        double noise = EMI_ROUNDING * b->spread[k] * (e->rounding.formed ? b->spread[j] : sqrt(theta)); /* in G */
        double formed = e->from_formed ? EMI_ROUNDING * b->spread[j] * b->spread[k] : 0;
        own -= G * G / theta;
        doubt += (2 * G * noise + formed * formed) / theta;
    }
    return k < e->rank && own > doubt;
}

/* Within the tolerance, or so small that no arithmetic gets below it: an overlap of eps with a component as large as the
 * first. */
static int is_fine(const bounds *b, int k)
{
    double length = sqrt(b->square[k]), smallest = EMI_ROUNDING * fmax(0, b->e->theta[0]) + noise_of(b, k, 0);
    return length <= b->e->tolerance * b->e->theta[k] || length <= smallest;
}

/* With its neighbour: values that agree, or vectors that only their sum knows, though nothing is wrong with either. */
static int is_alike(const bounds *b, int k, double value, double residual, int fine)
{
    double gap = b->e->theta[k] - value, most = b->splits ? k : 0;
    if (gap <= alike_relative * b->e->theta[k]) return 1;
    return fine && is_fine(b, k) && gap * alike_angle < fmax(residual_outside(b, k, (int)most), residual);
}

/* Neighbours that cannot be told apart, those without variance among them. */
static void find_clusters(const bounds *b, emi_verdict *out)
{
    const emi_evidence *e = b->e;
    int has = (int)out->n.has;
    for (int k = 0; k < b->K; k++) {
        int alike = k > has;
        if (k > 0 && k < has)
            alike = is_alike(b, k - 1, e->theta[k], residual_outside(b, k, b->splits ? k - 1 : 0), is_fine(b, k));
        out->cluster[k] = alike ? out->cluster[k - 1] : k;
    }
    out->n.open = has < b->K ? b->K < e->X.rows : b->knows_next && is_alike(b, b->K - 1, e->next, e->beyond, 1);
}

/* Of a cluster that goes on beyond the K-th there is no gap to tell; its residual is all. */
static double bound_together(const bounds *b, int first, int end, int open)
{
    double worst = 0;
    if (!open) return bound_of(b, first, end - 1);
    for (int k = first; k < end; k++)
        worst = emi_larger(worst, residual_outside(b, k, b->splits ? first : 0) / b->e->theta[k]);
    return fmin(1, worst);
}

/* Its last digits, as the tolerance has them, may be rounding. */
static int is_hidden(const bounds *b, int k)
{
    return noise_of(b, k, b->splits ? k : 0) > fmax(b->e->tolerance, many_digits) * b->e->theta[k];
}

static int end_of_cluster(const bounds *b, const emi_verdict *out, int first)
{
    int end = first + 1;
    while (end < b->K && (int)out->cluster[end] == first) end++;
    return end;
}

/* Does rounding, and nothing else, leave a cluster undetermined? */
static int is_blurred(const bounds *b, const emi_verdict *out, int first, int end)
{
    int k = first, doubt = 0, open = end == b->K && out->n.open != 0;
    for (; k < end && is_fine(b, k); k++) doubt |= out->residual[k] > b->e->tolerance || is_hidden(b, k);
    return k == end && doubt && bound_together(b, first, end, open) > fine_angle;
}

/* Every such cluster takes its nearest neighbour in, if that is close.  Was there one? */
static int join_blurred(const bounds *b, emi_verdict *out)
{
    const double *theta = b->e->theta;
    int has = (int)out->n.has, joined = 0;
    for (int first = 0, end; first < has; first = end) {
        end = end_of_cluster(b, out, first);
        if (!is_blurred(b, out, first, end)) continue;
        double above = first > 0 ? theta[first - 1] - theta[first] : INFINITY, below = INFINITY;
        if (end < has) below = theta[end - 1] - theta[end];
        if (end == b->K && b->knows_next && out->n.open == 0) below = theta[end - 1] - b->e->next;
        if (!(fmin(above, below) <= close_relative * theta[first])) continue;
        if (above < below)
            first = (int)out->cluster[first - 1];
        else if (end < has)
            end = end_of_cluster(b, out, end);
        else
            out->n.open = 1;
        for (int k = first; k < end; k++) out->cluster[k] = first;
        joined = 1;
    }
    return joined;
}

/* Neighbours that rounding blurs are nothing that is lost in it: they are one cluster, if as such they are known.  What is not
 * stays as it was. */
static void widen_clusters(const bounds *b, emi_verdict *out)
{
    int joined = 1;
    double *before = out->together, open = out->n.open; /* whose turn comes later */
    memcpy(before, out->cluster, sizeof *before * (size_t)b->K);
    while (joined) joined = join_blurred(b, out);
    for (int first = 0, end; first < (int)out->n.has; first = end) {
        end = end_of_cluster(b, out, first);
        if (!is_blurred(b, out, first, end)) continue;
        memcpy(out->cluster + first, before + first, sizeof *before * (size_t)(end - first));
        if (end == b->K) out->n.open = open;
    }
}

static void set_bounds(emi_verdict *out, int first, int end, double bound)
{
    for (int k = first; k < end; k++) out->angle[k] = out->together[k] = bound;
}

/* Once a component is not known, neither is which one those after it are, nor how far it is from the one before. */
static void find_bounds(const bounds *b, emi_verdict *out)
{
    static const double lost = 0.5, close_by = 0.01;
    int has = (int)out->n.has, known = 1;
    for (int first = 0, end, before = 0; first < b->K; before = first, first = end) {
        end = end_of_cluster(b, out, first);
        int open = end == b->K && out->n.open != 0;
        double together = first < has && known ? bound_together(b, first, end, open) : 1;
        set_bounds(out, first, end, together);
        for (int k = first; k < end && together < 1; k++) out->angle[k] = open ? 1 : bound_of(b, k, k);
        if (known && first < has && together >= lost) {
            int near = b->e->theta[first] > close_by * b->e->theta[before];
            set_bounds(out, near ? before : first, end, 1);
            known = 0;
        }
    }
}

/* A component is done when its residual is within the tolerance; or when rounding forbids more and it is known all the same. */
static void judge(const bounds *b, emi_verdict *out)
{
    for (int k = 0; k < (int)out->n.has; k++) {
        int within = out->residual[k] <= b->e->tolerance, hidden = is_hidden(b, k);
        out->hidden += hidden;
        if (!within && !is_fine(b, k))
            out->n.short_of++;
        else if ((!within || hidden) && !(out->together[k] <= fine_angle)) {
            out->n.unknown++;
            set_bounds(out, k, k + 1, 1); /* rounding is known to an order of magnitude: no bound on a large angle */
        } else if (!within)
            out->n.limited++;
    }
}

/* Is there an eigenvalue that is clearly larger than the last one found, whatever is wrong with that?  Then nothing is known
 * of those that it belongs before, nor of the one above them. */
static void look_for_missed(const bounds *b, emi_verdict *out)
{
    const emi_evidence *e = b->e;
    int last = b->K - 1, first = 0;
    double found = 1.01 * e->theta[last] + 2 * residual_outside(b, last, 0);
    out->n.missed = b->knows_next && (int)out->n.has == b->K && e->next - e->beyond > found;
    if (out->n.missed == 0) return;
    while (first < b->K && !(e->theta[first] < 1.01 * e->next + 2 * residual_outside(b, first, 0))) first++;
    set_bounds(out, first > 0 ? first - 1 : 0, b->K, 1);
}

em_status emi_certify(emi_evidence *e, emi_verdict *out, em_error *err)
{
    bounds b = {0};
    em_status status = EM_OK;
    TRY(find_numbers(&b, e, err));
    out->n = (emi_tally){0};
    out->hidden = 0;
    for (int k = 0; k < b.K; k++) {
        out->residual[k] = sqrt(b.square[k]) / (e->theta[k] > 0 ? e->theta[k] : e->theta[0]);
        out->angle[k] = has_variance(&b, k, out->angle); /* for now: its turn comes later */
        if (out->angle[k] != 0) out->n.has = k + 1;      /* past the rank there is none */
    }
    find_clusters(&b, out);
    if (e->final) widen_clusters(&b, out);
    find_bounds(&b, out);
    judge(&b, out);
    if (out->n.unknown > 0)
        out->n.has = b.K < e->rank ? b.K : e->rank; /* who does not know them cannot say that they are none */
    look_for_missed(&b, out);
done:
    emi_free(b.along);
    emi_free(b.G);
    return status;
}
