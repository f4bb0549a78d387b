/* The exact answer, for study: the root pools the covariances, solves and tells.  Looking on, so that it is not counted. */
#include "base/memory.h"
#include "fit/run.h"

#include <math.h>
#include <string.h>

/* A panel of columns at a time, into the root's `pooled`; elsewhere that is NULL. */
static em_status pool_covariances(emi_problem *p, double *pooled, em_error *err)
{
    enum { PANEL = 64 };
    em_status status = EM_OK;
    emi_field parts = {0};
    TRY(emi_field_alloc(&parts, p->mesh->hosted, p->d, p->d < PANEL ? p->d : PANEL, err));
    double *aside = pooled ? NULL : emi_doubles((size_t)p->d * (size_t)parts.cols);
    if (!pooled && !aside) TRY(emi_fail_memory(err, "truth compute"));
    for (int first = 0; first < p->d; first += parts.cols) {
        emi_field panel = parts;
        if (p->d - first < panel.cols) panel = emi_columns(&parts, 0, p->d - first);
        size_t at = (size_t)first * (size_t)p->d, size = (size_t)panel.cols * (size_t)p->d;
        for (int i = 0; i < p->mesh->hosted; i++)
            memcpy(emi_at(&panel, i).v, p->C[i].dense + at, size * sizeof(double));
        emi_tree_average_at_root(p->mesh, &panel, pooled ? pooled + at : aside);
    }
    emi_free(aside);
    TRY(emi_problem_status(p, err));
done:
    emi_field_free(&parts);
    return status;
}

/* told: K eigenvalues, and their vectors. */
static em_status solve_at_root(emi_problem *p, int K, double *told, em_error *err)
{
    em_status status = EM_OK;
    double *pooled = emi_calloc((size_t)p->d * (size_t)p->d, sizeof *pooled);
    if (!pooled) TRY(emi_fail_memory(err, "truth compute"));
    TRY(pool_covariances(p, pooled, err));
    TRY(emi_top_eigen(pooled, p->d, K, told, told + K, err));
done:
    emi_free(pooled);
    return status;
}

/* Decided alike in all processes: by d, and by what the one with the least memory can hold. */
static em_status check_room(const emi_problem *p, em_error *err)
{
    enum { SPREAD_MOST = 4096 };
    if (emi_mesh_is_spread(p->mesh) && p->d > SPREAD_MOST)
        return emi_fail(err, EM_ENOTSUP,
                        "truth compute: %d features, and the covariance of all data must fit into one process (up to "
                        "%d); try truth=none or a truth of your own",
                        p->d, SPREAD_MOST);
    if (!p->dense_fits)
        return emi_fail(
            err, EM_ENOTSUP,
            "truth compute: %d covariances of %d x %d do not fit into memory; try truth=none or a truth of your own",
            p->mesh->hosted, p->d, p->d);
    return EM_OK;
}

/* K eigenvalues of C, falling, and unit eigenvectors (d x K, column-major).  Collective. */
static em_status compute(emi_problem *p, int K, double *values, double *vectors, em_error *err)
{
    em_status status = EM_OK;
    size_t count = (size_t)K, size = (size_t)p->d * count;
    double *told = NULL;
    int by_rows = p->C[0].by_rows, phase = p->mesh->phase;
    p->mesh->phase = EMI_OBSERVING;
    TRY(check_room(p, err));
    TRY(emi_problem_make_dense(p, err));
    (void)emi_problem_use_rows(p, by_rows);
    told = emi_doubles(count + size);
    if (!told) TRY(emi_fail_memory(err, "truth compute"));
    TRY(emi_mesh_has_root(p->mesh) ? solve_at_root(p, K, told, err) : pool_covariances(p, NULL, err));
    emi_tree_give(p->mesh, told, count + size);
    TRY(emi_problem_status(p, err));
    memcpy(values, told, count * sizeof *values);
    memcpy(vectors, told + count, size * sizeof *vectors);
done:
    p->mesh->phase = phase;
    emi_free(told);
    return status;
}

/* ---- given, or computed ---------------------------------------------------------------------------- */

static em_status given_truth(emi_truth *truth, const double *given, int d, int K, em_error *err)
{
    emi_transpose(given, d, K, truth->vectors);
    for (int k = 0; k < K; k++) {
        double *q = truth->vectors + (size_t)k * (size_t)d, norm = emi_norm(d, q);
        if (norm == 0) return emi_fail(err, EM_EINVAL, "truth: column %d is zero; try d x K eigenvectors", k);
        for (int n = 0; n < d; n++) q[n] /= norm;
    }
    return EM_OK;
}

em_status emi_truth_find(emi_truth *truth, emi_problem *p, const em_options *options, em_error *err)
{
    if (!options->truth && !options->truth_compute) return EM_OK;
    truth->K = options->variance > 0 ? p->rank : p->K; /* a fraction may take all there are */
    truth->vectors = emi_doubles((size_t)p->d * (size_t)truth->K);
    truth->values = emi_doubles((size_t)truth->K);
    if (!truth->vectors || !truth->values) return emi_fail_memory(err, "truth");
    for (int k = 0; k < truth->K; k++) truth->values[k] = NAN;
    if (options->truth) return given_truth(truth, options->truth, p->d, truth->K, err);
    return compute(p, truth->K, truth->values, truth->vectors, err);
}

void emi_truth_free(emi_truth *truth)
{
    emi_free(truth->values);
    emi_free(truth->vectors);
    *truth = (emi_truth){0};
}
