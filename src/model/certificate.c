#include "model/bounds.h"

#include "base/larger.h"

#include <math.h>
#include <string.h>

/* Two eigenvalues are too close when the angle between their vectors is known to no better than this. */
static const double alike_angle = 0.1;
static const double alike_relative = 1e-8; /* and in any case when they agree to eight digits of their own */
static const double close_relative = 0.01; /* and to two, when rounding leaves either open */
static const double fine_angle = 1e-3;     /* a component above its tolerance is still good for this */
static const double many_digits = 1e-8;    /* rounding that hides no more than this is not looked into */

/* Variance of its own, with what has been mixed into it of the components before, `counts`, taken off: of an angle of
 * x_j' C x_k / theta_j, its square times theta_j.  It is there if it is more than rounding could make up: in the product, in
 * that difference, or in the covariances that the vectors came from. */
static int has_variance(const emi_bounds *b, int k, const double *counts)
{
    const emi_evidence *e = b->e;
    double own = e->theta[k], doubt = emi_rounding_variance_of(&e->rounding, b->spread[k], b->shift[k], k);
    if (!b->G && k > 0 && e->theta[k - 1] > 0) own -= b->square[k] / e->theta[k - 1]; /* it cannot be more */
    for (int j = 0; b->G && j < k; j++) {
        if (counts[j] == 0) continue;
        double G = fabs(b->G[(size_t)k * (size_t)b->K + (size_t)j]), theta = e->theta[j];
        double noise = EMI_ROUNDING * b->spread[k] * (e->rounding.formed ? b->spread[j] : sqrt(theta)); /* in G */
        noise += e->rounding.answers * b->spread[k] * b->spread[j];
        double formed = e->from_formed ? EMI_ROUNDING * b->spread[j] * b->spread[k] : 0;
        own -= G * G / theta;
        doubt += (2 * G * noise + formed * formed) / theta;
    }
    return k < e->rank && own > doubt;
}

/* Within the tolerance, or so small that no arithmetic gets below it: an overlap of eps with a component as large as the
 * first. */
static int is_fine(const emi_bounds *b, int k)
{
    double length = sqrt(b->square[k]), smallest = EMI_ROUNDING * fmax(0, b->e->theta[0]) + emi_noise_of(b, k, 0);
    return length <= b->e->tolerance * b->e->theta[k] || length <= smallest;
}

/* With its neighbour: values that agree, or vectors that only their sum knows, though nothing is wrong with either. */
static int is_alike(const emi_bounds *b, int k, double value, double residual, int fine)
{
    double gap = b->e->theta[k] - value, most = b->splits ? k : 0;
    if (gap <= alike_relative * b->e->theta[k]) return 1;
    return fine && is_fine(b, k) && gap * alike_angle < fmax(emi_residual_outside(b, k, (int)most), residual);
}

/* Neighbours that cannot be told apart, those without variance among them. */
static void find_clusters(const emi_bounds *b, emi_verdict *out)
{
    const emi_evidence *e = b->e;
    int has = (int)out->n.has;
    for (int k = 0; k < b->K; k++) {
        int alike = k > has;
        if (k > 0 && k < has)
            alike = is_alike(b, k - 1, e->theta[k], emi_residual_outside(b, k, b->splits ? k - 1 : 0), is_fine(b, k));
        out->cluster[k] = alike ? out->cluster[k - 1] : k;
    }
    out->n.open = has < b->K ? b->K < e->X.rows : b->knows_next && is_alike(b, b->K - 1, e->next, e->beyond, 1);
}

/* Of a cluster that goes on beyond the K-th there is no gap to tell; its residual is all. */
static double bound_together(const emi_bounds *b, int first, int end, int open)
{
    double worst = 0;
    if (!open) return emi_bound_of(b, first, end - 1);
    for (int k = first; k < end; k++)
        worst = emi_larger(worst, emi_residual_outside(b, k, b->splits ? first : 0) / b->e->theta[k]);
    return fmin(1, worst);
}

/* Its last digits, as the tolerance has them, may be rounding. */
static int is_hidden(const emi_bounds *b, int k)
{
    return emi_noise_of(b, k, b->splits ? k : 0) > fmax(b->e->tolerance, many_digits) * b->e->theta[k];
}

static int end_of_cluster(const emi_bounds *b, const emi_verdict *out, int first)
{
    int end = first + 1;
    while (end < b->K && (int)out->cluster[end] == first) end++;
    return end;
}

/* Does rounding, and nothing else, leave a cluster undetermined? */
static int is_blurred(const emi_bounds *b, const emi_verdict *out, int first, int end)
{
    int k = first, doubt = 0, open = end == b->K && out->n.open != 0;
    for (; k < end && is_fine(b, k); k++) doubt |= out->residual[k] > b->e->tolerance || is_hidden(b, k);
    return k == end && doubt && bound_together(b, first, end, open) > fine_angle;
}

/* Every such cluster takes its nearest neighbour in, if that is close.  Was there one? */
static int join_blurred(const emi_bounds *b, emi_verdict *out)
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
static void widen_clusters(const emi_bounds *b, emi_verdict *out)
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
static void find_bounds(const emi_bounds *b, emi_verdict *out)
{
    static const double lost = 0.5, close_by = 0.01;
    int has = (int)out->n.has, known = 1;
    for (int first = 0, end, before = 0; first < b->K; before = first, first = end) {
        end = end_of_cluster(b, out, first);
        int open = end == b->K && out->n.open != 0;
        double together = first < has && known ? bound_together(b, first, end, open) : 1;
        set_bounds(out, first, end, together);
        for (int k = first; k < end && together < 1; k++) out->angle[k] = open ? 1 : emi_bound_of(b, k, k);
        if (known && first < has && together >= lost) {
            int near = b->e->theta[first] > close_by * b->e->theta[before];
            set_bounds(out, near ? before : first, end, 1);
            known = 0;
        }
    }
}

/* A component is done when its residual is within the tolerance; or when rounding forbids more and it is known all the same. */
static void judge(const emi_bounds *b, emi_verdict *out)
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
static void look_for_missed(const emi_bounds *b, emi_verdict *out)
{
    const emi_evidence *e = b->e;
    int last = b->K - 1, first = 0;
    double found = 1.01 * e->theta[last] + 2 * emi_residual_outside(b, last, 0);
    out->n.missed = b->knows_next && (int)out->n.has == b->K && e->next - e->beyond > found;
    if (out->n.missed == 0) return;
    while (first < b->K && !(e->theta[first] < 1.01 * e->next + 2 * emi_residual_outside(b, first, 0))) first++;
    set_bounds(out, first > 0 ? first - 1 : 0, b->K, 1);
}

em_status emi_certify(emi_evidence *e, emi_verdict *out, em_error *err)
{
    emi_bounds b = {0};
    em_status status = EM_OK;
    TRY(emi_bounds_find(&b, e, err));
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
    emi_bounds_free(&b);
    return status;
}
