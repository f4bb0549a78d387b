#include "run/observe.h"

#include "base/larger.h"
#include "base/memory.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static em_status make_room(emi_observer *o, int room, em_error *err)
{
    em_status status = EM_OK;
    const emi_solver *s = o->s;
    size_t K = (size_t)room, size;
    emi_free(o->estimate);
    emi_field_free(&o->numbers);
    emi_field_free(&o->parts);
    o->estimate = NULL;
    if (!(s->traits & EMI_AT_ROOT)) TRY(emi_field_alloc(&o->parts, s->mesh->hosted, s->d, room, err));
    TRY(emi_field_alloc(&o->numbers, s->mesh->hosted, room, 1, err));
    if (emi_size_overflows(K, 2 * (size_t)s->d + 3, &size) || !(o->estimate = emi_doubles(size)))
        TRY(emi_fail_memory(err, "diagnostics"));
    o->product = o->estimate + (size_t)s->d * K;
    o->theta = o->product + (size_t)s->d * K;
    o->residual = o->theta + K;
    o->error = o->residual + K;
    o->room = room;
done:
    return status;
}

em_status emi_observer_open(emi_observer *o, emi_solver *s, const emi_truth *truth, em_error *err)
{
    *o = (emi_observer){.s = s, .truth = truth, .K = s->K};
    return make_room(o, s->K, err);
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
    return (emi_block){o->s->d, o->K, o->estimate};
}

static double field_cost(const emi_observer *o)
{
    return 4.0 * o->s->mesh->hosted * o->s->d * o->K;
}

/* As the root has it by now, in all processes. */
static void take_answer(emi_observer *o)
{
    emi_solver *s = o->s;
    double K = s->fraction > 0 ? s->answer.K : s->K;
    em_error err = {0};
    if (s->fraction > 0) emi_tree_give(s->mesh, &K, 1); /* that many only the root knows */
    if (emi_mesh_failed(s->mesh)) return;
    em_status status = EM_OK;
    if (!(K >= 1 && K <= s->d))
        status = emi_fail(&err, EM_ENET, "fit: the root says that there are %g components; try again", K);
    else if ((int)K > o->room)
        status = make_room(o, (int)K, &err);
    if (status != EM_OK) emi_solver_fail(s, status, &err);
    if (emi_mesh_failed(s->mesh)) return;
    o->K = (int)K;
    o->parts.cols = o->numbers.rows = o->K;
    size_t size = (size_t)s->d * (size_t)o->K;
    if (emi_mesh_has_root(s->mesh)) {
        memcpy(o->estimate, s->answer.X, size * sizeof *o->estimate);
        o->estimate[size] = s->answer.next; /* rides behind it, where the product will be */
    }
    emi_tree_give(s->mesh, o->estimate, size + 1);
    s->answer.next = o->estimate[size];
}

void emi_observe_estimate(emi_observer *o)
{
    if (o->s->traits & EMI_AT_ROOT) {
        take_answer(o);
        return;
    }
    emi_field_copy(&o->s->X, &o->parts);
    emi_tree_average(o->s->mesh, &o->parts, o->estimate);
}

static em_status distance_body(void *context, int i, int worker, em_error *err)
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
    double farthest = NAN, size = 0;
    emi_field one = o->numbers;
    if (o->s->traits & EMI_AT_ROOT) return 0; /* there is one estimate, and all will be told */
    one.rows = 1;
    emi_mesh_run(o->s->mesh, field_cost(o), distance_body, o);
    emi_tree_max(o->s->mesh, &one, &farthest);
    for (int k = 0; k < o->K; k++) size = hypot(size, emi_norm(o->s->d, emi_column_of(estimate_block(o), k)));
    return farthest / size;
}

static em_status product_body(void *context, int i, int worker, em_error *err)
{
    emi_observer *o = context;
    return o->s->C[i].kind->apply(&o->s->C[i], estimate_block(o), emi_at(&o->parts, i), o->s->scratch[worker], err);
}

static void unit_columns(emi_block A)
{
    for (int k = 0; k < A.cols; k++) {
        double norm = emi_norm(A.rows, emi_column_of(A, k));
        if (norm > 0) cblas_dscal(A.rows, 1 / norm, emi_column_of(A, k), 1);
    }
}

/* Where the root decides, nobody else needs them. */
static int have_parts(emi_observer *o)
{
    em_error err = {0};
    em_status status = EM_OK;
    if (!o->parts.v) status = emi_field_alloc(&o->parts, o->s->mesh->hosted, o->s->d, o->room, &err);
    if (status != EM_OK) emi_solver_fail(o->s, status, &err);
    o->parts.cols = o->K;
    return status == EM_OK;
}

double emi_observe_residual(emi_observer *o)
{
    int d = o->s->d, K = o->K;
    if (!have_parts(o)) return NAN;
    emi_block estimate = estimate_block(o), product = {d, K, o->product};
    double mean = 0, largest = 0;
    unit_columns(estimate);
    emi_mesh_run(o->s->mesh, o->s->mesh->hosted * emi_operator_cost(&o->s->C[0], K), product_body, o);
    emi_tree_average(o->s->mesh, &o->parts, o->product);
    for (int k = 0; k < K; k++) {
        double *x = emi_column_of(estimate, k), *Cx = emi_column_of(product, k);
        o->theta[k] = cblas_ddot(d, x, 1, Cx, 1);
        cblas_daxpy(d, -o->theta[k], x, 1, Cx, 1);
        o->residual[k] = emi_norm(d, Cx);
        largest = emi_larger(largest, o->theta[k]);
    }
    for (int k = 0; k < K; k++) { /* past the rank there is nothing to be relative to */
        o->residual[k] /= o->theta[k] > EMI_ROUNDING * largest ? o->theta[k] : largest;
        mean += o->residual[k] / K;
    }
    return mean;
}

static emi_block estimate_of(const emi_observer *o, int i)
{
    return o->s->traits & EMI_AT_ROOT ? estimate_block(o) : emi_at(&o->s->X, i);
}

static em_status error_body(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    emi_observer *o = context;
    emi_block X = estimate_of(o, i);
    for (int k = 0; k < X.cols; k++) {
        const double *q = o->truth->vectors + (size_t)k * (size_t)X.rows;
        emi_at(&o->numbers, i).v[k] = k < o->truth->K ? emi_sin2(X.rows, emi_column_of(X, k), q) : 1;
    }
    return EM_OK;
}

double emi_observe_error(emi_observer *o)
{
    double mean = 0;
    if (!o->truth->vectors) return NAN;
    if (o->s->traits & EMI_AT_ROOT && emi_mesh_failed(o->s->mesh)) return NAN;
    emi_mesh_run(o->s->mesh, field_cost(o), error_body, o);
    emi_tree_average(o->s->mesh, &o->numbers, o->error);
    for (int k = 0; k < o->K; k++) mean += o->error[k] / o->K;
    return mean;
}
