/* A method's vocabulary: one operation, done for every hosted node, spread over the cores.  A node's turn reads
 * and writes its own blocks only. */
#include "methods/method.h"

#include <cblas.h>
#include <math.h>

/* What a turn needs; each operation uses the members that it names. */
typedef struct step_task {
    emi_solver *s;
    const emi_field *from;
    emi_field *to;
    double a;
    int k;
} step_task;

/* The K x K matrix and its eigenvalues, and what LAPACK wants beside them. */
static size_t ritz_needs(int K)
{
    return (size_t)K * ((size_t)K + 1 + 64) + 64;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t emi_method_needs(int d, int K)
{
    size_t product = emi_operator_needs(d, K), small = ritz_needs(K);
    return larger(larger(product, small), emi_polar_needs(d, K));
}

/* Operations on all blocks of a field of `cols` columns, `each` an entry. */
static double field_cost(const emi_solver *s, int cols, double each)
{
    return each * s->mesh->hosted * s->d * cols;
}

static double apply_cost(const emi_solver *s, int cols)
{
    double cost = 0;
    for (int i = 0; i < s->mesh->hosted; i++) cost += emi_operator_cost(&s->C[i], cols);
    return cost;
}

static em_status apply_body(void *context, int i, int worker, em_error *err)
{
    const step_task *t = context;
    return t->s->C[i].kind->apply(&t->s->C[i], emi_at(t->from, i), emi_at(t->to, i), t->s->scratch[worker], err);
}

void emi_apply(emi_solver *s, const emi_field *X, emi_field *Z)
{
    step_task task = {.s = s, .from = X, .to = Z};
    emi_mesh_run(s->mesh, apply_cost(s, X->cols), apply_body, &task);
}

static em_status sanger_body(void *context, int i, int worker, em_error *err)
{
    const step_task *t = context;
    em_status status = apply_body(context, i, worker, err);
    if (status != EM_OK) return status;
    emi_block X = emi_at(t->from, i);
    emi_sanger(X, emi_at(t->to, i), t->s->scratch[worker]);
    double *XCX = t->s->scratch[worker].v, *R = XCX + (size_t)X.cols * (size_t)X.cols; /* where it leaves U(X' C X) */
    double *theta = emi_at(&t->s->theta, i).v;
    if (emi_gram_factor(X, R)) { /* of the columns made orthonormal: past the rank they have nothing of their own */
        emi_gram_values(XCX, R, X.cols, theta);
    } else {
        for (int k = 0; k < X.cols; k++) theta[k] = XCX[(size_t)k * ((size_t)X.cols + 1)];
    }
    return EM_OK;
}

void emi_sanger_direction(emi_solver *s, const emi_field *X, emi_field *H)
{
    step_task task = {.s = s, .from = X, .to = H};
    emi_mesh_run(s->mesh, apply_cost(s, X->cols) + field_cost(s, X->cols, 4.0 * X->cols), sanger_body, &task);
}

static em_status add_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const step_task *t = context;
    emi_block Z = emi_at(t->to, i), Y = emi_at(t->from, i);
    double *restrict z = Z.v, a = t->a;
    const double *restrict y = Y.v;
    size_t size = (size_t)Z.rows * (size_t)Z.cols;
    for (size_t n = 0; n < size; n++) z[n] += a * y[n];
    return EM_OK;
}

void emi_add_scaled(emi_solver *s, emi_field *Z, double a, const emi_field *Y)
{
    step_task task = {.s = s, .from = Y, .to = Z, .a = a};
    emi_mesh_run(s->mesh, field_cost(s, Z->cols, 2), add_body, &task);
}

static em_status add_times_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const step_task *t = context;
    emi_block Z = emi_at(t->to, i);
    double *restrict z = Z.v, a = t->a;
    const double *restrict y = emi_at(t->from, i).v;
    size_t size = (size_t)Z.rows * (size_t)Z.cols;
    for (size_t n = 0; n < size; n++) z[n] = a * (z[n] + y[n]);
    return EM_OK;
}

void emi_add_times(emi_solver *s, emi_field *Z, double a, const emi_field *Y)
{
    step_task task = {.s = s, .from = Y, .to = Z, .a = a};
    emi_mesh_run(s->mesh, field_cost(s, Z->cols, 2), add_times_body, &task);
}

/* A run that has come apart is seen by the test for the end, in numbers that are none. */
static em_status numbers_or_nan(em_status status, emi_block Z)
{
    if (status != EM_ENUMERIC) return status;
    for (size_t n = 0; n < (size_t)Z.rows * (size_t)Z.cols; n++) Z.v[n] = NAN;
    return EM_OK;
}

static em_status qr_body(void *context, int i, int worker, em_error *err)
{
    const step_task *t = context;
    emi_block Z = emi_at(t->to, i);
    return numbers_or_nan(emi_orthonormalise(Z, t->s->qr_signs, t->s->scratch[worker], err), Z);
}

void emi_qr(emi_solver *s, emi_field *Z)
{
    step_task task = {.s = s, .to = Z};
    emi_mesh_run(s->mesh, field_cost(s, Z->cols, 4.0 * Z->cols), qr_body, &task);
}

static em_status polar_body(void *context, int i, int worker, em_error *err)
{
    const step_task *t = context;
    emi_block Z = emi_at(t->to, i);
    return numbers_or_nan(emi_polar(Z, t->s->scratch[worker], err), Z);
}

void emi_nearest_orthonormal(emi_solver *s, emi_field *Z)
{
    step_task task = {.s = s, .to = Z};
    emi_mesh_run(s->mesh, field_cost(s, Z->cols, 8.0 * Z->cols), polar_body, &task);
}

static em_status deflate_body(void *context, int i, int worker, em_error *err)
{
    (void)err;
    const step_task *t = context;
    emi_block found = {t->s->d, t->k, emi_at(&t->s->X, i).v}, z = emi_at(t->to, i);
    emi_block along = {t->k, 1, t->s->scratch[worker].v};
    emi_mul_tn(1, found, z, 0, along); /* X_<k' z       */
    emi_mul(-1, found, along, 1, z);   /* z - X_<k (..) */
    return EM_OK;
}

void emi_deflate(emi_solver *s, int k, emi_field *z)
{
    step_task task = {.s = s, .to = z, .k = k};
    if (k > 0) emi_mesh_run(s->mesh, field_cost(s, k, 4), deflate_body, &task);
}

static em_status normalise_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    const step_task *t = context;
    emi_block z = emi_at(t->from, i), x = emi_at(t->to, i);
    double norm = emi_norm(z.rows, z.v);
    if (norm == 0) return EM_OK; /* nothing left to find here: keep the last estimate */
    for (int n = 0; n < z.rows; n++) x.v[n] = z.v[n] / norm;
    return EM_OK;
}

void emi_normalise(emi_solver *s, const emi_field *z, emi_field *x)
{
    step_task task = {.s = s, .from = z, .to = x};
    emi_mesh_run(s->mesh, field_cost(s, 1, 4), normalise_body, &task);
}

void emi_mix_times(emi_solver *s, int times, emi_field *Z, emi_field *work)
{
    for (int t = 0; t < times && s->mesh->graph->nodes > 1; t++) {
        emi_mix_begin(s->mesh, Z);
        emi_mix_end(s->mesh, work);
        emi_swap(Z, work);
    }
}
