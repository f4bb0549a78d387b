/* The end of a job: all nodes agree on one answer, which becomes the model. */
#include "base/memory.h"
#include "fit/job.h"

#include <math.h>
#include <string.h>

/* Turn each node's columns to the side of node 0's: with free signs they may have come to differ, and the mean
 * of opposite vectors means nothing. */
static void align_signs(emi_job *job)
{
    emi_solver *s = &job->solver;
    double *reference = job->observer.product;
    memcpy(reference, emi_at(&s->X, 0).v, sizeof *reference * (size_t)s->d * (size_t)s->K);
    emi_tree_give(s->mesh, reference, (size_t)s->d * (size_t)s->K);
    for (int i = 0; i < s->mesh->hosted; i++)
        for (int k = 0; k < s->K; k++) {
            double *x = emi_column_of(emi_at(&s->X, i), k), dot = 0;
            for (int n = 0; n < s->d; n++) dot += x[n] * reference[(size_t)k * (size_t)s->d + (size_t)n];
            for (int n = 0; dot < 0 && n < s->d; n++) x[n] = -x[n];
        }
}

/* Where eigenvalues are alike, the nodes' Ritz vectors differ by a rotation, and their mean is not orthonormal. */
static em_status orthonormalise_ritz(emi_job *job, em_error *err)
{
    emi_solver *s = &job->solver;
    if (!s->ritz || !(job->method->uses & EMI_USES_RITZ) || emi_mesh_failed(s->mesh)) return EM_OK;
    return emi_polar((emi_block){s->d, s->K, job->observer.estimate}, s->scratch[0], err);
}

/* Order of falling theta; ties keep their order. */
static void sort_falling(const double *theta, int K, int *order)
{
    for (int k = 0; k < K; k++) {
        int at = k;
        for (; at > 0 && theta[order[at - 1]] < theta[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

/* The entry of largest magnitude is made positive, the first such entry on a tie. */
static void fix_sign(double *x, int d)
{
    int largest = 0;
    for (int n = 1; n < d; n++)
        if (fabs(x[n]) > fabs(x[largest])) largest = n;
    int turn = x[largest] < 0;
    for (int n = 0; turn && n < d; n++) x[n] = -x[n];
}

static void fill_component(const emi_job *job, em_model *model, int to, int from)
{
    const emi_problem *p = job->problem;
    const emi_observer *o = &job->observer;
    double *x = model->components + (size_t)to * (size_t)p->d;
    memcpy(x, o->estimate + (size_t)from * (size_t)p->d, sizeof *x * (size_t)p->d);
    fix_sign(x, p->d);
    model->explained_variance[to] = emi_problem_variance_of(p, o->theta[from]);
    model->explained_variance_ratio[to] = o->theta[from] / p->variance;
    model->singular_values[to] = emi_problem_singular_value_of(p, o->theta[from]);
    model->residuals[to] = o->residual[from];
    if (job->truth->vectors) {
        model->component_error[to] = o->error[from];
        model->exact_variance[to] = emi_problem_variance_of(p, job->truth->values[to]);
    }
}

static void fill_noise(const emi_job *job, em_model *model)
{
    const emi_problem *p = job->problem;
    double left = fmin((double)p->N, p->d) - p->K, rest = emi_problem_variance_of(p, p->variance);
    for (int k = 0; k < p->K; k++) rest -= model->explained_variance[k];
    if (!isnan(job->solver.rest))
        rest = emi_problem_variance_of(p, job->solver.rest); /* a difference may have lost its digits */
    model->noise_variance = left > 0 ? fmax(0, rest / left) : 0;
}

static void fill_info(const emi_job *job, em_info *info)
{
    const emi_problem *p = job->problem;
    const em_mesh *mesh = p->mesh;
    (void)snprintf(info->method, sizeof info->method, "%s", job->method->info.name);
    (void)snprintf(info->operator_name, sizeof info->operator_name, "%s",
                   emi_cov_is_dense(&p->C[0]) ? "dense" : "implicit");
    info->reason = job->around.reason;
    info->iterations = job->around.iteration;
    info->step = job->alpha;
    info->tolerance = job->options->tolerance;
    info->change = job->around.change;
    info->nodes = mesh->graph->nodes;
    info->threads = emi_pool_size(mesh->pool);
    info->samples = p->N;
    info->features = p->d;
    info->components = p->K;
    info->seed = job->options->seed;
    info->constant_features = p->constant_features;
    info->seconds_setup = p->seconds + (emi_cov_is_dense(&p->C[0]) ? p->seconds_forming : 0) + job->seconds_setup;
    info->seconds = job->around.seconds;
    info->seconds_sending = job->seconds_sending;
    info->seconds_waiting = job->seconds_waiting;
    for (int phase = 0; phase < EM_PHASES; phase++) {
        const emi_count *sent = &mesh->count[phase];
        info->traffic[phase] = (em_traffic){.rounds = sent->rounds,
                                            .messages = sent->messages,
                                            .bytes = sent->scalars * sizeof(double),
                                            .units = emi_units(mesh, p->d, p->K, sent->scalars)};
    }
}

/* Is the next eigenvalue, where it is known, like the last one that was asked for? */
static int is_open(const emi_job *job, const em_model *model)
{
    const double *variance = model->explained_variance;
    double next = emi_problem_variance_of(job->problem, job->solver.next_value);
    return variance[model->K - 1] - next <= EMI_ALIKE * fabs(variance[0]); /* false for a NaN */
}

/* The tolerance of a method that knows its residual is a promise about the true one, which is known only now; below
 * what rounding leaves, no method can go. */
static int keeps_promise(const emi_job *job, const em_info *info)
{
    static const double rounding = 1e-14;
    if (!job->method->info.residual || info->tolerance == 0) return 1;
    return info->worst_residual <= fmax(info->tolerance, rounding);
}

em_status emi_job_report(emi_job *job, em_model **out, em_error *err)
{
    em_status status = EM_OK;
    em_model *model = NULL;
    emi_problem *p = job->problem;
    emi_observer *o = &job->observer;
    int *order = emi_malloc(sizeof *order * (size_t)p->K);
    if (!order) TRY(emi_fail_memory(err, "model"));
    TRY(emi_model_new(&model, p->K, p->d, p->N, err));

    p->mesh->phase = EMI_OBSERVING;
    emi_observe_estimate(o);
    model->info.consensus = emi_observe_consensus(o);
    model->info.error = emi_observe_error(o);
    p->mesh->phase = EM_REPORT;
    align_signs(job);
    emi_observe_estimate(o);
    TRY(orthonormalise_ritz(job, err));
    (void)emi_observe_residual(o);
    if (emi_mesh_failed(p->mesh)) {
        if (err) *err = p->mesh->failure;
        TRY(p->mesh->failure.code);
    }
    sort_falling(o->theta, p->K, order);
    model->has_truth = job->truth->vectors != NULL;
    for (int k = 0; k < p->K; k++) fill_component(job, model, k, order[k]);
    memcpy(model->mean, p->mean, sizeof *p->mean * (size_t)p->d);
    memcpy(model->scale, p->scale, sizeof *p->scale * (size_t)p->d);
    fill_noise(job, model);
    fill_info(job, &model->info);
    emi_model_derive(model);
    model->info.open_cluster = is_open(job, model);
    if (model->info.reason == EM_CONVERGED && !keeps_promise(job, &model->info)) model->info.reason = EM_STOPPED_SHORT;
    model->trace = job->around.rows; /* moves into the model */
    model->trace_rows = job->around.row_count;
    job->around.rows = NULL;
    *out = model;
    model = NULL;
done:
    em_model_free(&model);
    emi_free(order);
    return status;
}
