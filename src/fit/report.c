/* Report: what a job found becomes the model. */
#include "fit/certify.h"
#include "fit/rest.h"

#include <math.h>
#include <string.h>

static void fill_component(const emi_findings *f, em_model *model, int k)
{
    const emi_problem *p = f->job->problem;
    const emi_observer *o = &f->job->observer;
    int from = (int)f->order[k];
    double theta = k < (int)f->says->n.has ? fmax(0, f->theta[k]) : 0;
    memcpy(model->components + (size_t)k * (size_t)p->d, o->estimate + (size_t)from * (size_t)p->d,
           sizeof *model->components * (size_t)p->d);
    for (int j = 0; p->scaling == EMI_SCALE_BINOMIAL && j < p->d; j++) /* a variant that does not vary is left out */
        if (p->deviation[j] == 0) model->components[(size_t)k * (size_t)p->d + (size_t)j] = 0;
    model->explained_variance[k] = emi_problem_variance_of(p, theta);
    model->explained_variance_ratio[k] = theta / p->variance;
    model->singular_values[k] = emi_problem_singular_value_of(p, theta);
    model->residuals[k] =
        k < (int)f->says->n.has ? f->verdict.residual[k] : 0; /* past the rank there is nothing to find */
    model->angle_bounds[k] = f->verdict.angle[k];
    model->subspace_bounds[k] = f->verdict.together[k];
    model->cluster[k] = (int64_t)f->verdict.cluster[k];
    if (f->job->truth->vectors) {
        model->component_error[k] = o->error[from];
        model->exact_variance[k] = k < f->job->truth->K ? emi_problem_variance_of(p, f->job->truth->values[k]) : NAN;
    }
}

static void fill_noise(const emi_findings *f, em_model *model)
{
    const emi_problem *p = f->job->problem;
    double left = fmin((double)p->N, p->d) - f->K, rest = p->variance;
    for (int k = 0; k < (int)f->says->n.has; k++) rest -= f->theta[k];
    if (!isnan(f->says->rest)) rest = f->says->rest; /* a difference may have lost its digits */
    model->noise_variance = left > 0 ? emi_problem_variance_of(p, fmax(0, rest / left)) : 0;
}

const char *emi_scale_name(emi_scale scale)
{
    static const char *const names[] = {[EMI_SCALE_AUTO] = "auto",
                                        [EMI_SCALE_NONE] = "none",
                                        [EMI_SCALE_STD] = "std",
                                        [EMI_SCALE_SPECTRAL] = "spectral",
                                        [EMI_SCALE_BINOMIAL] = "binomial"};
    return names[scale];
}

static void tell_device(const emi_job *job, em_info *info)
{
    const emi_solver *s = &job->solver;
    long steps = s->steps_there;
    (void)snprintf(info->device, sizeof info->device, "%s",
                   emi_device_tell(job->problem, info->device_why, sizeof info->device_why));
    size_t told = strlen(info->device_why);
    if (steps > 0)
        (void)snprintf(info->device_why + told, sizeof info->device_why - told,
                       "; %ld step%s taken there%s before the first iteration", steps, steps == 1 ? "" : "s",
                       s->then_double ? " in single precision" : "");
}

static void fill_info(const emi_job *job, em_info *info)
{
    const emi_problem *p = job->problem;
    const em_mesh *mesh = p->mesh;
    (void)snprintf(info->method, sizeof info->method, "%s", job->method->info.name);
    (void)snprintf(info->operator_name, sizeof info->operator_name, "%s", p->C[0].kind->name);
    (void)snprintf(info->precision, sizeof info->precision, "%s", emi_real_name(p->C[0].real));
    tell_device(job, info);
    info->wire_bits = job->solver.narrow_wire ? 32 : 64;
    info->iterations = job->solver.iteration;
    info->step = job->alpha;
    info->tolerance = job->options->tolerance;
    info->change = job->driver.stopping.change;
    info->nodes = mesh->graph->nodes;
    info->threads = emi_pool_size(mesh->pool);
    info->samples = p->N;
    info->weight = p->weight;
    info->sketch_bound = emi_problem_sketch_bound(p);
    info->features = p->d;
    info->components = job->observer.K;
    info->seed = job->options->seed;
    info->constant_features = p->constant_features;
    (void)snprintf(info->scale, sizeof info->scale, "%s", emi_scale_name(p->scaling));
    info->missing_values = p->missing;
    info->seconds_setup = p->seconds + (p->C[0].kind->form ? p->seconds_forming : 0) + job->seconds_setup;
    info->seconds = job->seconds_before + job->driver.seconds;
    info->seconds_sending = job->seconds_sending;
    info->seconds_waiting = job->seconds_waiting;
    for (int phase = 0; phase < EM_PHASES; phase++) {
        const emi_count *sent = &mesh->count[phase];
        info->traffic[phase] = (em_traffic){.rounds = sent->rounds,
                                            .messages = sent->messages,
                                            .bytes = sent->bytes,
                                            .units = emi_units(mesh, p->d, info->components, (double)sent->scalars)};
    }
}

/* The true residual decides, whatever the method believed. */
static em_reason verdict(const emi_findings *f)
{
    const emi_job *job = f->job;
    em_reason ended = job->driver.reason;
    if (ended == EM_STOPPED_DIVERGED || ended == EM_STOPPED_USER || job->options->tolerance == 0) return ended;
    int at_root = (job->method->traits & EMI_AT_ROOT) != 0; /* such a method misses only what it cannot see */
    if (f->says->n.missed != 0 && ended == EM_CONVERGED) return at_root ? EM_STOPPED_ROUNDING : EM_STOPPED_MISSED;
    int rounding = f->says->n.unknown > 0 || f->says->n.has == 0; /* there is variance in all: it must be somewhere */
    if (f->says->n.short_of == 0) return rounding ? EM_STOPPED_ROUNDING : EM_CONVERGED;
    if (ended != EM_CONVERGED) return ended;
    return job->method->info.residual ? EM_STOPPED_SHORT : EM_SETTLED;
}

/* The trace moves into the model.  A unit is a matrix of the components that there are in the end. */
static void move_trace(emi_job *job, em_model *model)
{
    const emi_problem *p = job->problem;
    model->trace = job->driver.trace.rows;
    model->trace_rows = job->driver.trace.count;
    job->driver.trace.rows = NULL;
    for (size_t r = 0; r < model->trace_rows; r++)
        model->trace[r].units = emi_units(p->mesh, p->d, model->K, model->trace[r].units);
}

static void fill_rest(const emi_rest *rest, em_model *model)
{
    model->rest_squares = rest->squares;
    model->rest_cubes = rest->cubes;
    model->rest_squares_error = rest->squares_error;
    model->rest_cubes_error = rest->cubes_error;
}

static em_status fill(const emi_findings *f, double consensus, double error, em_model **out, em_error *err)
{
    const emi_problem *p = f->job->problem;
    em_model *model = NULL;
    em_status status = emi_model_new(&model, f->K, p->d, p->N, err);
    if (status != EM_OK) return status;
    model->has_truth = f->job->truth->vectors != NULL;
    for (int k = 0; k < f->K; k++) fill_component(f, model, k);
    memcpy(model->mean, p->mean, sizeof *p->mean * (size_t)p->d);
    memcpy(model->scale, p->scale, sizeof *p->scale * (size_t)p->d);
    fill_noise(f, model);
    fill_info(f->job, &model->info);
    model->info.estimated = f->estimated;
    model->info.consensus = consensus;
    model->info.error = error;
    model->info.open_cluster = f->says->n.open != 0;
    model->info.rank = (int)f->says->n.has;
    model->info.limited = (int)f->says->n.limited;
    model->info.reason = verdict(f);
    model->info.held = model->info.reason == EM_CONVERGED && f->job->method == &emi_krylov && f->job->previous->K > 0 &&
                       model->info.iterations == 1;
    emi_model_derive(model);
    move_trace(f->job, model);
    status = emi_last_measure(f->job->previous, model, err);
    if (status != EM_OK) em_model_free(&model);
    *out = model;
    return status;
}

/* What was found in single precision is judged by the rows, in double. */
static em_status certify(emi_findings *f, emi_job *job, em_info *nodes, em_error *err)
{
    emi_problem *p = job->problem;
    job->solver.rounding.single = 0;
    if (p->C[0].real == EMI_DOUBLE) return emi_certify_job(f, job, nodes, err);
    const emi_operator_kind *kind = emi_problem_use(p, p->rows);
    for (int i = 0; i < p->mesh->hosted; i++) p->C[i].real = EMI_DOUBLE;
    job->found_in_single = 1;
    job->solver.rounding.formed = 1; /* as where a covariance has lost digits that the rows have */
    em_status status = emi_certify_job(f, job, nodes, err);
    for (int i = 0; i < p->mesh->hosted; i++) p->C[i].real = EMI_SINGLE;
    (void)emi_problem_use(p, kind);
    return status;
}

em_status emi_job_report(emi_job *job, em_model **out, em_error *err)
{
    em_info nodes = {0};
    emi_findings f = {0};
    emi_rest rest;
    em_status status = certify(&f, job, &nodes, err);
    if (status == EM_OK) status = emi_rest_find(&rest, &f, err);
    if (status == EM_OK) status = fill(&f, nodes.consensus, nodes.error, out, err);
    if (status == EM_OK) fill_rest(&rest, *out);
    emi_findings_free(&f);
    return status;
}
