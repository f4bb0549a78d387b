/* krylov - thick-restart block Lanczos whose only communication is one exact average a step.
 *
 *     B: an orthonormal basis, the same bits at every node, with A = C B beside it.  A step:
 *     q      <- what the wanted residuals R = A V - B V Theta add to B, orthonormal
 *     C q    <- exact average of the C_i q over the tree
 *     B, A   <- [B q], [A Cq];   V, Theta <- eigenpairs of B' A;   X <- B V
 *
 * The averages come from the tree's root, so that all nodes hold the same numbers, take the same decisions and stop at
 * the same step without asking.  The residuals are true residuals.  When B is full, its best Ritz vectors stay.
 * K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", SIAM J. Matrix Analysis
 * 22(2), 2000; in blocks, as G. H. Golub and R. Underwood, Mathematical Software III, 1977. */
#include "base/memory.h"
#include "base/random.h"
#include "linalg/basis.h"
#include "methods/method.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct krylov {
    emi_solver *s;
    int wanted;         /* p = K + oversample: pairs whose residuals extend the basis */
    int size, room;     /* columns of B now, and at most                              */
    double *B, *A;      /* (d, room) the basis, and C times it                        */
    double *T;          /* (room, room) upper triangle of B' A                        */
    double *V, *theta;  /* (size, size), [size] its eigenpairs, falling               */
    double *R;          /* (d, wanted) residuals; then the next block                 */
    double *residual;   /* [wanted] their norms / theta_1                             */
    double *work;       /* (d, room)                                                  */
    emi_field products; /* (d, wanted) C_i q                                          */
    emi_random random;
} krylov;

static emi_block columns_of(const krylov *k, double *v, int first, int count)
{
    return (emi_block){k->s->d, count, v + (size_t)first * (size_t)k->s->d};
}

static em_status open_krylov(krylov *k, emi_solver *s, em_error *err)
{
    enum { BLOCKS = 16 };
    int p = s->K + s->oversample, d = s->d;
    *k = (krylov){.s = s, .wanted = p < d ? p : d, .random = emi_random_seed(s->seed, EMI_STREAM_KRYLOV)};
    k->room = k->wanted < d / BLOCKS ? BLOCKS * k->wanted : d;
    size_t column = (size_t)d, room = (size_t)k->room, wanted = (size_t)k->wanted;
    k->B = emi_doubles(column * room);
    k->A = emi_doubles(column * room);
    k->work = emi_doubles(column * room);
    k->T = emi_doubles(room * room);
    k->V = emi_doubles(room * room);
    k->theta = emi_doubles(room);
    k->R = emi_doubles(column * wanted);
    k->residual = emi_doubles(wanted);
    if (!k->B || !k->A || !k->work || !k->T || !k->V || !k->theta || !k->R || !k->residual)
        return emi_fail_memory(err, "krylov");
    double *written[] = {k->T, k->V}; /* as wholes into a checkpoint, where only parts of them are in use */
    for (int n = 0; n < 2; n++) memset(written[n], 0, sizeof *k->T * room * room);
    memset(k->residual, 0, sizeof *k->residual * wanted);
    return emi_field_alloc(&k->products, s->mesh->hosted, d, k->wanted, err);
}

static void close_krylov(krylov *k)
{
    double *held[] = {k->B, k->A, k->work, k->T, k->V, k->theta, k->R, k->residual};
    for (size_t n = 0; n < sizeof held / sizeof *held; n++) emi_free(held[n]);
    emi_field_free(&k->products);
}

/* ---- the next block -------------------------------------------------------------------------- */

/* The start: the estimate's K columns, and random ones beside them. */
static em_status first_block(krylov *k, int *count, em_error *err)
{
    int K = k->s->K;
    memcpy(k->R, emi_at(&k->s->X, 0).v, sizeof *k->R * (size_t)k->s->d * (size_t)K);
    em_status status = emi_extend_basis(columns_of(k, k->B, 0, 0), columns_of(k, k->R, 0, K), 1e-8, count, err);
    int more = k->wanted - *count, added = 0;
    if (status != EM_OK || more == 0) return status;
    emi_block rest = columns_of(k, k->R, *count, more);
    emi_random_normals(&k->random, rest.v, (size_t)k->s->d * (size_t)more);
    status = emi_extend_basis(columns_of(k, k->R, 0, *count), rest, 1e-8, &added, err);
    *count += added;
    return status;
}

/* B <- B V, A <- A V for the best `keep` Ritz vectors; then B' A is diagonal. */
static void restart(krylov *k, int keep)
{
    emi_block V = {k->size, keep, k->V};
    double *both[] = {k->B, k->A};
    for (int n = 0; n < 2; n++) {
        emi_mul(1, columns_of(k, both[n], 0, k->size), V, 0, columns_of(k, k->work, 0, keep));
        memcpy(both[n], k->work, sizeof *k->work * (size_t)k->s->d * (size_t)keep);
    }
    memset(k->T, 0, sizeof *k->T * (size_t)k->room * (size_t)keep);
    for (int j = 0; j < keep; j++) k->T[(size_t)j * (size_t)k->room + (size_t)j] = k->theta[j];
    k->size = keep;
}

/* The residuals that still matter, moved together: a pair well under the tolerance has nothing to add. */
static int keep_unconverged(krylov *k, int pairs)
{
    int kept = 0;
    for (int n = 0; n < pairs; n++) {
        if (k->residual[n] < 0.1 * k->s->tolerance || k->residual[n] == 0) continue;
        if (kept < n)
            memcpy(columns_of(k, k->R, kept, 1).v, columns_of(k, k->R, n, 1).v, sizeof *k->R * (size_t)k->s->d);
        kept++;
    }
    return kept;
}

/* What the residuals add to the basis.  Where they add nothing, B spans an invariant subspace, which may have missed
 * eigenvectors: random directions go on, until there are none left. */
static em_status next_block(krylov *k, int *count, em_error *err)
{
    em_status status = EM_OK;
    int pairs = keep_unconverged(k, k->wanted < k->size ? k->wanted : k->size);
    if (k->size + k->wanted > k->room && k->room < k->s->d)
        restart(k, k->room / 2 > k->wanted ? k->room / 2 : k->wanted);
    int left = k->room - k->size;
    if (pairs > left) pairs = left;
    double nothing = 64 * DBL_EPSILON * fabs(k->theta[0]) + DBL_MIN;
    TRY(emi_extend_basis(columns_of(k, k->B, 0, k->size), columns_of(k, k->R, 0, pairs), nothing, count, err));
    if (*count == 0 && left > 0) {
        int fresh = k->wanted < left ? k->wanted : left;
        emi_random_normals(&k->random, k->R, (size_t)k->s->d * (size_t)fresh);
        TRY(emi_extend_basis(columns_of(k, k->B, 0, k->size), columns_of(k, k->R, 0, fresh), 1e-8, count, err));
    }
done:
    return status;
}

/* ---- a step ------------------------------------------------------------------------------------- */

static em_status product_turn(void *context, int i, int worker, em_error *err)
{
    krylov *k = context;
    emi_block q = columns_of(k, k->R, 0, k->products.cols);
    return emi_cov_apply(&k->s->C[i], q, emi_at(&k->products, i), k->s->scratch[worker], err);
}

/* B <- [B q], A <- [A Cq], and the new columns of B' A. */
static void append(krylov *k, int count)
{
    em_mesh *mesh = k->s->mesh;
    size_t at = (size_t)k->size * (size_t)k->s->d;
    memcpy(k->B + at, k->R, sizeof *k->B * (size_t)k->s->d * (size_t)count);
    k->products.cols = count;
    emi_mesh_run(mesh, mesh->hosted * emi_cov_apply_cost(&k->s->C[0], count), product_turn, k);
    emi_tree_average(mesh, &k->products, k->A + at);
    k->size += count;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->size, count, k->s->d, 1, k->B, k->s->d, k->A + at, k->s->d,
                0, k->T + (size_t)(k->size - count) * (size_t)k->room, k->room);
}

/* A start of the user's own may span an invariant subspace that is not the leading one, and then has no residual at
 * all: the random vectors beside it get a few steps to show that there is more. */
static int too_early(const emi_solver *s)
{
    enum { STEPS = 4 };
    return s->own_start && s->iteration + 1 < STEPS;
}

/* Ritz pairs of B, the residuals of the wanted ones, and the estimate for everyone. */
static em_status ritz(krylov *k, em_error *err)
{
    int d = k->s->d, size = k->size, pairs = k->wanted < size ? k->wanted : size;
    for (int j = 0; j < size; j++)
        memcpy(k->V + (size_t)j * (size_t)size, k->T + (size_t)j * (size_t)k->room, sizeof *k->V * (size_t)size);
    em_status status = emi_all_eigen(k->V, size, k->theta, err);
    if (status != EM_OK) return status;
    emi_block V = {size, pairs, k->V}, X = columns_of(k, k->work, 0, pairs), R = columns_of(k, k->R, 0, pairs);
    emi_mul(1, columns_of(k, k->B, 0, size), V, 0, X);
    emi_mul(1, columns_of(k, k->A, 0, size), V, 0, R);
    double worst = 0, scale = k->theta[0] > 0 ? k->theta[0] : 1;
    for (int n = 0; n < pairs; n++) {
        cblas_daxpy(d, -k->theta[n], emi_column_of(X, n), 1, emi_column_of(R, n), 1);
        k->residual[n] = emi_norm(d, emi_column_of(R, n)) / scale;
        if (n < k->s->K) worst = fmax(worst, k->residual[n]);
    }
    if (size > k->s->K) k->s->next_value = k->theta[k->s->K];
    emi_share(k->s, X.v, size == d ? 0 : too_early(k->s) ? INFINITY : worst);
    return EM_OK;
}

static em_status step(krylov *k, em_error *err)
{
    em_status status = EM_OK;
    int count = 0;
    TRY(k->size == 0 ? first_block(k, &count, err) : next_block(k, &count, err));
    append(k, count);
    if (!emi_mesh_failed(k->s->mesh)) TRY(ritz(k, err));
done:
    return status;
}

static em_status krylov_run(emi_solver *s)
{
    krylov k;
    em_error err;
    em_status status = open_krylov(&k, s, &err);
    size_t d = (size_t)s->d, room = (size_t)k.room;
    const emi_kept kept[] = {{k.B, d, k.room, &k.size},       {k.A, d, k.room, &k.size},
                             {k.T, room, k.room, &k.size},    {k.V, room, k.room, &k.size},
                             {k.theta, 1, k.room, &k.size},   {k.R, d, k.wanted, NULL},
                             {k.residual, 1, k.wanted, NULL}, {&k.random.state, 1, 1, NULL}};
    s->kept = kept;
    s->kept_count = sizeof kept / sizeof *kept;
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
    .traits = EMI_SAME_EVERYWHERE,
    .iterations = 1000,
    .run = krylov_run};
