/* The end of a job: all nodes agree on one answer, whose true residual decides; it becomes the model. */
#include "base/memory.h"
#include "fit/run.h"
#include "model/certificate.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* ---- one estimate ---------------------------------------------------------------------------------- */

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

/* The entry of largest magnitude is made positive, the first such entry on a tie. */
static void fix_sign(double *x, int d)
{
    int largest = 0;
    for (int n = 1; n < d; n++)
        if (fabs(x[n]) > fabs(x[largest])) largest = n;
    int turn = x[largest] < 0;
    for (int n = 0; turn && n < d; n++) x[n] = -x[n];
}

/* At the root: orthonormal columns, whose signs follow from themselves.  The mean of the nodes' columns is not quite
 * orthonormal: each is made so to those before it, as a little of a large component spoils a small one, not the reverse. */
static void tidy(emi_job *job, emi_block X)
{
    em_error unsaid; /* what comes of it is judged by its residual */
    if (!(job->method->traits & EMI_AT_ROOT))
        (void)emi_orthonormalise(X, EM_QR_POSITIVE, job->solver.scratch[0], &unsaid);
    for (int k = 0; k < X.cols; k++) {
        double *x = emi_column_of(X, k), norm = emi_norm(X.rows, x);
        if (norm > 0) cblas_dscal(X.rows, 1 / norm, x, 1);
        fix_sign(x, X.rows);
    }
}

/* The nodes' mean, or what the root holds; and what there is to say of how the nodes stand to it. */
static void agree_on_estimate(emi_job *job, em_info *info)
{
    emi_solver *s = &job->solver;
    emi_observer *o = &job->observer;
    int at_root = (job->method->traits & EMI_AT_ROOT) != 0, root = emi_mesh_has_root(s->mesh);
    s->mesh->phase = at_root ? EM_REPORT : EMI_OBSERVING;
    if (at_root && root && !emi_mesh_failed(s->mesh)) tidy(job, (emi_block){s->d, s->answer.K, s->answer.X});
    emi_observe_estimate(o);
    s->mesh->phase = EMI_OBSERVING;
    info->consensus = emi_observe_consensus(o);
    info->error = emi_observe_error(o);
    s->mesh->phase = EM_REPORT;
    if (at_root) return;
    align_signs(job);
    emi_field_copy(&s->X, &o->parts);
    emi_tree_average_at_root(s->mesh, &o->parts, o->estimate);
    if (root && !emi_mesh_failed(s->mesh)) tidy(job, (emi_block){s->d, o->K, o->estimate});
    emi_tree_give(s->mesh, o->estimate, (size_t)s->d * (size_t)o->K);
}

/* A method that has seen nothing beyond its K components: is there a larger one that it missed?  Looked for in what is left
 * of C without them, which also tells the gap below the last. */
static em_status search_rest(emi_job *job, em_error *err)
{
    const emi_solver *s = &job->solver;
    emi_answer *answer = &job->solver.answer;
    emi_observer *o = &job->observer;
    em_status status = EM_OK;
    size_t needs = emi_orthonormalise_needs(s->d, o->K);
    double *room = NULL;
    emi_block V = {s->d, o->K, o->product}; /* orthonormal, which the estimate need not be */
    room = emi_doubles(needs);
    if (!room) TRY(emi_fail_memory(err, "certificate"));
    memcpy(V.v, o->estimate, sizeof *V.v * (size_t)s->d * (size_t)o->K);
    TRY(emi_orthonormalise(V, EM_QR_POSITIVE, (emi_scratch){room, needs}, err));
    TRY(emi_problem_top_eigenvalue(job->problem, V, 1e-7, &answer->next, &answer->beyond, err)); /* two may lie close */
done:
    emi_free(room);
    return status;
}

/* Everyone knows whether the root does. */
static em_status find_next(emi_job *job, em_error *err)
{
    emi_answer *answer = &job->solver.answer;
    if (job->observer.K >= job->solver.rank) answer->next = answer->beyond = 0;
    return isnan(answer->next) ? search_rest(job, err) : EM_OK;
}

/* ---- the certificate ------------------------------------------------------------------------------- */

/* What the root finds out and tells: K numbers of each kind, and a few. */
enum { ORDER, THETA, RESIDUAL, ANGLE, CLUSTER, TOGETHER, KINDS };
enum { STATUS, CLOSER, STRICT, OPEN, HAS, LIMITED, UNKNOWN, SHORT_OF, MISSED, REST, WORDS };

typedef struct findings {
    emi_job *job;
    int K, by_rows;  /* products with the rows, where the covariances could not tell */
    emi_field parts; /* (d + 1, K) C_i X, and x_k' C_i x_k                           */
    double *sum;     /* (d + 1, K) of all nodes; at the root                         */
    double *X, *CX;  /* (d, K) in order of falling theta; at the root                */
    double *told;    /* [KINDS][K], then [WORDS]                                     */
} findings;

static double *kind(const findings *f, int which)
{
    return f->told + (size_t)which * (size_t)f->K;
}

static double *word(const findings *f, int which)
{
    return f->told + (size_t)KINDS * (size_t)f->K + (size_t)which;
}

static em_status measure_turn(void *context, int i, int worker, em_error *err)
{
    const findings *f = context;
    const emi_solver *s = &f->job->solver;
    emi_block X = {s->d, f->K, f->job->observer.estimate}, Z = {s->d, f->K, emi_at(&f->parts, i).v};
    if (f->by_rows || !emi_cov_is_dense(&s->C[i])) return emi_cov_measure(&s->C[i], X, Z.v, s->scratch[worker], err);
    em_status status = emi_cov_apply(&s->C[i], X, Z, s->scratch[worker], err);
    for (int k = 0; k < f->K && status == EM_OK; k++)
        Z.v[(size_t)s->d * (size_t)f->K + (size_t)k] = cblas_ddot(s->d, emi_column_of(X, k), 1, emi_column_of(Z, k), 1);
    return status;
}

/* Order of falling theta; ties keep their order. */
static void sort_falling(const double *theta, int K, double *order)
{
    for (int k = 0; k < K; k++) {
        int at = k;
        for (; at > 0 && theta[(int)order[at - 1]] < theta[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

/* At the root. */
static em_status certify(findings *f, em_error *err)
{
    const emi_problem *p = f->job->problem;
    const emi_solver *s = &f->job->solver;
    int d = s->d, K = f->K;
    const double *theta = f->sum + (size_t)d * (size_t)K;
    sort_falling(theta, K, kind(f, ORDER));
    for (int k = 0; k < K; k++) {
        size_t from = (size_t)kind(f, ORDER)[k] * (size_t)d, to = (size_t)k * (size_t)d;
        memcpy(f->X + to, f->job->observer.estimate + from, sizeof *f->X * (size_t)d);
        memcpy(f->CX + to, f->sum + from, sizeof *f->CX * (size_t)d);
        kind(f, THETA)[k] = theta[(int)kind(f, ORDER)[k]];
    }
    emi_evidence evidence = {.X = {d, K, f->X},
                             .CX = {d, K, f->CX},
                             .theta = kind(f, THETA),
                             .next = s->answer.next,
                             .beyond = s->answer.beyond,
                             .variance = p->variance,
                             .rank = s->rank,
                             .tolerance = s->tolerance,
                             .from_formed = s->rounding.formed,
                             .rounding = s->rounding};
    int at_root = (f->job->method->traits & EMI_AT_ROOT) != 0; /* gossip itself loses what covariances lose */
    evidence.final = !s->rounding.formed || (f->job->last && (f->job->method->traits & EMI_NEEDS_DENSE));
    evidence.rounding.formed = !at_root || (!f->by_rows && s->rounding.formed);
    emi_verdict v = {.residual = kind(f, RESIDUAL),
                     .angle = kind(f, ANGLE),
                     .cluster = kind(f, CLUSTER),
                     .together = kind(f, TOGETHER)};
    em_status status = emi_certify(&evidence, &v, err);
    if (status != EM_OK) return status;
    *word(f, OPEN) = v.open, *word(f, HAS) = v.has, *word(f, LIMITED) = v.limited;
    *word(f, UNKNOWN) = v.unknown, *word(f, SHORT_OF) = v.short_of, *word(f, MISSED) = v.missed;
    *word(f, REST) = s->answer.rest;
    *word(f, STRICT) =
        at_root && !s->rounding.formed; /* who worked with the rows has seen that there is nothing left */
    *word(f, CLOSER) = at_root && evidence.rounding.formed &&
                       (v.hidden + v.limited + v.missed > 0 || v.has < (K < s->rank ? K : s->rank));
    return EM_OK;
}

/* One exact sum of the C_i X, and what the root makes of it, for everyone. */
static em_status look(findings *f, em_error *err)
{
    em_mesh *mesh = f->job->problem->mesh;
    double cost = mesh->hosted * emi_cov_apply_cost(&f->job->problem->C[0], f->K);
    emi_mesh_run(mesh, cost, measure_turn, f);
    emi_tree_average_at_root(mesh, &f->parts, f->sum);
    if (emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh)) *word(f, STATUS) = certify(f, err);
    emi_tree_give(mesh, f->told, (size_t)KINDS * (size_t)f->K + WORDS);
    if (emi_mesh_failed(mesh)) return emi_problem_status(f->job->problem, err);
    for (int k = 0; k < f->K; k++)
        if (!(kind(f, ORDER)[k] >= 0 && kind(f, ORDER)[k] < f->K))
            return emi_fail(err, EM_ENET, "fit: what the root says of component %d cannot be; try again", k + 1);
    em_status status = (em_status)(int)*word(f, STATUS);
    if (status != EM_OK && !emi_mesh_has_root(mesh)) /* what fails at the root fails everywhere */
        return emi_fail(err, status, "fit: the answer could not be checked; try another method");
    return status;
}

/* Where covariances say that there is nothing left, do the rows say so too?  What squares of large numbers hide is looked for
 * in what is left of C without the components that have variance. */
static em_status look_past_rank(findings *f, em_error *err)
{
    const emi_problem *p = f->job->problem;
    const emi_solver *s = &f->job->solver;
    int has = (int)*word(f, HAS), most = f->K < s->rank ? f->K : s->rank;
    double value = 0, beyond = 0, left = emi_rounding_most(&s->rounding, p->d, has);
    if (has >= most) return EM_OK;
    double *V = emi_doubles((size_t)p->d * ((size_t)has + 1));
    if (!V) return emi_fail_memory(err, "certificate");
    for (int k = 0; k < has; k++) {
        memcpy(V + (size_t)k * (size_t)p->d, f->job->observer.estimate + (size_t)kind(f, ORDER)[k] * (size_t)p->d,
               sizeof *V * (size_t)p->d);
        left += kind(f, TOGETHER)[k] * kind(f, TOGETHER)[k] * kind(f, THETA)[k]; /* what it is off by */
    }
    int spared = emi_problem_spare(f->job->problem, 1);
    em_status status =
        emi_problem_top_eigenvalue(f->job->problem, (emi_block){p->d, has, V}, 1e-3, &value, &beyond, err);
    (void)emi_problem_spare(f->job->problem, spared);
    emi_free(V);
    if (value > left) *word(f, UNKNOWN) += 1, *word(f, HAS) = most;
    return status;
}

/* The covariances have lost it in rounding; the rows may not have. */
static em_status look_closer(findings *f, em_error *err)
{
    em_status status = EM_OK;
    emi_problem *p = f->job->problem;
    int spared = emi_problem_spare(p, 1);
    f->by_rows = 1;
    if (f->K < f->job->solver.rank) TRY(search_rest(f->job, err));
    TRY(look(f, err));
done:
    (void)emi_problem_spare(p, spared);
    return status;
}

static em_status open_findings(findings *f, emi_job *job, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)job->problem->d, K = (size_t)job->observer.K;
    *f = (findings){.job = job, .K = job->observer.K};
    TRY(emi_field_alloc(&f->parts, job->problem->mesh->hosted, job->problem->d + 1, f->K, err));
    f->sum = emi_doubles((3 * d + 1) * K);
    f->told = emi_calloc(KINDS * K + WORDS, sizeof *f->told);
    if (!f->sum || !f->told) TRY(emi_fail_memory(err, "certificate"));
    f->X = f->sum + (d + 1) * K;
    f->CX = f->X + d * K;
done:
    return status;
}

static void close_findings(findings *f)
{
    emi_field_free(&f->parts);
    emi_free(f->told);
    emi_free(f->sum);
}

/* ---- the model --------------------------------------------------------------------------------------- */

static void fill_component(const findings *f, em_model *model, int k)
{
    const emi_problem *p = f->job->problem;
    const emi_observer *o = &f->job->observer;
    int from = (int)kind(f, ORDER)[k];
    double theta = k < (int)*word(f, HAS) ? fmax(0, kind(f, THETA)[k]) : 0;
    memcpy(model->components + (size_t)k * (size_t)p->d, o->estimate + (size_t)from * (size_t)p->d,
           sizeof *model->components * (size_t)p->d);
    model->explained_variance[k] = emi_problem_variance_of(p, theta);
    model->explained_variance_ratio[k] = theta / p->variance;
    model->singular_values[k] = emi_problem_singular_value_of(p, theta);
    model->residuals[k] =
        k < (int)*word(f, HAS) ? kind(f, RESIDUAL)[k] : 0; /* past the rank there is nothing to find */
    model->angle_bounds[k] = kind(f, ANGLE)[k];
    model->subspace_bounds[k] = kind(f, TOGETHER)[k];
    model->cluster[k] = (int64_t)kind(f, CLUSTER)[k];
    if (f->job->truth->vectors) {
        model->component_error[k] = o->error[from];
        model->exact_variance[k] = k < f->job->truth->K ? emi_problem_variance_of(p, f->job->truth->values[k]) : NAN;
    }
}

static void fill_noise(const findings *f, em_model *model)
{
    const emi_problem *p = f->job->problem;
    double left = fmin((double)p->N, p->d) - f->K, rest = p->variance;
    for (int k = 0; k < (int)*word(f, HAS); k++) rest -= kind(f, THETA)[k];
    if (!isnan(*word(f, REST))) rest = *word(f, REST); /* a difference may have lost its digits */
    model->noise_variance = left > 0 ? emi_problem_variance_of(p, fmax(0, rest / left)) : 0;
}

static void fill_info(const emi_job *job, em_info *info)
{
    const emi_problem *p = job->problem;
    const em_mesh *mesh = p->mesh;
    (void)snprintf(info->method, sizeof info->method, "%s", job->method->info.name);
    (void)snprintf(info->operator_name, sizeof info->operator_name, "%s",
                   emi_cov_is_dense(&p->C[0]) ? "dense" : "implicit");
    info->iterations = job->solver.iteration;
    info->step = job->alpha;
    info->tolerance = job->options->tolerance;
    info->change = job->driver.stopping.change;
    info->nodes = mesh->graph->nodes;
    info->threads = emi_pool_size(mesh->pool);
    info->samples = p->N;
    info->features = p->d;
    info->components = job->observer.K;
    info->seed = job->options->seed;
    info->constant_features = p->constant_features;
    info->missing_values = p->missing;
    info->seconds_setup = p->seconds + (emi_cov_is_dense(&p->C[0]) ? p->seconds_forming : 0) + job->seconds_setup;
    info->seconds = job->seconds_before + job->driver.seconds;
    info->seconds_sending = job->seconds_sending;
    info->seconds_waiting = job->seconds_waiting;
    for (int phase = 0; phase < EM_PHASES; phase++) {
        const emi_count *sent = &mesh->count[phase];
        info->traffic[phase] = (em_traffic){.rounds = sent->rounds,
                                            .messages = sent->messages,
                                            .bytes = sent->scalars * sizeof(double),
                                            .units = emi_units(mesh, p->d, info->components, sent->scalars)};
    }
}

/* The true residual decides, whatever the method believed. */
static em_reason verdict(const findings *f)
{
    const emi_job *job = f->job;
    em_reason ended = job->driver.reason;
    if (ended == EM_STOPPED_DIVERGED || ended == EM_STOPPED_USER || job->options->tolerance == 0) return ended;
    int at_root = (job->method->traits & EMI_AT_ROOT) != 0; /* such a method misses only what it cannot see */
    if (*word(f, MISSED) != 0 && ended == EM_CONVERGED) return at_root ? EM_STOPPED_ROUNDING : EM_STOPPED_MISSED;
    int rounding = *word(f, UNKNOWN) > 0 || *word(f, HAS) == 0; /* there is variance in all: it must be somewhere */
    if (*word(f, SHORT_OF) == 0) return rounding ? EM_STOPPED_ROUNDING : EM_CONVERGED;
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
        model->trace[r].units = emi_units(p->mesh, p->d, model->K, model->trace[r].bytes / sizeof(double));
}

static em_status fill(const findings *f, double consensus, double error, em_model **out, em_error *err)
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
    model->info.consensus = consensus;
    model->info.error = error;
    model->info.open_cluster = *word(f, OPEN) != 0;
    model->info.rank = (int)*word(f, HAS);
    model->info.limited = (int)*word(f, LIMITED);
    model->info.reason = verdict(f);
    emi_model_derive(model);
    move_trace(f->job, model);
    *out = model;
    return EM_OK;
}

em_status emi_job_report(emi_job *job, em_model **out, em_error *err)
{
    em_status status = EM_OK;
    findings f = {0};
    em_info nodes = {0};
    agree_on_estimate(job, &nodes);
    TRY(emi_problem_status(job->problem, err));
    TRY(find_next(job, err));
    TRY(open_findings(&f, job, err));
    TRY(look(&f, err));
    if (*word(&f, CLOSER) != 0) TRY(look_closer(&f, err));
    if (*word(&f, STRICT) == 0) TRY(look_past_rank(&f, err));
    TRY(fill(&f, nodes.consensus, nodes.error, out, err));
done:
    close_findings(&f);
    return status;
}
