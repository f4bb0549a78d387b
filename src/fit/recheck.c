#include "fit/recheck.h"

#include "mesh/masking.h"

#include <math.h>

/* The length of C x - theta x, over theta, as the certificate has it. */
static double residual_of(const double *x, const double *Cx, int d, double theta, double first)
{
    double square = 0;
    for (int n = 0; n < d; n++) square += (Cx[n] - theta * x[n]) * (Cx[n] - theta * x[n]);
    return sqrt(square) / (theta > 0 ? theta : first);
}

/* The same but for how this machine rounds. */
static int agree(double told, double found, double scale)
{
    static const double digits = 1e-6, rounding = 1e-12;
    return fabs(told - found) <= digits * fmax(fabs(told), fabs(found)) + rounding * scale;
}

static em_status refuse(int k, const char *what, em_error *err)
{
    return emi_fail(err, EM_ENET,
                    "fit: what the root says of component %d, %s, does not follow from the sums; try again", k + 1,
                    what);
}

static em_status check_component(const emi_findings *f, int k, em_error *err)
{
    size_t d = (size_t)f->job->problem->d, from = (size_t)f->order[k];
    const double *x = f->job->observer.estimate + from * d, *Cx = f->sum + from * d,
                 summed = f->sum[d * (size_t)f->K + from];
    double theta = f->theta[k], first = f->theta[0];
    if (!agree(theta, summed, first)) return refuse(k, "its variance", err);
    if (k > 0 && !(theta <= f->theta[k - 1])) return refuse(k, "its place", err);
    double residual = residual_of(x, Cx, (int)d, theta, first);
    if (!agree(f->verdict.residual[k], residual, theta > 0 ? first / theta : 1)) return refuse(k, "its residual", err);
    return EM_OK;
}

/* Each component has one place; look() has seen that these are within bounds. */
static em_status check_order(const emi_findings *f, em_error *err)
{
    for (int k = 0; k < f->K; k++) {
        int wrong = f->order[k] != floor(f->order[k]);
        for (int j = 0; j < k; j++) wrong |= f->order[j] == f->order[k];
        if (wrong) return refuse(k, "its place", err);
    }
    return EM_OK;
}

em_status emi_recheck(emi_findings *f, em_error *err)
{
    em_mesh *mesh = f->job->problem->mesh;
    if (!emi_mesh_is_masked(mesh)) return EM_OK;
    emi_tree_give(mesh, f->sum, ((size_t)f->job->problem->d + 1) * (size_t)f->K);
    em_status status = emi_problem_status(f->job->problem, err);
    if (status == EM_OK) status = check_order(f, err);
    for (int k = 0; k < f->K && status == EM_OK; k++) status = check_component(f, k, err);
    return status;
}
