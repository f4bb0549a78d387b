/* From what a method iterates to what it reports: Ritz vectors, residuals, one estimate for all. */
#include "base/larger.h"
#include "base/memory.h"
#include "methods/method.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* A fraction that is hit takes one component more, as it does in scikit-learn; rounding must not decide whether it is, nor
 * ask for components without variance where the fraction is all but 1. */
int emi_explains_fraction(const emi_solver *s, double variance)
{
    const double rounding = 1e-12;
    return variance > fmin(s->fraction * (1 + rounding), 1 - rounding) * s->variance;
}

typedef struct estimate_task {
    emi_solver *s;
    const emi_field *B, *S;
    emi_field *X;
    int first; /* column of the solver's that B's first one is */
} estimate_task;

static double cost(const emi_solver *s, int K)
{
    return 8.0 * s->mesh->hosted * s->d * K * K;
}

/* Is there nothing to improve but rounding, which is relative to the largest eigenvalue? */
static int is_rounding(double length, double largest)
{
    return length <= EMI_ROUNDING * largest;
}

/* max_k ||S_k - theta_k X_k|| / theta_k for unit columns X_k, theta_k = X_k' S_k, which is kept. */
static double worst_residual(emi_block X, emi_block S, double *theta)
{
    double worst = 0, largest = 0;
    for (int k = 0; k < X.cols; k++) {
        theta[k] = cblas_ddot(X.rows, emi_column_of(X, k), 1, emi_column_of(S, k), 1);
        largest = emi_larger(largest, theta[k]);
    }
    for (int k = 0; k < X.cols; k++) {
        const double *x = emi_column_of(X, k), *Cx = emi_column_of(S, k);
        double sum = 0;
        for (int n = 0; n < X.rows; n++) sum += (Cx[n] - theta[k] * x[n]) * (Cx[n] - theta[k] * x[n]);
        if (!is_rounding(sqrt(sum), largest)) worst = emi_larger(worst, sqrt(sum) / fmax(theta[k], DBL_MIN));
    }
    return worst;
}

static em_status theta_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    emi_block X = emi_at(t->B, i), S = emi_at(t->S, i);
    double *theta = emi_at(&t->s->theta, i).v + t->first;
    for (int k = 0; k < X.cols; k++) theta[k] = cblas_ddot(X.rows, emi_column_of(X, k), 1, emi_column_of(S, k), 1);
    return EM_OK;
}

void emi_note_theta_of(emi_solver *s, int k, const emi_field *x, const emi_field *z)
{
    estimate_task task = {.s = s, .B = x, .S = z, .first = k};
    emi_mesh_run(s->mesh, cost(s, 1) * x->cols, theta_body, &task);
}

void emi_note_theta(emi_solver *s, const emi_field *X, const emi_field *S)
{
    emi_note_theta_of(s, 0, X, S);
}

static em_status residual_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    emi_solver *s = t->s;
    *emi_at(&s->residual, i).v = worst_residual(emi_at(t->B, i), emi_at(t->S, i), emi_at(&s->theta, i).v);
    return EM_OK;
}

void emi_note_residual(emi_solver *s, const emi_field *X, const emi_field *S)
{
    estimate_task task = {.s = s, .B = X, .S = S};
    emi_mesh_run(s->mesh, cost(s, 1) * X->cols, residual_body, &task);
}

/* The least eigenvalue that a node knows of and that is more than rounding. */
static double least_theta(const double *theta, int K)
{
    double largest = 0, least = INFINITY;
    for (int k = 0; k < K; k++) largest = fmax(largest, theta[k]);
    for (int k = 0; k < K; k++)
        if (!is_rounding(theta[k], largest)) least = fmin(least, theta[k]);
    return least;
}

static em_status disagreement_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    emi_block S = emi_at(t->S, i), B = emi_at(t->B, i);
    double *residual = emi_at(&t->s->residual, i).v, largest = 0, moved = 0;
    for (int k = 0; k < S.cols; k++) {
        const double *now = emi_column_of(S, k), *before = emi_column_of(B, k);
        double sum = 0;
        for (int n = 0; n < S.rows; n++) sum += (now[n] - before[n]) * (now[n] - before[n]);
        moved = emi_larger(moved, sqrt(sum));
        largest = emi_larger(largest, emi_norm(S.rows, now)); /* about theta_1 */
    }
    if (!is_rounding(moved, largest))
        *residual = emi_larger(*residual, moved / least_theta(emi_at(&t->s->theta, i).v, S.cols));
    return EM_OK;
}

void emi_note_disagreement(emi_solver *s, const emi_field *S, const emi_field *before)
{
    estimate_task task = {.s = s, .B = before, .S = S};
    if (s->mesh->graph->nodes > 1) emi_mesh_run(s->mesh, cost(s, 1) * S->cols, disagreement_body, &task);
}

static em_status direction_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const estimate_task *t = context;
    emi_block S = emi_at(t->S, i);
    const double *theta = emi_at(&t->s->theta, i).v;
    double worst = 0, largest = 0;
    for (int k = 0; k < S.cols; k++) largest = emi_larger(largest, theta[k]);
    for (int k = 0; k < S.cols; k++) {
        double norm = emi_norm(S.rows, emi_column_of(S, k));
        if (!is_rounding(norm, largest) && !is_rounding(theta[k], largest)) worst = emi_larger(worst, norm / theta[k]);
    }
    *emi_at(&t->s->residual, i).v = worst;
    return EM_OK;
}

void emi_note_direction(emi_solver *s, const emi_field *S)
{
    estimate_task task = {.s = s, .S = S};
    emi_mesh_run(s->mesh, cost(s, 1), direction_body, &task);
}

/* Eigenvectors of (B'S + S'B)/2, falling, in place of the K x K matrix T; the sign of each follows from its largest
 * entry, so that nodes that agree on B agree on it.  Returns 0 where LAPACK finds none, as of numbers that are not finite. */
static int rotation(emi_block B, emi_block S, double *T, size_t room)
{
    int K = B.cols;
    double *values = T + (size_t)K * (size_t)K, *work = values + K;
    emi_mul_tn(1, B, S, 0, (emi_block){K, K, T});
    for (int j = 0; j < K; j++) /* minus, so that the largest eigenvalues come first */
        for (int i = 0; i <= j; i++) T[j * K + i] = -(T[j * K + i] + T[i * K + j]) / 2;
    lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', K, T, K, values, work,
                                         (lapack_int)(room - (size_t)K * ((size_t)K + 1)));
    if (info) return 0;
    for (int k = 0; k < K; k++) {
        double *v = T + (size_t)k * (size_t)K;
        if (v[cblas_idamax(K, v, 1)] < 0) cblas_dscal(K, -1, v, 1);
    }
    return 1;
}

/* A run that has come apart is told by a residual that is no number. */
static em_status ritz_body(void *context, int i, int worker, em_error *err)
{
    const estimate_task *t = context;
    emi_scratch scratch = t->s->scratch[worker];
    emi_block B = emi_at(t->B, i), S = emi_at(t->S, i), X = emi_at(t->X, i);
    emi_block V = {B.cols, B.cols, scratch.v}, CX = emi_at(&t->s->mixed, i);
    double *residual = emi_at(&t->s->residual, i).v, *theta = emi_at(&t->s->theta, i).v;
    *residual = NAN;
    if (!rotation(B, S, scratch.v, scratch.count)) return EM_OK;
    emi_mul(1, B, V, 0, X);  /* Ritz vectors        */
    emi_mul(1, S, V, 0, CX); /* and C times them    */
    *residual = worst_residual(X, CX, theta);
    for (int k = 0; k < X.cols; k++) { /* one power step on, as C times them is there for the taking */
        double norm = emi_norm(X.rows, emi_column_of(CX, k));
        if (is_rounding(norm, theta[0])) continue; /* past the rank: it would be rounding, blown up */
        for (int n = 0; n < X.rows; n++) emi_column_of(X, k)[n] = emi_column_of(CX, k)[n] / norm;
    }
    /* The step also magnifies what is wrong with a small component along the large ones: that is taken off again. */
    em_status status = emi_orthonormalise(X, EMI_QR_POSITIVE, scratch, err);
    if (status == EM_ENUMERIC) *residual = NAN;
    return status == EM_ENUMERIC ? EM_OK : status;
}

void emi_ritz(emi_solver *s, const emi_field *B, const emi_field *S, emi_field *X)
{
    estimate_task task = {.s = s, .B = B, .S = S, .X = X};
    if (s->ritz) {
        emi_mesh_run(s->mesh, cost(s, s->K), ritz_body, &task);
    } else {
        emi_field_copy(B, X);
        emi_note_residual(s, B, S);
    }
}

/* X, CX and theta are one piece. */
em_status emi_answer_room(emi_solver *s, int columns, em_error *err)
{
    emi_answer *answer = &s->answer;
    size_t d = (size_t)s->d, K = (size_t)columns;
    double *X = emi_doubles((2 * d + 1) * K);
    if (!X) return emi_fail_memory(err, "estimate");
    emi_free(answer->X);
    answer->X = X;
    answer->CX = X + d * K;
    answer->theta = answer->CX + d * K;
    return EM_OK;
}

void emi_keep_answer(emi_solver *s, const double *x, const double *theta, int K)
{
    em_error err;
    emi_answer *answer = &s->answer;
    em_status status = K > answer->K || !answer->X ? emi_answer_room(s, K, &err) : EM_OK;
    if (status != EM_OK) {
        emi_solver_fail(s, status, &err);
        return;
    }
    memcpy(answer->X, x, sizeof *x * (size_t)s->d * (size_t)K);
    if (theta) memcpy(answer->theta, theta, sizeof *theta * (size_t)K);
    answer->K = K;
    answer->has_products = 0;
    answer->has_theta = theta != NULL;
    answer->residual = 0;
    answer->next = answer->beyond = answer->rest = answer->squares = answer->cubes = NAN;
}

double emi_least_for_products(const emi_solver *s)
{
    return EMI_ROUNDING / (0.1 * s->tolerance);
}
