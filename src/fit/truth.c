/* The exact answer, for study: the root pools the covariances, solves and tells.  Looking on, so that it is not counted. */
#include "base/memory.h"
#include "fit/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

/* The covariances are averaged a panel of columns at a time, which is all that others than the root hold of the whole. */
static em_status pool_and_solve(emi_problem *p, emi_truth *truth, em_error *err)
{
    enum { PANEL = 64 };
    em_status status = EM_OK;
    emi_field parts = {0};
    int root = emi_mesh_has_root(p->mesh), d = p->d, width = d < PANEL ? d : PANEL;
    double *pooled = emi_calloc((size_t)d * (size_t)(root ? d : width), sizeof *pooled);
    if (!pooled) TRY(emi_fail_memory(err, "truth compute"));
    TRY(emi_field_alloc(&parts, p->mesh->hosted, d, width, err));
    for (int first = 0; first < d; first += width) {
        emi_field panel = d - first < width ? emi_columns(&parts, 0, d - first) : parts;
        size_t at = (size_t)first * (size_t)d, size = (size_t)panel.cols * (size_t)d;
        for (int i = 0; i < p->mesh->hosted; i++)
            memcpy(emi_at(&panel, i).v, emi_by_covariance.matrix(&p->C[i]).v + at, size * sizeof(double));
        emi_tree_average_at_root(p->mesh, &panel, root ? pooled + at : pooled);
    }
    TRY(emi_problem_status(p, err));
    if (root) TRY(emi_top_eigen(pooled, d, truth->K, truth->values, truth->vectors, err));
done:
    emi_field_free(&parts);
    emi_free(pooled);
    return status;
}

/* Collective. */
static em_status compute(emi_truth *truth, emi_problem *p, em_error *err)
{
    em_status status = EM_OK;
    const emi_operator_kind *kind = p->C[0].kind;
    int phase = p->mesh->phase;
    p->mesh->phase = EMI_OBSERVING;
    TRY(check_room(p, err));
    TRY(emi_problem_form(p, &emi_by_covariance, err));
    (void)emi_problem_use(p, kind);
    TRY(pool_and_solve(p, truth, err));
    emi_tree_give(p->mesh, truth->vectors, ((size_t)p->d + 1) * (size_t)truth->K);
    TRY(emi_problem_status(p, err));
done:
    p->mesh->phase = phase;
    return status;
}

/* Columns of any length. */
static em_status take(emi_truth *truth, const double *given, int d, em_error *err)
{
    emi_transpose(given, d, truth->K, truth->vectors);
    for (int k = 0; k < truth->K; k++) {
        double *q = truth->vectors + (size_t)k * (size_t)d, norm = emi_norm(d, q);
        if (norm == 0) return emi_fail(err, EM_EINVAL, "truth: column %d is zero; try d x K eigenvectors", k);
        if (fabs(norm - 1) <= d * DBL_EPSILON) continue; /* a unit vector, as another fit gives it, stays as it is */
        for (int n = 0; n < d; n++) q[n] /= norm;
    }
    return EM_OK;
}

em_status emi_truth_find(emi_truth *truth, emi_problem *p, const em_options *options, em_error *err)
{
    if (!options->truth && !options->truth_compute) return EM_OK;
    truth->K = options->variance > 0 ? p->rank : p->K; /* a fraction may take all there are */
    truth->vectors = emi_doubles(((size_t)p->d + 1) * (size_t)truth->K);
    if (!truth->vectors) return emi_fail_memory(err, "truth");
    truth->values = truth->vectors + (size_t)p->d * (size_t)truth->K;
    for (int k = 0; k < truth->K; k++) truth->values[k] = NAN;
    return options->truth ? take(truth, options->truth, p->d, err) : compute(truth, p, err);
}
