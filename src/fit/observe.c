#include "fit/observe.h"

#include "base/memory.h"

#include <cblas.h>
#include <math.h>

em_status emi_observer_open(emi_observer *o, emi_solver *s, const double *truth, em_error *err)
{
    em_status status = EM_OK;
    size_t K = (size_t)s->K, size = (size_t)s->d * K;
    *o = (emi_observer){.s = s, .truth = truth};
    TRY(emi_field_alloc(&o->parts, s->mesh->hosted, s->d, s->K, err));
    TRY(emi_field_alloc(&o->numbers, s->mesh->hosted, s->K, 1, err));
    o->estimate = emi_doubles(2 * size + 3 * K);
    if (!o->estimate) TRY(emi_fail_memory(err, "diagnostics"));
    o->product = o->estimate + size;
    o->theta = o->product + size;
    o->residual = o->theta + K;
    o->error = o->residual + K;
done:
    return status;
}

void emi_observer_close(emi_observer *o)
{
    emi_free(o->estimate);
    emi_field_free(&o->numbers);
    emi_field_free(&o->parts);
    *o = (emi_observer){0};
}

static emi_block estimate_block(const emi_observer *o)
{
    return (emi_block){o->s->d, o->s->K, o->estimate};
}

static double field_cost(const emi_observer *o)
{
    return 4.0 * o->s->mesh->hosted * o->s->d * o->s->K;
}

void emi_observe_estimate(emi_observer *o)
{
    emi_field_copy(&o->s->X, &o->parts);
    emi_tree_average(o->s->mesh, &o->parts, o->estimate);
}

static em_status distance_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    emi_observer *o = context;
    size_t size = (size_t)o->s->d * (size_t)o->s->K;
    const double *x = emi_at(&o->s->X, i).v;
    double sum = 0;
    for (size_t n = 0; n < size; n++) sum += (x[n] - o->estimate[n]) * (x[n] - o->estimate[n]);
    *emi_at(&o->numbers, i).v = sqrt(sum);
    return EM_OK;
}

double emi_observe_consensus(emi_observer *o)
{
    double farthest = NAN;
    emi_field one = o->numbers;
    one.rows = 1;
    emi_mesh_run(o->s->mesh, field_cost(o), distance_turn, o);
    emi_tree_max(o->s->mesh, &one, &farthest);
    return farthest / emi_norm(o->s->d * o->s->K, o->estimate);
}

static em_status product_turn(void *context, int i, int worker, em_error *err)
{
    emi_observer *o = context;
    return emi_cov_apply(&o->s->C[i], estimate_block(o), emi_at(&o->parts, i), o->s->scratch[worker], err);
}

static void unit_columns(emi_block A)
{
    for (int k = 0; k < A.cols; k++) {
        double norm = emi_norm(A.rows, emi_column_of(A, k));
        if (norm > 0) cblas_dscal(A.rows, 1 / norm, emi_column_of(A, k), 1);
    }
}

double emi_observe_residual(emi_observer *o)
{
    int d = o->s->d, K = o->s->K;
    emi_block estimate = estimate_block(o), product = {d, K, o->product};
    double mean = 0;
    unit_columns(estimate);
    emi_mesh_run(o->s->mesh, o->s->mesh->hosted * emi_cov_apply_cost(&o->s->C[0], K), product_turn, o);
    emi_tree_average(o->s->mesh, &o->parts, o->product);
    for (int k = 0; k < K; k++) {
        double *x = emi_column_of(estimate, k), *Cx = emi_column_of(product, k);
        o->theta[k] = cblas_ddot(d, x, 1, Cx, 1);
        cblas_daxpy(d, -o->theta[k], x, 1, Cx, 1);
        o->residual[k] = emi_norm(d, Cx) / (o->theta[0] > 0 ? o->theta[0] : 1);
        mean += o->residual[k] / K;
    }
    return mean;
}

static em_status error_turn(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    emi_observer *o = context;
    emi_block X = emi_at(&o->s->X, i);
    for (int k = 0; k < X.cols; k++)
        emi_at(&o->numbers, i).v[k] = emi_sin2(X.rows, emi_column_of(X, k), o->truth + (size_t)k * (size_t)X.rows);
    return EM_OK;
}

double emi_observe_error(emi_observer *o)
{
    double mean = 0;
    if (!o->truth) return NAN;
    emi_mesh_run(o->s->mesh, field_cost(o), error_turn, o);
    emi_tree_average(o->s->mesh, &o->numbers, o->error);
    for (int k = 0; k < o->s->K; k++) mean += o->error[k] / o->s->K;
    return mean;
}
