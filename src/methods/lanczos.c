/* Block Lanczos with thick restarts:
 *
 *     B: an orthonormal basis, with A = C B beside it.  A step, for a block q and C q:
 *     B, A   <- [B q], [A Cq];   V, Theta <- eigenpairs of B' A;   X <- B V
 *     q      <- what the wanted residuals R = A V - B V Theta add to B, orthonormal
 *
 * When B is full, its best Ritz vectors stay.
 * K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", SIAM J. Matrix Analysis
 * 22(2), 2000; in blocks, as G. H. Golub and R. Underwood, Mathematical Software III, 1977.
 *
 * The first block has a column for each pair, so that eigenvalues that are equal, or nearly so, are all in it; later ones may
 * be narrower, which takes fewer columns in all and more steps.
 *
 * Eigenvalues of very different size do not fit into one B' A: what rounding leaves of the largest hides the small ones.
 * Pairs that are found are then locked: B begins anew beside them, from the best Ritz vectors and with products of their
 * own, and the small problem holds the others alone. */
#include "methods/lanczos.h"

#include "base/larger.h"
#include "base/memory.h"
#include "linalg/basis.h"
#include "methods/hidden.h"
#include "methods/steps.h"

#include <math.h>
#include <string.h>

/* Eigenvalues that are further apart are not found together. */
static const double scales_apart = 1e6;

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static emi_block block_of(const emi_lanczos *l, int first, int count)
{
    return emi_ritz_columns(&l->ritz, l->q, first, count);
}

/* Columns that the basis may have: many blocks, for few restarts, and well beyond the pairs that are wanted. */
static int room_for(const emi_lanczos *l)
{
    int blocks = l->s->lean ? EMI_LANCZOS_BLOCKS_LEAN : EMI_LANCZOS_BLOCKS;
    int room = blocks * l->most, least = 2 * l->pairs + l->most;
    return smaller(room > least ? room : least, l->s->d);
}

int emi_lanczos_block(const emi_solver *s)
{
    return smaller(s->K + s->oversample, s->d);
}

em_status emi_lanczos_open(emi_lanczos *l, const emi_solver *s, int asks, em_error *err)
{
    int most = emi_lanczos_block(s);
    size_t block = (size_t)s->d * (size_t)most;
    *l = (emi_lanczos){.s = s,
                       .most = most,
                       .narrow = smaller(s->narrow, most),
                       .K = s->K,
                       .pairs = most,
                       .ritz = {.d = s->d},
                       .residual = INFINITY,
                       .least = INFINITY};
    l->random = emi_random_seed(s->seed, EMI_STREAM_KRYLOV);
    l->q = emi_doubles(block);
    if (!l->q) return emi_fail_memory(err, "krylov");
    memset(l->q, 0, block * sizeof *l->q);
    return asks ? emi_ritz_reserve(&l->ritz, room_for(l), err) : EM_OK;
}

void emi_lanczos_close(emi_lanczos *l)
{
    emi_ritz_free(&l->ritz);
    emi_free(l->q);
    *l = (emi_lanczos){0};
}

/* ---- how far the pairs are ------------------------------------------------------------------------ */

/* Below this, a residual is what rounding leaves of the largest eigenvalue in the small problem. */
static double smallest_residual(const emi_lanczos *l)
{
    return emi_eps(&l->s->rounding) * fabs(l->ritz.theta[l->ritz.locked]);
}

/* No variance of its own: not more than rounding could make up. */
static int is_nothing(const emi_lanczos *l, int n)
{
    const double *x = emi_ritz_columns(&l->ritz, l->ritz.X, n, 1).v;
    return l->ritz.theta[n] <= emi_rounding_variance(&l->s->rounding, l->s->d, x, n);
}

/* How many pairs have to be out of the way before the smallest that is wanted can be seen; 0: none. */
static int too_large(const emi_lanczos *l)
{
    const emi_ritz_space *r = &l->ritz;
    if (is_nothing(l, r->locked)) return 0;
    for (int n = r->locked + 1; n < smaller(l->K, r->size); n++)
        if (r->theta[n] * scales_apart < r->theta[r->locked]) return n - r->locked;
    return 0;
}

/* Is a pair that is in the way found so well that what is left of its residual is nothing to the others', which it joins? */
static int may_lock(const emi_lanczos *l, int n)
{
    const emi_ritz_space *r = &l->ritz;
    double enough = 0.1 * l->s->tolerance * fabs(r->theta[smaller(l->K, r->size) - 1]);
    return r->norm[n] <= enough || r->norm[n] <= smallest_residual(l) || r->size == r->d;
}

/* Has a pair nothing to add to the basis? */
static int is_done(const emi_lanczos *l, int n)
{
    const emi_ritz_space *r = &l->ritz;
    if (n < r->locked + l->large) return may_lock(l, n);
    return r->norm[n] <= 0.1 * l->s->tolerance * r->theta[n] || r->norm[n] <= smallest_residual(l) / 4;
}

/* As many components as explain the fraction that was asked for, as far as is known by now. */
static em_status choose_K(emi_lanczos *l, em_error *err)
{
    const emi_solver *s = l->s;
    double sum = 0;
    int K = 0;
    if (s->fraction == 0) return EM_OK;
    while (K < l->ritz.size && !emi_explains_fraction(s, sum)) sum += l->ritz.theta[K++];
    l->K = smaller(K, s->rank);
    l->pairs = smaller(l->K + s->oversample, s->d);
    return room_for(l) > l->ritz.room ? emi_ritz_reserve(&l->ritz, room_for(l), err) : EM_OK;
}

/* Does the basis hold all that is wanted? */
static int is_enough(const emi_lanczos *l)
{
    const emi_solver *s = l->s;
    double sum = 0;
    for (int n = 0; n < l->K; n++) sum += l->ritz.theta[n];
    return s->fraction == 0 || l->K == s->rank || emi_explains_fraction(s, sum);
}

/* What was found before, from a random start, and is looked at again, still gets a few steps. */
static int too_early(const emi_solver *s)
{
    enum { FEW = 4 };
    return s->given > 0 && !s->doubted && s->iteration + 1 < FEW;
}

/* What all variance leaves for eigenvalues that are not among those wanted. */
static double variance_left(const emi_lanczos *l)
{
    double left = l->s->variance;
    for (int n = 0; n < l->K; n++) left -= l->ritz.theta[n];
    return left;
}

/* A start that is somebody's answer may be an invariant subspace that is not the leading one, and then has no residual at all.
 * Can no eigenvalue be larger than the last that is wanted?  By what is left of the variance; by what the nodes know of theirs
 * outside the answer; or as the random columns would have shown it, but for a chance that is none.  In the first columns of the
 * basis, as long as they are there: later, the steps that were taken do. */
static em_status look_for_hidden(emi_lanczos *l, em_error *err)
{
    static const double above = 1.02, none = 1e-9;
    const emi_solver *s = l->s;
    const emi_ritz_space *r = &l->ritz;
    double last = r->theta[smaller(l->K, s->rank) - 1], chance = 1;
    if (l->hidden != EMI_MAY_HIDE || !s->doubted) return EM_OK;
    int sure = variance_left(l) <= fmax(last, emi_eps(&s->rounding) * s->variance) || s->most_outside < last;
    if (!sure && last > 0) {
        em_status status =
            emi_hidden_chance(r, s->given, l->most - s->given, smaller(l->K, s->rank), above * last, &chance, err);
        if (status != EM_OK) return status;
    }
    if (sure || chance <= none) l->hidden = EMI_HIDES_NOTHING;
    return EM_OK;
}

/* The same before the first columns go. */
static em_status look_for_hidden_at_last(emi_lanczos *l, em_error *err)
{
    em_status status = look_for_hidden(l, err);
    if (l->hidden == EMI_MAY_HIDE) l->hidden = EMI_TIME_TELLS;
    return status;
}

static int is_in_doubt(const emi_lanczos *l)
{
    const emi_solver *s = l->s;
    if (!s->doubted || l->ritz.size == s->d) return 0;
    return l->hidden == EMI_MAY_HIDE || (l->hidden == EMI_TIME_TELLS && s->iteration + 1 < EMI_LANCZOS_BLOCKS);
}

/* The largest residual, each relative to its own eigenvalue.  Components past the rank have none; where rounding forbids
 * more, or the whole space is spanned, it counts as within the tolerance. */
static double worst_residual(const emi_lanczos *l)
{
    const emi_solver *s = l->s;
    const emi_ritz_space *r = &l->ritz;
    double worst = 0;
    if (!is_enough(l) || (too_early(s) && r->size < s->d)) return INFINITY;
    for (int n = r->locked; n < l->K; n++) {
        if (n >= s->rank || is_nothing(l, n)) continue;
        double residual = r->norm[n] / r->theta[n];
        int seen = r->theta[n] * scales_apart >= r->theta[r->locked]; /* not hidden by what could be locked */
        int limited = seen && (r->norm[n] <= smallest_residual(l) || r->size == s->d);
        worst = emi_larger(worst, limited && residual > s->tolerance ? s->tolerance : residual);
    }
    return worst;
}

/* In single precision, what rounding leaves is known to an order of magnitude.  Residuals that are small beside the largest
 * eigenvalue, and fall no more, are taken for it: in double it will be seen what they are worth. */
static int is_stuck(emi_lanczos *l)
{
    enum { STEPS = 6 };
    static const double falls = 0.7, small = 1e-5;
    const emi_ritz_space *r = &l->ritz;
    int fell = l->residual < falls * l->least;
    l->idle = fell ? 0 : l->idle + 1;
    if (fell) l->least = l->residual;
    if (!l->s->rounding.single || l->idle < STEPS || !isfinite(l->residual)) return 0;
    for (int n = r->locked; n < smaller(l->K, r->size); n++)
        if (r->norm[n] > small * fabs(r->theta[0])) return 0;
    return 1;
}

/* ---- the next block ------------------------------------------------------------------------------ */

em_status emi_lanczos_begin(emi_lanczos *l, emi_block X, em_error *err)
{
    em_status status = EM_OK;
    int given = smaller(X.cols, l->most), count = 0, added = 0;
    if (given > 0) {
        memcpy(l->q, X.v, sizeof *l->q * (size_t)X.rows * (size_t)given);
        TRY(emi_extend_basis(block_of(l, 0, 0), block_of(l, 0, given), 1e-8, &count, err));
    }
    emi_block fresh = block_of(l, count, l->most - count);
    emi_random_normals(&l->random, fresh.v, (size_t)fresh.rows * (size_t)fresh.cols);
    if (fresh.cols > 0) TRY(emi_extend_basis(block_of(l, 0, count), fresh, 1e-8, &added, err));
    if (count + added < l->most)
        TRY(emi_fail(err, EM_ENUMERIC, "krylov: %d columns to start from, where %d are needed; try another seed",
                     count + added, l->most));
    l->width = l->most;
done:
    return status;
}

void emi_lanczos_begin_at(emi_lanczos *l, emi_block X)
{
    memcpy(l->q, X.v, sizeof *l->q * (size_t)X.rows * (size_t)l->most);
    l->width = l->most;
}

/* The residuals that still matter, as unit columns of q: those of one scale as well as of another. */
static int collect_residuals(emi_lanczos *l)
{
    const emi_ritz_space *r = &l->ritz;
    int count = 0, pairs = smaller(l->pairs, r->size);
    for (int n = r->locked; n < pairs && count < l->narrow; n++) {
        if (is_done(l, n)) continue;
        const double *residual = emi_ritz_columns(r, r->R, n, 1).v;
        double *column = block_of(l, count++, 1).v;
        for (int f = 0; f < r->d; f++) column[f] = residual[f] / r->norm[n];
    }
    return count;
}

/* What the residuals add to the basis.  Where they add nothing, B spans an invariant subspace, which may have missed
 * eigenvectors: random directions go on, until there are none left. */
static em_status next_block(emi_lanczos *l, em_error *err)
{
    em_status status = EM_OK;
    emi_ritz_space *r = &l->ritz;
    int count = collect_residuals(l), kept = r->room / 2 > l->pairs ? r->room / 2 : l->pairs;
    if (r->size + l->most > r->room && r->room < r->d) {
        TRY(look_for_hidden_at_last(l, err));
        emi_ritz_keep(r, smaller(r->size, kept) - r->locked);
    }
    int left = r->room - r->size;
    emi_block B = emi_ritz_columns(r, r->B, 0, r->size), fresh = block_of(l, 0, smaller(l->narrow, left));
    TRY(emi_extend_basis(B, block_of(l, 0, smaller(count, left)), 1e-8, &l->width, err));
    if (l->width == 0 && left > 0) {
        emi_random_normals(&l->random, fresh.v, (size_t)fresh.rows * (size_t)fresh.cols);
        TRY(emi_extend_basis(B, fresh, 1e-8, &l->width, err));
    }
done:
    return status;
}

/* The pairs that are in the way become locked; the best of the others are the next block, all the rest is forgotten. */
static em_status lock(emi_lanczos *l, em_error *err)
{
    emi_ritz_space *r = &l->ritz;
    int others = smaller(l->most, r->size - r->locked - l->large);
    em_status status = look_for_hidden_at_last(l, err);
    if (status != EM_OK) return status;
    emi_ritz_keep(r, l->large + others);
    r->locked += l->large;
    r->size = r->locked;
    memcpy(l->q, emi_ritz_columns(r, r->B, r->locked, others).v, sizeof *l->q * (size_t)r->d * (size_t)others);
    return emi_extend_basis(emi_ritz_columns(r, r->B, 0, r->locked), block_of(l, 0, others), 1e-8, &l->width, err);
}

static int may_lock_all(const emi_lanczos *l)
{
    int n = 0;
    while (n < l->large && may_lock(l, l->ritz.locked + n)) n++;
    return l->large > 0 && n == l->large;
}

em_status emi_lanczos_take(emi_lanczos *l, const double *Cq, em_error *err)
{
    em_status status = EM_OK;
    TRY(emi_ritz_append(&l->ritz, l->q, Cq, l->width));
    TRY(emi_ritz_solve(&l->ritz, err));
    TRY(choose_K(l, err));
    emi_ritz_residuals(&l->ritz, smaller(l->pairs, l->ritz.size));
    l->found = smaller(l->K, l->ritz.size);
    l->residual = worst_residual(l);
    if (is_stuck(l) && l->residual > l->s->tolerance) l->residual = l->s->tolerance;
    if (l->residual <= l->s->tolerance) TRY(look_for_hidden(l, err));
    if (is_in_doubt(l)) l->residual = INFINITY;
    l->width = 0;
    if (l->s->tolerance > 0 && l->residual <= l->s->tolerance) return EM_OK;
    l->large = too_large(l);
    TRY(may_lock_all(l) ? lock(l, err) : next_block(l, err));
done:
    return status;
}

emi_block emi_lanczos_vectors(const emi_lanczos *l)
{
    return emi_ritz_columns(&l->ritz, l->ritz.X, 0, l->found);
}

int emi_lanczos_products(const emi_lanczos *l, double *CX)
{
    const emi_ritz_space *r = &l->ritz;
    if (r->locked > 0) return 0;
    for (int n = 0; n < l->found; n++) {
        const double *x = emi_ritz_columns(r, r->X, n, 1).v, *residual = emi_ritz_columns(r, r->R, n, 1).v;
        for (int f = 0; f < r->d; f++) *CX++ = residual[f] + r->theta[n] * x[f];
    }
    return 1;
}

void emi_lanczos_next(const emi_lanczos *l, double *next, double *beyond)
{
    const emi_ritz_space *r = &l->ritz;
    *next = *beyond = l->K < l->s->rank ? NAN : 0;
    if (l->K >= l->s->rank || l->K >= smaller(l->pairs, r->size)) return;
    *next = r->theta[l->K];
    *beyond = r->norm[l->K];
}
