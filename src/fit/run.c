/* Run: the solver is set up, tuned and started; one method runs, or those of the plan in turn, and each is reported. */
#include "fit/run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "fit/outside.h"
#include "mesh/masking.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The automatic step.  Around a solution, the update along an estimate itself has the eigenvalues of
 * W - 2 alpha diag_i(lambda(C_i)), which lie above -1, so that nothing oscillates, when
 * 2 alpha max_i lambda_1(C_i) < 1 + lambda_min(W).  A tenth of that is kept in reserve; beyond
 * alpha = 0.5 / max_i lambda_1(C_i) nothing is gained. */
static double automatic_step(const emi_job *job, double largest)
{
    double factor = job->method->step_factor ? job->method->step_factor(&job->network) : 1;
    return factor * fmin(0.5, 0.45 * (1 + job->network.lowest)) / largest;
}

/* What the method needs to be told: the step, how the network mixes, how much the nodes' data differs. */
static em_status tune(emi_job *job, em_error *err)
{
    em_status status = EM_OK;
    emi_network *network = &job->network;
    int stepping = job->method->uses & EMI_USES_STEP && job->options->step == 0;
    int measuring = job->method->traits & EMI_NEEDS_NETWORK && (stepping || job->method->rounds_for);
    double largest = 0, mean = 0, beyond = 0;
    job->alpha = job->method->uses & EMI_USES_STEP ? job->options->step : NAN;
    if (!stepping && !measuring) return EM_OK;
    TRY(emi_mesh_spectrum(job->problem->mesh, &network->lowest, &network->beta, err));
    TRY(emi_problem_max_eigenvalue(job->problem, &largest, err));
    if (measuring) TRY(emi_problem_top_eigenvalue(job->problem, (emi_block){0}, 1e-3, &mean, &beyond, err));
    network->spread = mean > 0 ? fmax(1, largest / mean) : 1;
    if (stepping) job->alpha = automatic_step(job, largest);
done:
    return status;
}

/* A run that resumes goes on with what it was told when it began; at the root there is nothing to tune. */
static em_status tune_or_remember(emi_job *job, em_error *err)
{
    if (!job->checkpoint) return tune(job, err);
    emi_label *label = &job->checkpoint->label;
    if (emi_checkpoint_resumes(job->checkpoint) && !label->course.at_root) {
        job->alpha = label->alpha;
        job->network = label->network;
        return EM_OK;
    }
    em_status status = tune(job, err);
    (void)snprintf(label->course.method, sizeof label->course.method, "%s", job->method->info.name);
    label->alpha = job->alpha;
    label->network = job->network;
    return status;
}

/* Row-major d x K to column-major. */
void emi_transpose(const double *from, int d, int K, double *to)
{
    for (int k = 0; k < K; k++)
        for (int n = 0; n < d; n++) to[(size_t)k * (size_t)d + (size_t)n] = from[(size_t)n * (size_t)K + (size_t)k];
}

/* Columns of the identity, for methods that do not start from anything; where errors are traced, all start alike. */
static void start_anywhere(emi_block X)
{
    memset(X.v, 0, sizeof *X.v * (size_t)X.rows * (size_t)X.cols);
    for (int k = 0; k < X.cols; k++) emi_column_of(X, k)[k] = 1;
}

/* Columns of the start that are somebody's answer: those after them are random. */
static int given_columns(const emi_job *job)
{
    int K = job->problem->K;
    if (job->found || job->options->init) return K;
    return job->previous->K < K ? job->previous->K : K;
}

/* Orthonormal columns that follow from the seed, after those of the last answer, if any. */
static em_status start_at_random(const emi_job *job, emi_block X, em_error *err)
{
    emi_random random = emi_random_seed(job->options->seed, EMI_STREAM_INIT);
    emi_random_normals(&random, X.v, (size_t)X.rows * (size_t)X.cols);
    if (job->previous->K > 0) memcpy(X.v, job->previous->V, sizeof *X.v * (size_t)X.rows * (size_t)given_columns(job));
    return emi_orthonormalise(X, EMI_QR_POSITIVE, job->solver.scratch[0], err);
}

/* krylov on one node whose rows are on a GPU takes all steps but the last there, from a start of its own. */
static int leads(const emi_job *job)
{
    const emi_problem *p = job->problem;
    return job->method == &emi_krylov && p->mesh->graph->nodes == 1 && p->C[0].gpu && p->C[0].kind->lead &&
           given_columns(job) == 0 && job->options->variance == 0 && job->options->tolerance > 0;
}

static int is_resumable(const emi_job *job)
{
    return job->options->checkpoint != NULL;
}

/* Not where that is slow; and a run that may be resumed goes on as it began. */
static int then_double(const emi_job *job)
{
    const emi_problem *p = job->problem;
    return leads(job) && p->C[0].real == EMI_SINGLE && job->options->precision == EMI_PRECISION_AUTO &&
           !is_resumable(job) && emi_gpu_is_quick_in_double(p->device.gpu);
}

/* Where it begins among the rows, and nobody looks at what was before it. */
static int needs_no_start(const emi_job *job)
{
    return job->solver.leads && !job->solver.resumable && job->options->trace == EMI_TRACE_NONE;
}

/* Every node starts from the same block: what was found in single precision, the user's, the last answer, or random columns. */
static em_status start(emi_job *job, em_error *err)
{
    emi_solver *s = &job->solver;
    emi_block X = emi_at(&s->X, 0);
    size_t size = (size_t)s->d * (size_t)s->K;
    if (needs_no_start(job)) return EM_OK;
    if (job->found) {
        memcpy(X.v, job->found->components, size * sizeof *X.v);
    } else if (job->options->init) {
        emi_transpose(job->options->init, s->d, s->K, X.v);
    } else if ((job->method->traits & EMI_NEEDS_MATRIX || s->leads) && !job->truth->vectors) {
        start_anywhere(X);
    } else {
        em_status status = start_at_random(job, X, err);
        if (status != EM_OK) return status;
    }
    for (int k = 0; k < s->K; k++)
        if (emi_norm(s->d, emi_column_of(X, k)) == 0)
            return emi_fail(err, EM_EINVAL, "init: column %d is zero; try another start", k);
    for (int i = 1; i < s->mesh->hosted; i++) memcpy(emi_at(&s->X, i).v, X.v, size * sizeof(double));
    if (emi_mesh_has_root(s->mesh)) emi_keep_answer(s, X.v, NULL, s->K);
    return emi_problem_status(job->problem, err);
}

static em_status open_solver(emi_job *job, em_error *err)
{
    em_status status = EM_OK;
    const emi_problem *p = job->problem;
    emi_solver *s = &job->solver;
    double most = job->options->max_seconds; /* that all methods tried in turn have */
    *s = (emi_solver){.d = p->d,
                      .K = p->K,
                      .mesh = p->mesh,
                      .C = p->C,
                      .scratch = p->scratch,
                      .network = job->network,
                      .qr_signs = job->options->qr_signs,
                      .ritz = job->options->rayleigh_ritz,
                      .oversample = emi_problem_block(p, job->options, p->C[0].real) - p->K,
                      .narrow = emi_problem_narrow(p, p->C[0].real),
                      .lean = p->compact,
                      .given = given_columns(job),
                      .doubted = given_columns(job) > 0 && !job->found,
                      .leads = leads(job),
                      .resumable = is_resumable(job),
                      .then_double = then_double(job),
                      .most_outside = INFINITY,
                      .seed = job->options->seed,
                      .tolerance = job->options->tolerance,
                      .fraction = job->options->variance,
                      .variance = p->variance,
                      .rank = p->rank,
                      .rounding = emi_problem_rounding(p),
                      .narrow_wire = job->narrow_wire && job->method->uses & EMI_USES_WIRE,
                      .knows_residual = job->method->info.residual,
                      .uses = job->method->uses,
                      .traits = job->method->traits,
                      .answer = {.next = NAN, .beyond = NAN, .rest = NAN, .squares = NAN, .cubes = NAN},
                      .limits = job->options->limits,
                      .iteration_limit = emi_iteration_limit(job->method, job->options, p->K)};
    if (s->narrow_wire) s->rounding.single = 1;
    if (s->doubted) s->narrow = s->d; /* what is beside the answer goes on with it, or nothing tells what it hides */
    s->rounds = job->options->consensus_rounds;
    if (s->rounds == 0) s->rounds = job->method->rounds_for ? job->method->rounds_for(s) : job->method->rounds;
    if (!needs_no_start(job)) TRY(emi_field_alloc(&s->X, p->mesh->hosted, p->d, p->K, err));
    if (!(s->traits & EMI_AT_ROOT)) {
        TRY(emi_field_alloc(&s->H, p->mesh->hosted, p->d, p->K, err));
        TRY(emi_field_alloc(&s->mixed, p->mesh->hosted, p->d, p->K, err));
    }
    for (int n = 0; n < job->method->extra_fields; n++)
        TRY(emi_field_alloc(&s->extra[n], p->mesh->hosted, p->d, p->K, err));
    TRY(emi_field_alloc(&s->residual, p->mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&s->theta, p->mesh->hosted, p->K, 1, err));
    TRY(emi_observer_open(&job->observer, s, job->truth, err));
    job->driver = (emi_driver){.step = {job->alpha, job->options->step_decay, job->options->step_power},
                               .monitor = job->options->monitor,
                               .monitor_user = job->options->monitor_user,
                               .max_seconds = most > 0 ? fmax(most - job->seconds_before, DBL_MIN) : 0,
                               .between = emi_checkpoint_between(job->checkpoint, (s->traits & EMI_AT_ROOT) != 0),
                               .trace = {.kind = job->options->trace}};
    TRY(emi_driver_open(&job->driver, s, &job->observer, err));
    TRY(start(job, err));
done:
    return status;
}

/* May the last answer hold as it is, so that a bound on all others saves averages?  Not where so many rows are new that it is as
 * good as certain to have turned; not where own rows are nobody's business. */
static int may_hold(const emi_job *job)
{
    static const double share = 100; /* of the tolerance, in rows that are new: a turn is smaller than their share */
    const emi_problem *p = job->problem;
    if (job->method != &emi_krylov || job->found || job->options->init || job->previous->K < p->K) return 0;
    if (p->mesh->graph->nodes == 1 || emi_mesh_is_masked(p->mesh) || emi_checkpoint_resumes(job->checkpoint)) return 0;
    double N = (double)p->N, before = (double)job->options->last->N;
    return fabs(N - before) <= share * job->options->tolerance * N;
}

static em_status run_method(emi_job *job, em_error *err)
{
    em_status status = EM_OK;
    em_mesh *mesh = job->problem->mesh;
    mesh->phase = EM_SETUP;
    int needs_matrix = job->method->traits & EMI_NEEDS_MATRIX;
    TRY(emi_problem_form(job->problem, needs_matrix ? job->matrix : job->problem->C[0].kind, err));
    double began = emi_seconds();
    TRY(tune_or_remember(job, err));
    TRY(open_solver(job, err));
    if (may_hold(job))
        TRY(emi_problem_outside(job->problem, (emi_block){job->problem->d, job->problem->K, job->previous->V},
                                job->options->seed, &job->solver.most_outside, err));
    job->seconds_setup = emi_seconds() - began;
    mesh->phase = EM_METHOD;
    mesh->seconds_sending = mesh->seconds_waiting = 0;
    status = job->method->run(&job->solver);
    job->seconds_sending = mesh->seconds_sending;
    job->seconds_waiting = mesh->seconds_waiting;
    if (status != EM_OK && err) *err = mesh->failure;
done:
    return status;
}

static void close_solver(emi_job *job)
{
    emi_solver *s = &job->solver;
    emi_field *fields[] = {&s->X, &s->H, &s->mixed, &s->residual, &s->theta};
    emi_driver_close(&job->driver);
    emi_observer_close(&job->observer);
    emi_free(s->answer.X);
    for (int n = 0; n < EMI_EXTRA_FIELDS; n++) emi_field_free(&s->extra[n]);
    for (int n = 0; n < 5; n++) emi_field_free(fields[n]);
}

/* ---- one method, or those that auto tries in turn -------------------------------------------------- */

static em_status solve_by(const emi_method *method, emi_job job, em_model **out, em_error *err)
{
    job.method = method;
    em_status status = run_method(&job, err);
    if (status == EM_OK) status = emi_job_report(&job, out, err);
    close_solver(&job);
    return status;
}

/* Did it not get there?  A failure of this process's own is one that the others do not know of: they cannot go on to
 * another method with it. */
static int is_to_be_replaced(const em_mesh *mesh, em_status status, const em_model *model)
{
    if (status != EM_OK) return status == EM_ENUMERIC && !emi_mesh_is_spread(mesh);
    em_reason reason = em_model_info(model)->reason;
    return reason < 0 && reason != EM_STOPPED_USER && em_model_info(model)->tolerance > 0;
}

/* Say so in what is told of the choice. */
static void tell_next(char *why, const char *tried, const char *what, const char *next)
{
    const size_t room = sizeof((em_info *)0)->choice, used = strlen(why);
    (void)snprintf(why + used, room - used, "; %s: %s, %s instead", tried, what, next);
}

static int is_lost_in_rounding(em_status status, const em_model *model)
{
    return status == EM_OK && em_model_info(model)->reason == EM_STOPPED_ROUNDING;
}

/* Has it all digits that single precision has, which was ordered? */
static int is_short_of_digits(em_status status, const em_model *model)
{
    return status == EM_OK && em_model_info(model)->reason == EM_STOPPED_SHORT &&
           strcmp(em_model_info(model)->precision, "single") == 0;
}

/* Is a component that rounding keeps above the tolerance known to a few digits only? */
static int is_limited_badly(em_status status, const em_model *model)
{
    static const double few = 1e-6;
    if (status != EM_OK || em_model_info(model)->limited == 0) return 0;
    for (int k = 0; k < model->K; k++)
        if (model->residuals[k] > model->info.tolerance && model->subspace_bounds[k] > few) return 1;
    return 0;
}

/* Is there more to be had of products, or of what is sent, than single precision?  Then from now on. */
static int use_double(const emi_method *method, emi_job *job)
{
    int products = job->options->precision == EMI_PRECISION_AUTO && emi_problem_use_double(job->problem);
    int wire = job->options->wire == EMI_WIRE_AUTO && job->narrow_wire && method->uses & EMI_USES_WIRE;
    if (wire) job->narrow_wire = 0;
    return products || wire;
}

/* In single precision, and again in double where that has not all digits that were asked for; a run that resumes goes on as it
 * was. */
static em_status solve_in_precision(const emi_method *method, emi_job *job, em_model **out, em_error *err)
{
    emi_problem *p = job->problem;
    emi_course *course = job->checkpoint ? &job->checkpoint->label.course : NULL;
    if (course && !emi_checkpoint_resumes(job->checkpoint)) course->in_double = job->in_double;
    if (course && course->in_double) (void)use_double(method, job);
    em_status status = solve_by(method, *job, out, err);
    int wanting = is_to_be_replaced(p->mesh, status, *out) || (status == EM_OK && em_model_info(*out)->limited > 0);
    if (!wanting || !use_double(method, job)) return status;
    if (*job->why) tell_next(job->why, "single precision", status ? em_status_text(status) : "not enough", "double");
    job->in_double = 1;
    if (course) course->in_double = 1;
    if (course) (void)snprintf(course->choice, sizeof course->choice, "%s", job->why);
    if (status == EM_OK) job->seconds_before += em_model_info(*out)->seconds;
    em_model *before = *out;
    *out = NULL;
    p->mesh->failure = (em_error){0};
    job->found = before && before->K == p->K ? before : NULL;
    status = solve_by(method, *job, out, err);
    job->found = NULL;
    em_model_free(&before);
    return status;
}

/* One method; with the rows, which keep digits that formed covariances lose, where those were not enough. */
static em_status try_method(const emi_method *method, emi_job *job, em_model **out, em_error *err)
{
    emi_problem *p = job->problem;
    em_status status = solve_in_precision(method, job, out, err);
    int can_do_without = !(method->traits & EMI_NEEDS_MATRIX) && p->C[0].kind->squared && !p->rows->squared;
    int rounding = is_lost_in_rounding(status, *out) || is_limited_badly(status, *out);
    if (!rounding || !can_do_without) return status;
    job->seconds_before += em_model_info(*out)->seconds;
    em_model_free(out);
    (void)emi_problem_use(p, p->rows);
    return solve_by(method, *job, out, err);
}

/* The first choice that gets there. */
static em_status solve_by_choice(const emi_method *const *choices, emi_job job, em_model **out, em_error *err)
{
    const size_t room = sizeof((em_info *)0)->choice;
    int c = 0, rounding = 0;
    em_error failure = {0}; /* of the one that was tried last */
    em_mesh *mesh = job.problem->mesh;
    em_status status = emi_checkpoint_method(job.checkpoint, choices, &c, err);
    if (status != EM_OK) return status;
    if (emi_checkpoint_resumes(job.checkpoint))
        (void)snprintf(job.why, room, "%s", job.checkpoint->label.course.choice);
    for (;; c++) {
        em_model_free(out);
        if (job.checkpoint) (void)snprintf(job.checkpoint->label.course.choice, room, "%s", job.why);
        mesh->failure = failure = (em_error){0};
        job.last = !choices[c + 1] || !(choices[c + 1]->traits & EMI_AT_ROOT); /* gossip loses digits, it finds none */
        status = try_method(choices[c], &job, out, &failure);
        if (!choices[c + 1] || !is_to_be_replaced(mesh, status, *out)) break;
        rounding |= is_lost_in_rounding(status, *out) || is_short_of_digits(status, *out);
        if (rounding && job.last) break;
        tell_next(job.why, choices[c]->info.name,
                  status ? em_status_text(status) : em_reason_text(em_model_info(*out)->reason),
                  choices[c + 1]->info.name);
        if (*out) job.seconds_before += em_model_info(*out)->seconds;
        (void)emi_problem_use(job.problem, job.problem->rows);
    }
    if (status != EM_OK && err) *err = failure;
    return status;
}

em_status emi_solve(em_model **out, emi_problem *problem, const emi_fit_plan *plan, const emi_truth *truth,
                    const emi_last *last, const em_options *options, emi_checkpoint *checkpoint, em_error *err)
{
    em_status status = EM_OK;
    char why[sizeof plan->why];
    emi_job job = {.options = options,
                   .problem = problem,
                   .truth = truth,
                   .previous = last,
                   .checkpoint = checkpoint,
                   .matrix = plan->matrix,
                   .why = why,
                   .narrow_wire = plan->narrow_wire};
    (void)snprintf(why, sizeof why, "%s", plan->why);
    TRY(emi_problem_form(problem, plan->products, err));
    TRY(solve_by_choice(plan->method, job, out, err));
    (void)snprintf((*out)->info.choice, sizeof why, "%s", why);
    (*out)->info.resumed = checkpoint ? checkpoint->resumed : 0;
done:
    return status;
}
