/* krylov - thick-restart block Lanczos whose only communication is one exact sum a step.
 *
 *     B: an orthonormal basis, with A = C B beside it, at the root of the tree alone.  A step:
 *     q      -> down the tree, to everyone
 *     C q    <- the exact average of the C_i q, up the tree
 *     B, A   <- [B q], [A Cq];   V, Theta <- eigenpairs of B' A;   X <- B V
 *     q      <- what the wanted residuals R = A V - B V Theta add to B, orthonormal
 *
 * One place does the small algebra: machines of different make round differently, and copies of it would drift apart.
 * When B is full, its best Ritz vectors stay.
 * K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", SIAM J. Matrix Analysis
 * 22(2), 2000; in blocks, as G. H. Golub and R. Underwood, Mathematical Software III, 1977.
 *
 * Eigenvalues of very different size do not fit into one B' A: what rounding leaves of the largest hides the small ones.
 * Pairs that are found are then locked: B begins anew beside them, from the best Ritz vectors and with products of their
 * own, and the small problem holds the others alone. */
#include "base/larger.h"
#include "base/memory.h"
#include "base/random.h"
#include "linalg/basis.h"
#include "linalg/ritz.h"
#include "methods/method.h"

#include <string.h>

/* Eigenvalues that are further apart are not found together. */
static const double scales_apart = 1e6;

typedef struct krylov {
    emi_solver *s;
    int most;           /* columns of a block                                              */
    double *q;          /* (d, most) what is asked: s->width columns of it                 */
    double *sum;        /* (d, most) the answer, at the root                               */
    emi_field products; /* (d, most) C_i q                                                 */

    /* At the root alone: */
    emi_ritz_space ritz;
    int K;     /* components wanted                                                        */
    int pairs; /* Ritz pairs looked at: those, and a few more                              */
    int large; /* the first so many that are not locked are in the way of smaller ones     */
    emi_random random;
} krylov;

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static emi_block block_of(const krylov *k, int first, int count)
{
    return emi_ritz_columns(&k->ritz, k->q, first, count);
}

/* Columns that the basis may have: many blocks, for few restarts, and well beyond the pairs that are wanted. */
static int room_for(const krylov *k)
{
    int blocks = EMI_KRYLOV_BLOCKS * k->most, least = 2 * k->pairs + k->most;
    return smaller(blocks > least ? blocks : least, k->s->d);
}

static em_status open_krylov(krylov *k, emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    int d = s->d, most = smaller(s->K + s->oversample, d);
    size_t block = (size_t)d * (size_t)most;
    *k = (krylov){.s = s, .most = most, .K = s->K, .pairs = most, .ritz = {.d = d}};
    k->random = emi_random_seed(s->seed, EMI_STREAM_KRYLOV);
    s->width = most;
    k->q = emi_doubles(block);
    k->sum = emi_doubles(block);
    if (!k->q || !k->sum) TRY(emi_fail_memory(err, "krylov"));
    memset(k->q, 0, block * sizeof *k->q);
    TRY(emi_field_alloc(&k->products, s->mesh->hosted, d, most, err));
    if (emi_mesh_has_root(s->mesh)) TRY(emi_ritz_reserve(&k->ritz, room_for(k), err));
done:
    return status;
}

static void close_krylov(krylov *k)
{
    emi_ritz_free(&k->ritz);
    emi_field_free(&k->products);
    emi_free(k->sum);
    emi_free(k->q);
}

/* ---- how far the pairs are, at the root ---------------------------------------------------------- */

/* Below this, a residual is what rounding leaves of the largest eigenvalue in the small problem. */
static double smallest_residual(const krylov *k)
{
    return EMI_ROUNDING * fabs(k->ritz.theta[k->ritz.locked]);
}

/* No variance of its own: not more than rounding could make up. */
static int is_nothing(const krylov *k, int n)
{
    const double *x = emi_ritz_columns(&k->ritz, k->ritz.X, n, 1).v;
    return k->ritz.theta[n] <= emi_rounding_variance(&k->s->rounding, k->s->d, x, n);
}

/* How many pairs have to be out of the way before the smallest that is wanted can be seen; 0: none. */
static int too_large(const krylov *k)
{
    const emi_ritz_space *r = &k->ritz;
    if (is_nothing(k, r->locked)) return 0;
    for (int n = r->locked + 1; n < smaller(k->K, r->size); n++)
        if (r->theta[n] * scales_apart < r->theta[r->locked]) return n - r->locked;
    return 0;
}

/* Is a pair that is in the way found so well that what is left of its residual is nothing to the others', which it joins? */
static int may_lock(const krylov *k, int n)
{
    const emi_ritz_space *r = &k->ritz;
    double enough = 0.1 * k->s->tolerance * fabs(r->theta[smaller(k->K, r->size) - 1]);
    return r->norm[n] <= enough || r->norm[n] <= smallest_residual(k) || r->size == r->d;
}

/* Has a pair nothing to add to the basis? */
static int is_done(const krylov *k, int n)
{
    const emi_ritz_space *r = &k->ritz;
    if (n < r->locked + k->large) return may_lock(k, n);
    return r->norm[n] <= 0.1 * k->s->tolerance * r->theta[n] || r->norm[n] <= smallest_residual(k) / 4;
}

/* As many components as explain the fraction that was asked for, as far as is known by now. */
static em_status choose_K(krylov *k, em_error *err)
{
    const emi_solver *s = k->s;
    double sum = 0;
    int K = 0;
    if (s->fraction == 0) return EM_OK;
    while (K < k->ritz.size && !emi_explains_fraction(s, sum)) sum += k->ritz.theta[K++];
    k->K = smaller(K, s->rank);
    k->pairs = smaller(k->K + s->oversample, s->d);
    return room_for(k) > k->ritz.room ? emi_ritz_reserve(&k->ritz, room_for(k), err) : EM_OK;
}

/* Does the basis hold all that is wanted? */
static int is_enough(const krylov *k)
{
    const emi_solver *s = k->s;
    double sum = 0;
    for (int n = 0; n < k->K; n++) sum += k->ritz.theta[n];
    return s->fraction == 0 || k->K == s->rank || emi_explains_fraction(s, sum);
}

/* A start of the user's own may span an invariant subspace that is not the leading one, and then has no residual at
 * all: the random vectors beside it get a few steps to show that there is more. */
static int too_early(const emi_solver *s)
{
    enum { STEPS = 4 };
    return s->own_start && s->iteration + 1 < STEPS;
}

/* The largest residual, each relative to its own eigenvalue.  Components past the rank have none; where rounding forbids
 * more, or the whole space is spanned, it counts as within the tolerance. */
static double worst_residual(const krylov *k)
{
    const emi_solver *s = k->s;
    const emi_ritz_space *r = &k->ritz;
    double worst = 0;
    if (!is_enough(k) || (too_early(s) && r->size < s->d)) return INFINITY;
    for (int n = r->locked; n < k->K; n++) {
        if (n >= s->rank || is_nothing(k, n)) continue;
        double residual = r->norm[n] / r->theta[n];
        int seen = r->theta[n] * scales_apart >= r->theta[r->locked]; /* not hidden by what could be locked */
        int limited = seen && (r->norm[n] <= smallest_residual(k) || r->size == s->d);
        worst = emi_larger(worst, limited && residual > s->tolerance ? s->tolerance : residual);
    }
    return worst;
}

static void answer(krylov *k)
{
    emi_solver *s = k->s;
    const emi_ritz_space *r = &k->ritz;
    emi_keep_answer(s, r->X, smaller(k->K, r->size));
    s->answer.residual = worst_residual(k);
    s->answer.next = s->answer.beyond = k->K < s->rank ? NAN : 0;
    if (k->K < s->rank && k->K < smaller(k->pairs, r->size)) {
        s->answer.next = r->theta[k->K];
        s->answer.beyond = r->norm[k->K];
    }
}

/* ---- the next block, at the root ----------------------------------------------------------------- */

/* The start: the estimate's columns, and random ones beside them. */
static em_status first_block(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int K = k->s->K, count = 0, added = 0;
    memcpy(k->q, emi_at(&k->s->X, 0).v, sizeof *k->q * (size_t)k->s->d * (size_t)K);
    TRY(emi_extend_basis(block_of(k, 0, 0), block_of(k, 0, K), 1e-8, &count, err));
    emi_block fresh = block_of(k, count, k->most - count);
    emi_random_normals(&k->random, fresh.v, (size_t)fresh.rows * (size_t)fresh.cols);
    if (fresh.cols > 0) TRY(emi_extend_basis(block_of(k, 0, count), fresh, 1e-8, &added, err));
    if (count + added < k->most)
        TRY(emi_fail(err, EM_ENUMERIC, "krylov: %d columns to start from, where %d are needed; try another seed",
                     count + added, k->most));
done:
    return status;
}

/* The residuals that still matter, as unit columns of q: those of one scale as well as of another. */
static int collect_residuals(krylov *k)
{
    const emi_ritz_space *r = &k->ritz;
    int count = 0, pairs = smaller(k->pairs, r->size);
    for (int n = r->locked; n < pairs && count < k->most; n++) {
        if (is_done(k, n)) continue;
        const double *residual = emi_ritz_columns(r, r->R, n, 1).v;
        double *column = block_of(k, count++, 1).v;
        for (int f = 0; f < r->d; f++) column[f] = residual[f] / r->norm[n];
    }
    return count;
}

/* What the residuals add to the basis.  Where they add nothing, B spans an invariant subspace, which may have missed
 * eigenvectors: random directions go on, until there are none left. */
static em_status next_block(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    emi_ritz_space *r = &k->ritz;
    int count = collect_residuals(k), kept = r->room / 2 > k->pairs ? r->room / 2 : k->pairs;
    if (r->size + k->most > r->room && r->room < r->d) emi_ritz_keep(r, smaller(r->size, kept) - r->locked);
    int left = r->room - r->size;
    emi_block B = emi_ritz_columns(r, r->B, 0, r->size), fresh = block_of(k, 0, smaller(k->most, left));
    TRY(emi_extend_basis(B, block_of(k, 0, smaller(count, left)), 1e-8, &k->s->width, err));
    if (k->s->width == 0 && left > 0) {
        emi_random_normals(&k->random, fresh.v, (size_t)fresh.rows * (size_t)fresh.cols);
        TRY(emi_extend_basis(B, fresh, 1e-8, &k->s->width, err));
    }
done:
    return status;
}

/* The pairs that are in the way become locked; the best of the others are the next block, all the rest is forgotten. */
static em_status lock(krylov *k, em_error *err)
{
    emi_ritz_space *r = &k->ritz;
    int others = smaller(k->most, r->size - r->locked - k->large);
    emi_ritz_keep(r, k->large + others);
    r->locked += k->large;
    r->size = r->locked;
    memcpy(k->q, emi_ritz_columns(r, r->B, r->locked, others).v, sizeof *k->q * (size_t)r->d * (size_t)others);
    return emi_extend_basis(emi_ritz_columns(r, r->B, 0, r->locked), block_of(k, 0, others), 1e-8, &k->s->width, err);
}

static int may_lock_all(const krylov *k)
{
    int n = 0;
    while (n < k->large && may_lock(k, k->ritz.locked + n)) n++;
    return k->large > 0 && n == k->large;
}

/* ---- a step ------------------------------------------------------------------------------------- */

static em_status product_body(void *context, int i, int worker, em_error *err)
{
    krylov *k = context;
    emi_block q = block_of(k, 0, k->products.cols);
    return emi_cov_apply(&k->s->C[i], q, emi_at(&k->products, i), k->s->scratch[worker], err);
}

/* The root's question to everyone, and everyone's answer to the root. */
static void ask(krylov *k)
{
    em_mesh *mesh = k->s->mesh;
    k->products.cols = k->s->width;
    emi_tree_give(mesh, k->q, (size_t)k->s->d * (size_t)k->s->width);
    emi_mesh_run(mesh, mesh->hosted * emi_cov_apply_cost(&k->s->C[0], k->s->width), product_body, k);
    emi_tree_average_at_root(mesh, &k->products, k->sum);
}

/* What the root makes of the answer. */
static em_status extend(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    emi_solver *s = k->s;
    TRY(emi_ritz_append(&k->ritz, k->q, k->sum, s->width));
    TRY(emi_ritz_solve(&k->ritz, err));
    TRY(choose_K(k, err));
    emi_ritz_residuals(&k->ritz, smaller(k->pairs, k->ritz.size));
    answer(k);
    s->width = 0;
    if (s->tolerance > 0 && s->answer.residual <= s->tolerance) return EM_OK;
    k->large = too_large(k);
    TRY(may_lock_all(k) ? lock(k, err) : next_block(k, err));
done:
    return status;
}

static em_status step(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int root = emi_mesh_has_root(k->s->mesh);
    if (root && k->ritz.size == 0) TRY(first_block(k, err));
    if (k->s->width == 0) return EM_OK; /* the whole space is spanned */
    ask(k);
    if (!root || emi_mesh_failed(k->s->mesh)) return EM_OK;
    status = extend(k, err);
    if (status == EM_ENUMERIC) { /* the test for the end sees it, and tells the others */
        k->s->answer.residual = NAN;
        k->s->width = 0;
        status = EM_OK;
    }
done:
    return status;
}

static em_status krylov_run(emi_solver *s)
{
    krylov k;
    em_error err;
    em_status status = open_krylov(&k, s, &err);
    size_t d = (size_t)s->d;
    emi_ritz_space *r = &k.ritz;
    const emi_kept kept[] = {{k.q, d, k.most, &s->width}, /* all that the others keep */
                             {&k.random.state, 1, 1, NULL},     {r->B, d, r->room, &r->size},
                             {r->A, d, r->room, &r->size},      {r->T, (size_t)r->room, r->room, &r->size},
                             {r->theta, 1, r->room, &r->locked}};
    s->kept = kept;
    s->kept_count = emi_mesh_has_root(s->mesh) ? sizeof kept / sizeof *kept : 1;
    if (status != EM_OK) emi_solver_fail(s, status, &err);
    while (emi_next(s)) {
        status = step(&k, &err);
        if (status != EM_OK) emi_solver_fail(s, status, &err);
    }
    s->kept_count = 0;
    close_krylov(&k);
    return emi_finish(s);
}

const emi_method emi_krylov = {
    .info = {.name = "krylov",
             .summary = "block Lanczos, one exact average a step: the eigenvectors in a handful",
             .update = "q from the residuals; C q averaged over the tree; Ritz vectors of [B q]",
             .cite = "Wu and Simon, SIAM J. Matrix Analysis 22, 2000",
             .residual = 1,
             .exact = 1},
    .uses = EMI_USES_OVERSAMPLE,
    .traits = EMI_AT_ROOT,
    .iterations = 1000,
    .run = krylov_run};
