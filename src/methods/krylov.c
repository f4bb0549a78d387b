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
#include "methods/method.h"

#include <cblas.h>
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
    int K;             /* components wanted                                                */
    int pairs;         /* Ritz pairs looked at: those, and a few more                      */
    int size, room;    /* columns of B now, and at most                                    */
    int locked;        /* of which so many are eigenvectors, for good                      */
    int large;         /* the next so many are in the way of smaller ones: to be locked    */
    double *B, *A;     /* (d, room) the basis, and C times it                              */
    double *T;         /* (room, room) upper triangle of B' A                              */
    double *V, *theta; /* eigenvectors of the part that is not locked; [size] all values, falling in each part */
    double *R, *norm;  /* (d, room), [room] residuals of the pairs, outside what is locked, and their lengths */
    double *X;         /* (d, room) their Ritz vectors                                     */
    emi_random random;
} krylov;

static emi_block columns_of(const krylov *k, double *v, int first, int count)
{
    return (emi_block){k->s->d, count, v + (size_t)first * (size_t)k->s->d};
}

/* ---- room -------------------------------------------------------------------------------------- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Columns that the basis may have: many blocks, for few restarts, and well beyond the pairs that are wanted. */
static int room_for(const krylov *k)
{
    enum { BLOCKS = 16 };
    int room = BLOCKS * k->most > 2 * k->pairs + k->most ? BLOCKS * k->most : 2 * k->pairs + k->most;
    return smaller(room, k->s->d);
}

/* `count` columns of `old` in as many of a larger array, longer ones too. */
static int enlarge(double **old, size_t rows, size_t count, size_t new_rows, size_t new_count)
{
    size_t size;
    double *larger = emi_size_overflows(new_rows, new_count, &size) ? NULL : emi_doubles(size);
    if (!larger) return 0;
    memset(larger, 0, size * sizeof *larger); /* whole arrays go into a checkpoint */
    for (size_t c = 0; *old && c < count; c++) memcpy(larger + c * new_rows, *old + c * rows, rows * sizeof *larger);
    emi_free(*old);
    *old = larger;
    return 1;
}

static em_status make_room(krylov *k, int room, em_error *err)
{
    size_t d = (size_t)k->s->d, old = (size_t)k->room, new = (size_t)room;
    double **columns[] = {&k->B, &k->A, &k->X, &k->R};
    int there = enlarge(&k->T, old, old, new, new) && enlarge(&k->V, old, old, new, new) &&
                enlarge(&k->theta, 1, old, 1, new) && enlarge(&k->norm, 1, old, 1, new);
    for (int n = 0; n < 4 && there; n++) there = enlarge(columns[n], d, old, d, new);
    if (!there) return emi_fail_memory(err, "krylov");
    k->room = room;
    return EM_OK;
}

static em_status open_krylov(krylov *k, emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    int d = s->d, most = smaller(s->K + s->oversample, d);
    size_t block = (size_t)d * (size_t)most;
    *k = (krylov){.s = s, .most = most, .K = s->K, .pairs = most};
    k->random = emi_random_seed(s->seed, EMI_STREAM_KRYLOV);
    s->width = most;
    k->q = emi_doubles(block);
    k->sum = emi_doubles(block);
    if (!k->q || !k->sum) TRY(emi_fail_memory(err, "krylov"));
    memset(k->q, 0, block * sizeof *k->q);
    TRY(emi_field_alloc(&k->products, s->mesh->hosted, d, most, err));
    if (emi_mesh_has_root(s->mesh)) TRY(make_room(k, room_for(k), err));
done:
    return status;
}

static void close_krylov(krylov *k)
{
    double *held[] = {k->q, k->sum, k->B, k->A, k->T, k->V, k->theta, k->R, k->norm, k->X};
    for (size_t n = 0; n < sizeof held / sizeof *held; n++) emi_free(held[n]);
    emi_field_free(&k->products);
}

/* ---- the next block, at the root ----------------------------------------------------------------- */

/* Fill q from column `from` on with random directions outside B's and q's own. */
static em_status add_random(krylov *k, int from, int count, int *added, em_error *err)
{
    em_status status = EM_OK;
    emi_block fresh = columns_of(k, k->q, from, count);
    emi_random_normals(&k->random, fresh.v, (size_t)fresh.rows * (size_t)count);
    if (from == 0) return emi_extend_basis(columns_of(k, k->B, 0, k->size), fresh, 1e-8, added, err);
    TRY(emi_extend_basis(columns_of(k, k->q, 0, from), fresh, 1e-8, added, err));
done:
    return status;
}

/* The start: the estimate's columns, and random ones beside them. */
static em_status first_block(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int K = k->s->K, count = 0, added = 0;
    memcpy(k->q, emi_at(&k->s->X, 0).v, sizeof *k->q * (size_t)k->s->d * (size_t)K);
    TRY(emi_extend_basis(columns_of(k, k->B, 0, 0), columns_of(k, k->q, 0, K), 1e-8, &count, err));
    if (count < k->most) TRY(add_random(k, count, k->most - count, &added, err));
    if (count + added < k->most)
        TRY(emi_fail(err, EM_ENUMERIC, "krylov: %d of %d columns to start from; try another seed", count + added,
                     k->most));
done:
    return status;
}

/* B <- B V, A <- A V for the best Ritz vectors that are not locked; then B' A is diagonal. */
static void keep_ritz(krylov *k, int keep)
{
    int open = k->size - k->locked;
    emi_block V = {open, keep, k->V};
    double *both[] = {k->B, k->A};
    for (int n = 0; n < 2; n++) {
        emi_block old = columns_of(k, both[n], k->locked, open), kept = columns_of(k, k->X, 0, keep);
        emi_mul(1, old, V, 0, kept);
        memcpy(old.v, kept.v, sizeof *kept.v * (size_t)kept.rows * (size_t)keep);
    }
    for (int j = k->locked; j < k->locked + keep; j++) {
        double *column = k->T + (size_t)j * (size_t)k->room;
        memset(column, 0, sizeof *column * (size_t)k->room);
        column[j] = k->theta[j];
    }
    k->size = k->locked + keep;
}

static double tolerated(const krylov *k, int n)
{
    return k->s->tolerance * k->theta[n];
}

/* Below this, a residual is what rounding leaves of the largest eigenvalue in the small problem. */
static double smallest_residual(const krylov *k)
{
    return EMI_ROUNDING * fabs(k->theta[k->locked]);
}

/* Variance of its own?  At least as much as rounding could make up. */
static int is_nothing(const krylov *k, int n)
{
    const emi_solver *s = k->s;
    return k->theta[n] <= emi_rounding_variance(&s->rounding, s->d, columns_of(k, k->X, n, 1).v);
}

/* How many pairs have to be out of the way before the smallest that is wanted can be seen; 0: none. */
static int too_large(const krylov *k)
{
    int wanted = smaller(k->K, k->size);
    if (is_nothing(k, k->locked)) return 0;
    for (int n = k->locked + 1; n < wanted; n++)
        if (k->theta[n] * scales_apart < k->theta[k->locked]) return n - k->locked;
    return 0;
}

/* Is a pair that is in the way found so well that what is left of its residual is nothing to the others', which it joins? */
static int may_lock(const krylov *k, int n)
{
    double least = fabs(k->theta[smaller(k->K, k->size) - 1]);
    return k->norm[n] <= 0.1 * k->s->tolerance * least || k->norm[n] <= smallest_residual(k) || k->size == k->s->d;
}

/* Has a pair nothing to add to the basis? */
static int is_done(const krylov *k, int n)
{
    if (n < k->locked + k->large) return may_lock(k, n);
    return k->norm[n] <= 0.1 * tolerated(k, n) || k->norm[n] <= smallest_residual(k) / 4;
}

/* The residuals that still matter, as unit columns of q: those of one scale as well as of another. */
static int collect_residuals(krylov *k, int most)
{
    int count = 0, pairs = smaller(k->pairs, k->size);
    for (int n = k->locked; n < pairs && count < most; n++) {
        double norm = k->norm[n];
        if (is_done(k, n)) continue;
        const double *r = columns_of(k, k->R, n, 1).v;
        double *column = columns_of(k, k->q, count++, 1).v;
        for (int f = 0; f < k->s->d; f++) column[f] = r[f] / norm;
    }
    return count;
}

/* What the residuals add to the basis.  Where they add nothing, B spans an invariant subspace, which may have missed
 * eigenvectors: random directions go on, until there are none left. */
static em_status next_block(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int d = k->s->d, count = collect_residuals(k, k->most);
    if (k->size + k->most > k->room && k->room < d)
        keep_ritz(k, smaller(k->size, k->room / 2 > k->pairs ? k->room / 2 : k->pairs) - k->locked);
    int left = k->room - k->size;
    count = smaller(count, left);
    TRY(emi_extend_basis(columns_of(k, k->B, 0, k->size), columns_of(k, k->q, 0, count), 1e-8, &k->s->width, err));
    if (k->s->width == 0 && left > 0) TRY(add_random(k, 0, smaller(k->most, left), &k->s->width, err));
done:
    return status;
}

/* ---- locking --------------------------------------------------------------------------------------- */

/* The first of them become locked; the best of the others are the next block, all the rest is forgotten. */
static em_status lock(krylov *k, int count, em_error *err)
{
    em_status status = EM_OK;
    int others = smaller(k->most, k->size - k->locked - count);
    keep_ritz(k, count + others);
    k->locked += count;
    k->size = k->locked;
    memcpy(k->q, columns_of(k, k->B, k->locked, 0).v, sizeof *k->q * (size_t)k->s->d * (size_t)others);
    TRY(emi_extend_basis(columns_of(k, k->B, 0, k->locked), columns_of(k, k->q, 0, others), 1e-8, &k->s->width, err));
done:
    return status;
}

/* ---- a step ------------------------------------------------------------------------------------- */

static em_status product_turn(void *context, int i, int worker, em_error *err)
{
    krylov *k = context;
    emi_block q = columns_of(k, k->q, 0, k->products.cols);
    return emi_cov_apply(&k->s->C[i], q, emi_at(&k->products, i), k->s->scratch[worker], err);
}

/* The root's question to everyone, and everyone's answer to the root. */
static void ask(krylov *k)
{
    em_mesh *mesh = k->s->mesh;
    k->products.cols = k->s->width;
    emi_tree_give(mesh, k->q, (size_t)k->s->d * (size_t)k->s->width);
    emi_mesh_run(mesh, mesh->hosted * emi_cov_apply_cost(&k->s->C[0], k->s->width), product_turn, k);
    emi_tree_average_at_root(mesh, &k->products, k->sum);
}

/* B <- [B q], A <- [A Cq], and the new columns of B' A. */
static void append(krylov *k)
{
    int d = k->s->d, count = k->s->width;
    emi_block B = columns_of(k, k->B, k->size, count), A = columns_of(k, k->A, k->size, count);
    memcpy(B.v, k->q, sizeof *k->q * (size_t)d * (size_t)count);
    memcpy(A.v, k->sum, sizeof *k->sum * (size_t)d * (size_t)count);
    k->size += count;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->size, count, d, 1, k->B, d, A.v, d, 0,
                k->T + (size_t)(k->size - count) * (size_t)k->room, k->room);
}

/* Eigenpairs of what is not locked. */
static em_status solve_small(krylov *k, em_error *err)
{
    int open = k->size - k->locked;
    for (int j = 0; j < open; j++)
        memcpy(k->V + (size_t)j * (size_t)open,
               k->T + (size_t)(k->locked + j) * (size_t)k->room + (size_t)k->locked, sizeof *k->V * (size_t)open);
    return emi_all_eigen(k->V, open, k->theta + k->locked, err);
}

/* R <- R - locked (locked' R), a block at a time. */
static void remove_locked(krylov *k, emi_block R)
{
    emi_block locked = columns_of(k, k->B, 0, k->locked);
    for (int first = 0; first < R.cols && k->locked > 0; first += k->most) {
        emi_block some = {R.rows, smaller(k->most, R.cols - first), emi_column_of(R, first)};
        emi_block along = {k->locked, some.cols, k->sum};
        emi_mul_tn(1, locked, some, 0, along);
        emi_mul(-1, locked, along, 1, some);
    }
}

/* Ritz vectors and residuals of the pairs.  What of a residual lies along locked vectors is rounding, which the other
 * vectors do not feel. */
static void find_residuals(krylov *k)
{
    int d = k->s->d, open = k->size - k->locked, pairs = smaller(k->pairs, k->size), found = pairs - k->locked;
    emi_block V = {open, found, k->V};
    emi_block X = columns_of(k, k->X, k->locked, found), R = columns_of(k, k->R, k->locked, found);
    memcpy(k->X, k->B, sizeof *k->X * (size_t)d * (size_t)k->locked);
    emi_mul(1, columns_of(k, k->B, k->locked, open), V, 0, X);
    emi_mul(1, columns_of(k, k->A, k->locked, open), V, 0, R);
    for (int n = 0; n < found; n++)
        cblas_daxpy(d, -k->theta[k->locked + n], emi_column_of(X, n), 1, emi_column_of(R, n), 1);
    remove_locked(k, R);
    for (int n = k->locked; n < pairs; n++) k->norm[n] = emi_norm(d, columns_of(k, k->R, n, 1).v);
}

/* As many components as explain the fraction that was asked for, as far as is known by now. */
static em_status choose_K(krylov *k, em_error *err)
{
    const emi_solver *s = k->s;
    double sum = 0;
    int K = 0;
    if (s->fraction == 0) return EM_OK;
    while (K < k->size && sum < s->fraction * s->variance * (1 - 1e-12)) sum += k->theta[K++];
    k->K = smaller(K, s->rank);
    k->pairs = smaller(k->K + s->oversample, s->d);
    return room_for(k) > k->room ? make_room(k, room_for(k), err) : EM_OK;
}

/* Does the basis hold all that is wanted? */
static int is_enough(const krylov *k)
{
    const emi_solver *s = k->s;
    double sum = 0;
    for (int n = 0; n < k->K; n++) sum += k->theta[n];
    return s->fraction == 0 || k->K == s->rank || sum >= s->fraction * s->variance * (1 - 1e-12);
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
    double worst = 0;
    if (!is_enough(k) || (too_early(s) && k->size < s->d)) return INFINITY;
    for (int n = k->locked; n < k->K; n++) {
        if (n >= s->rank || is_nothing(k, n)) continue;
        double residual = k->norm[n] / k->theta[n];
        int seen = k->theta[n] * scales_apart >= k->theta[k->locked]; /* not hidden by what could be locked */
        int limited = seen && (k->norm[n] <= smallest_residual(k) || k->size == s->d);
        worst = emi_larger(worst, limited && residual > s->tolerance ? s->tolerance : residual);
    }
    return worst;
}

static void answer(krylov *k)
{
    emi_solver *s = k->s;
    emi_keep_answer(s, k->X, smaller(k->K, k->size));
    s->answer.residual = worst_residual(k);
    s->answer.next = s->answer.beyond = k->K < s->rank ? NAN : 0;
    if (k->K < s->rank && k->K < smaller(k->pairs, k->size)) {
        s->answer.next = k->theta[k->K];
        s->answer.beyond = k->norm[k->K];
    }
}

static int is_finite(const krylov *k)
{
    double sum = 0;
    for (int j = k->size - k->s->width; j < k->size; j++)
        for (int i = 0; i < k->size; i++) sum += fabs(k->T[(size_t)j * (size_t)k->room + (size_t)i]);
    return isfinite(sum);
}

/* What the root makes of the answer. */
static em_status extend(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    emi_solver *s = k->s;
    append(k);
    if (!is_finite(k)) return EM_ENUMERIC;
    TRY(solve_small(k, err));
    TRY(choose_K(k, err));
    find_residuals(k);
    answer(k);
    s->width = 0;
    if (s->tolerance > 0 && s->answer.residual <= s->tolerance) return EM_OK;
    k->large = too_large(k);
    int lockable = 0;
    while (lockable < k->large && may_lock(k, k->locked + lockable)) lockable++;
    TRY(k->large && lockable == k->large ? lock(k, k->large, err) : next_block(k, err));
done:
    return status;
}

static em_status step(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int root = emi_mesh_has_root(k->s->mesh);
    if (root && k->size == 0) TRY(first_block(k, err));
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
    const emi_kept kept[] = {{k.q, d, k.most, &s->width}, /* all that the others keep */
                             {&k.random.state, 1, 1, NULL},
                             {k.B, d, k.room, &k.size},
                             {k.A, d, k.room, &k.size},
                             {k.T, (size_t)k.room, k.room, &k.size},
                             {k.theta, 1, k.room, &k.locked}};
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
