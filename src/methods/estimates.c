/* From what a method iterates to what it reports: Ritz vectors, residuals, one estimate for all. */
#include "methods/method.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct estimate_task {
    emi_solver *s;
    const emi_field *B, *S;
    emi_field *X;
} estimate_task;

static double cost(const emi_solver *s, int K)
{
    return 8.0 * s->mesh->hosted * s->d * K * K;
}

/* max_k ||S_k - theta_k X_k|| / theta_1 for unit columns X_k, theta_k = X_k' S_k. */
static double worst_residual(emi_block X, emi_block S)
{
    double worst = 0, first = 0;
    for (int k = 0; k < X.cols; k++) {
        const double *x = emi_column_of(X, k), *Cx = emi_column_of(S, k);
        double theta = cblas_ddot(X.rows, x, 1, Cx, 1), sum = 0;
        for (int n = 0; n < X.rows; n++) sum += (Cx[n] - theta * x[n]) * (Cx[n] - theta * x[n]);
        if (k == 0) first = theta;
        worst = fmax(worst, sqrt(sum));
    }
    return first > 0 ? worst / first : worst;
}

static em_status residual_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    *emi_at(&t->s->residual, i).v = worst_residual(emi_at(t->B, i), emi_at(t->S, i));
    return EM_OK;
}

void emi_note_residual(emi_solver *s, const emi_field *X, const emi_field *S)
{
    estimate_task task = {.s = s, .B = X, .S = S};
    emi_mesh_run(s->mesh, cost(s, 1) * X->cols, residual_turn, &task);
}

static em_status disagreement_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    emi_block S = emi_at(t->S, i), B = emi_at(t->B, i);
    double *residual = emi_at(&t->s->residual, i).v, largest = 0, moved = 0;
    for (int k = 0; k < S.cols; k++) {
        const double *now = emi_column_of(S, k), *before = emi_column_of(B, k);
        double sum = 0;
        for (int n = 0; n < S.rows; n++) sum += (now[n] - before[n]) * (now[n] - before[n]);
        moved = fmax(moved, sqrt(sum));
        largest = fmax(largest, emi_norm(S.rows, now)); /* about theta_1 */
    }
    if (largest > 0) *residual = fmax(*residual, moved / largest);
    return EM_OK;
}

void emi_note_disagreement(emi_solver *s, const emi_field *S, const emi_field *before)
{
    estimate_task task = {.s = s, .B = before, .S = S};
    if (s->mesh->graph->nodes > 1) emi_mesh_run(s->mesh, cost(s, 1) * S->cols, disagreement_turn, &task);
}

static em_status direction_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    emi_block S = emi_at(t->S, i);
    const double *theta = emi_at(&t->s->theta, i).v;
    double worst = 0;
    for (int k = 0; k < S.cols; k++) {
        double norm = emi_norm(S.rows, emi_column_of(S, k));
        worst = fmax(worst, theta[k] > 0 ? norm / theta[k] : norm);
    }
    *emi_at(&t->s->residual, i).v = worst;
    return EM_OK;
}

void emi_note_direction(emi_solver *s, const emi_field *S)
{
    estimate_task task = {.s = s, .S = S};
    emi_mesh_run(s->mesh, cost(s, 1), direction_turn, &task);
}

/* Eigenvectors of (B'S + S'B)/2, falling, in place of the K x K matrix T; the sign of each follows from its largest
 * entry, so that nodes that agree on B agree on it. */
static em_status rotation(emi_block B, emi_block S, double *T, size_t room, em_error *err)
{
    int K = B.cols;
    double *values = T + (size_t)K * (size_t)K, *work = values + K;
    emi_mul_tn(1, B, S, 0, (emi_block){K, K, T});
    for (int j = 0; j < K; j++) /* minus, so that the largest eigenvalues come first */
        for (int i = 0; i <= j; i++) T[j * K + i] = -(T[j * K + i] + T[i * K + j]) / 2;
    lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', K, T, K, values, work,
                                         (lapack_int)(room - (size_t)K * ((size_t)K + 1)));
    if (info) return emi_fail(err, EM_ENUMERIC, "Rayleigh-Ritz: LAPACK returned %d; try --scale spectral", (int)info);
    for (int k = 0; k < K; k++) {
        double *v = T + (size_t)k * (size_t)K;
        if (v[cblas_idamax(K, v, 1)] < 0) cblas_dscal(K, -1, v, 1);
    }
    return EM_OK;
}

static em_status ritz_turn(void *context, int i, int worker, em_error *err)
{
    const estimate_task *t = context;
    emi_scratch scratch = t->s->scratch[worker];
    emi_block B = emi_at(t->B, i), S = emi_at(t->S, i), X = emi_at(t->X, i);
    emi_block V = {B.cols, B.cols, scratch.v}, CX = emi_at(&t->s->mixed, i);
    em_status status = rotation(B, S, scratch.v, scratch.count, err);
    if (status != EM_OK) return status;
    emi_mul(1, B, V, 0, X);  /* Ritz vectors        */
    emi_mul(1, S, V, 0, CX); /* and C times them    */
    *emi_at(&t->s->residual, i).v = worst_residual(X, CX);
    for (int k = 0; k < X.cols; k++) { /* one power step on, as C times them is there for the taking */
        double norm = emi_norm(X.rows, emi_column_of(CX, k));
        for (int n = 0; norm > 0 && n < X.rows; n++) emi_column_of(X, k)[n] = emi_column_of(CX, k)[n] / norm;
    }
    return EM_OK;
}

void emi_ritz(emi_solver *s, const emi_field *B, const emi_field *S, emi_field *X)
{
    estimate_task task = {s, B, S, X};
    if (s->ritz) {
        emi_mesh_run(s->mesh, cost(s, s->K), ritz_turn, &task);
    } else {
        emi_field_copy(B, X);
        emi_note_residual(s, B, S);
    }
}

void emi_share(emi_solver *s, const double *x, double residual)
{
    for (int i = 0; i < s->mesh->hosted; i++) {
        memcpy(emi_at(&s->X, i).v, x, sizeof *x * (size_t)s->d * (size_t)s->K);
        *emi_at(&s->residual, i).v = residual;
    }
}
