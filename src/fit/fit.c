/* The whole way from shards to a model. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "fit/model.h"
#include "fit/options.h"
#include "fit/problem.h"
#include "fit/surroundings.h"

#include <math.h>
#include <string.h>

/* What one fit holds while it runs. */
typedef struct fit {
    const em_options *options;
    const emi_method *method;
    emi_problem problem;
    emi_solver solver;
    emi_observer observer;
    emi_surroundings around;
    double alpha, beta, lowest; /* the first step; what the nodes know of W's spectrum */
    double *truth;              /* (d, K) column-major; NULL: not known */
    double *truth_values;       /* [K]; NaN: not known                  */
    double seconds_setup;
} fit;

/* ---- the run -------------------------------------------------------------------------------- */

static long iteration_limit(const fit *f)
{
    if (f->options->iterations >= 0) return f->options->iterations;
    return f->method->iterations * (f->method->per_component ? f->options->components : 1);
}

/* Products to expect, for choosing an operator: what was asked for, or a guess where nothing was. */
static long expected_products(const fit *f)
{
    enum { GUESS = 1000 };
    return f->options->iterations >= 0 ? f->options->iterations + 1 : GUESS;
}

/* The automatic step.  Around a solution, the update along an estimate itself has the eigenvalues of
 * W - 2 alpha diag_i(lambda(C_i)), which lie above -1, so that nothing oscillates, when
 * 2 alpha max_i lambda_1(C_i) < 1 + lambda_min(W).  A tenth of that is kept in reserve; beyond
 * alpha = 0.5 / max_i lambda_1(C_i) nothing is gained. */
static em_status automatic_step(fit *f, em_error *err)
{
    em_status status = EM_OK;
    double largest;
    TRY(emi_problem_max_eigenvalue(&f->problem, &largest, err));
    f->alpha = fmin(0.5, 0.45 * (1 + f->lowest)) / largest;
done:
    return status;
}

/* What the method needs to be told: the step, the network's spectrum. */
static em_status tune(fit *f, em_error *err)
{
    em_status status = EM_OK;
    f->alpha = f->method->uses & EMI_USES_STEP ? f->options->step : NAN;
    if (f->alpha == 0 || f->method->traits & EMI_NEEDS_BETA)
        TRY(emi_mesh_spectrum(f->problem.mesh, &f->lowest, &f->beta, err));
    if (f->alpha == 0) TRY(automatic_step(f, err));
done:
    return status;
}

static int choose_rounds(const fit *f)
{
    if (f->options->consensus_rounds) return f->options->consensus_rounds;
    return f->method->rounds_for ? f->method->rounds_for(f->beta) : f->method->rounds;
}

/* Row-major d x K to column-major. */
static void transpose(const double *from, int d, int K, double *to)
{
    for (int k = 0; k < K; k++)
        for (int n = 0; n < d; n++) to[(size_t)k * (size_t)d + (size_t)n] = from[(size_t)n * (size_t)K + (size_t)k];
}

static em_status find_truth(fit *f, em_error *err)
{
    int d = f->problem.d, K = f->problem.K;
    if (!f->options->truth && !f->options->truth_compute) return EM_OK;
    f->truth = emi_doubles((size_t)d * (size_t)K);
    f->truth_values = emi_doubles((size_t)K);
    if (!f->truth || !f->truth_values) return emi_fail_memory(err, "truth");
    for (int k = 0; k < K; k++) f->truth_values[k] = NAN;
    if (!f->options->truth) return emi_problem_truth(&f->problem, f->truth_values, f->truth, err);
    transpose(f->options->truth, d, K, f->truth);
    for (int k = 0; k < K; k++) {
        double *q = f->truth + (size_t)k * (size_t)d, norm = emi_norm(d, q);
        if (norm == 0) return emi_fail(err, EM_EINVAL, "truth: column %d is zero; try d x K eigenvectors", k);
        for (int n = 0; n < d; n++) q[n] /= norm;
    }
    return EM_OK;
}

/* Every node starts from the same block: the user's, or orthonormal columns that follow from the seed. */
static em_status start(fit *f, em_error *err)
{
    emi_solver *s = &f->solver;
    emi_block X = emi_at(&s->X, 0);
    size_t size = (size_t)s->d * (size_t)s->K;
    if (f->options->init) {
        transpose(f->options->init, s->d, s->K, X.v);
    } else {
        emi_random random = emi_random_seed(f->options->seed, EMI_STREAM_INIT);
        emi_random_normals(&random, X.v, size);
        em_status status = emi_orthonormalise(X, EM_QR_POSITIVE, s->scratch[0], err);
        if (status != EM_OK) return status;
    }
    for (int k = 0; k < s->K; k++)
        if (emi_norm(s->d, emi_column_of(X, k)) == 0)
            return emi_fail(err, EM_EINVAL, "init: column %d is zero; try another start", k);
    for (int i = 1; i < s->mesh->hosted; i++) memcpy(emi_at(&s->X, i).v, X.v, size * sizeof(double));
    return EM_OK;
}

/* A few more vectors than wanted make the last wanted ones converge sooner; each costs its share of every average. */
static int oversample(const fit *f)
{
    int K = f->options->components;
    return f->options->oversample >= 0 ? f->options->oversample : 2 + K / 10;
}

static em_status open_solver(fit *f, em_error *err)
{
    em_status status = EM_OK;
    const emi_problem *p = &f->problem;
    emi_solver *s = &f->solver;
    *s = (emi_solver){.d = p->d,
                      .K = p->K,
                      .mesh = p->mesh,
                      .C = p->C,
                      .scratch = p->scratch,
                      .rounds = choose_rounds(f),
                      .beta = f->beta,
                      .qr_signs = f->options->qr_signs,
                      .ritz = f->options->rayleigh_ritz,
                      .oversample = oversample(f),
                      .seed = f->options->seed,
                      .tolerance = f->options->tolerance,
                      .traits = f->method->traits,
                      .iteration_limit = iteration_limit(f)};
    TRY(emi_field_alloc(&s->X, p->mesh->hosted, p->d, p->K, err));
    TRY(emi_field_alloc(&s->H, p->mesh->hosted, p->d, p->K, err));
    TRY(emi_field_alloc(&s->mixed, p->mesh->hosted, p->d, p->K, err));
    TRY(emi_field_alloc(&s->residual, p->mesh->hosted, 1, 1, err));
    TRY(emi_field_alloc(&s->theta, p->mesh->hosted, 1, 1, err));
    for (int n = 0; n < f->method->extra_fields; n++)
        TRY(emi_field_alloc(&s->extra[n], p->mesh->hosted, p->d, p->K, err));
    TRY(emi_observer_open(&f->observer, s, f->truth, err));
    TRY(emi_surroundings_open(&f->around, s, f->options, &f->observer, f->alpha, err));
    TRY(start(f, err));
done:
    return status;
}

static em_status run(fit *f, em_error *err)
{
    em_mesh *mesh = f->problem.mesh;
    mesh->phase = EM_METHOD;
    em_status status = f->method->run(&f->solver);
    if (status != EM_OK && err) *err = mesh->failure;
    return status;
}

/* ---- the report: all nodes agree on one answer ------------------------------------------------- */

/* Turn each node's columns to the side of node 0's: with free signs they may have come to differ, and the mean
 * of opposite vectors means nothing. */
static void align_signs(fit *f)
{
    emi_solver *s = &f->solver;
    double *reference = f->observer.product;
    emi_tree_broadcast(s->mesh, &s->X, reference);
    for (int i = 0; i < s->mesh->hosted; i++)
        for (int k = 0; k < s->K; k++) {
            double *x = emi_column_of(emi_at(&s->X, i), k), dot = 0;
            for (int n = 0; n < s->d; n++) dot += x[n] * reference[(size_t)k * (size_t)s->d + (size_t)n];
            for (int n = 0; dot < 0 && n < s->d; n++) x[n] = -x[n];
        }
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

static void fill_component(const fit *f, em_model *model, int to, int from)
{
    const emi_problem *p = &f->problem;
    const emi_observer *o = &f->observer;
    double *x = model->components + (size_t)to * (size_t)p->d, N = (double)p->N;
    memcpy(x, o->estimate + (size_t)from * (size_t)p->d, sizeof *x * (size_t)p->d);
    fix_sign(x, p->d);
    double per_degree = N > 1 ? N / (N - 1) : 1; /* variances are reported divided by N - 1 */
    model->explained_variance[to] = o->theta[from] * per_degree;
    model->explained_variance_ratio[to] = o->theta[from] / p->variance;
    model->singular_values[to] = sqrt(fmax(0, o->theta[from] * N));
    model->residuals[to] = o->residual[from];
    if (f->truth) {
        model->component_error[to] = o->error[from];
        model->exact_variance[to] = f->truth_values[to] * per_degree;
    }
}

static void fill_noise(const fit *f, em_model *model)
{
    const emi_problem *p = &f->problem;
    double N = (double)p->N, rest = p->variance * (N > 1 ? N / (N - 1) : 1), left = fmin(N, p->d) - p->K;
    for (int k = 0; k < p->K; k++) rest -= model->explained_variance[k];
    model->noise_variance = left > 0 ? fmax(0, rest / left) : 0;
}

static void fill_info(const fit *f, em_info *info)
{
    const emi_problem *p = &f->problem;
    const em_mesh *mesh = p->mesh;
    (void)snprintf(info->method, sizeof info->method, "%s", f->method->info.name);
    (void)snprintf(info->operator_name, sizeof info->operator_name, "%s", p->C[0].dense ? "dense" : "implicit");
    info->reason = f->around.reason;
    info->iterations = f->around.iteration;
    info->step = f->alpha;
    info->tolerance = f->options->tolerance;
    info->change = f->around.change;
    info->nodes = mesh->graph->nodes;
    info->threads = emi_pool_size(mesh->pool);
    info->samples = p->N;
    info->features = p->d;
    info->components = p->K;
    info->seed = f->options->seed;
    info->constant_features = p->constant_features;
    info->seconds_setup = f->seconds_setup;
    info->seconds = f->around.seconds;
    for (int phase = 0; phase < EM_PHASES; phase++) {
        const emi_count *sent = &mesh->count[phase];
        info->traffic[phase] = (em_traffic){.rounds = sent->rounds,
                                            .messages = sent->messages,
                                            .bytes = sent->scalars * sizeof(double),
                                            .units = emi_units(mesh, p->d, p->K, sent->scalars)};
    }
}

static em_status report(fit *f, em_model **out, em_error *err)
{
    em_status status = EM_OK;
    em_model *model = NULL;
    emi_problem *p = &f->problem;
    emi_observer *o = &f->observer;
    int *order = emi_malloc(sizeof *order * (size_t)p->K);
    if (!order) TRY(emi_fail_memory(err, "model"));
    TRY(emi_model_new(&model, p->K, p->d, p->N, err));

    p->mesh->phase = EMI_OBSERVING;
    emi_observe_estimate(o);
    model->info.consensus = emi_observe_consensus(o);
    model->info.error = emi_observe_error(o);
    p->mesh->phase = EM_REPORT;
    align_signs(f);
    emi_observe_estimate(o);
    model->info.residual = emi_observe_residual(o);
    if (emi_mesh_failed(p->mesh)) {
        if (err) *err = p->mesh->failure;
        TRY(p->mesh->failure.code);
    }
    sort_falling(o->theta, p->K, order);
    model->has_truth = f->truth != NULL;
    for (int k = 0; k < p->K; k++) fill_component(f, model, k, order[k]);
    memcpy(model->mean, p->mean, sizeof *p->mean * (size_t)p->d);
    memcpy(model->scale, p->scale, sizeof *p->scale * (size_t)p->d);
    fill_noise(f, model);
    fill_info(f, &model->info);
    model->trace = f->around.rows; /* moves into the model */
    model->trace_rows = f->around.row_count;
    f->around.rows = NULL;
    *out = model;
    model = NULL;
done:
    em_model_free(&model);
    emi_free(order);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void close_fit(fit *f)
{
    emi_surroundings_close(&f->around);
    emi_observer_close(&f->observer);
    for (int n = 0; n < EMI_EXTRA_FIELDS; n++) emi_field_free(&f->solver.extra[n]);
    emi_field_free(&f->solver.theta);
    emi_field_free(&f->solver.residual);
    emi_field_free(&f->solver.mixed);
    emi_field_free(&f->solver.H);
    emi_field_free(&f->solver.X);
    emi_free(f->truth_values);
    emi_free(f->truth);
    emi_problem_free(&f->problem);
}

em_status em_fit(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    em_status status = EM_OK;
    fit f = {.options = options};
    *out = NULL;
    mesh->failure = (em_error){0};
    memset(mesh->count, 0, sizeof mesh->count);
    mesh->count[EM_SETUP] = mesh->tree_count; /* the network had to find its tree first */
    /* Several nodes are spread over the cores, each with a single-threaded BLAS; one node has them all. */
    int threads = emi_blas_threads(mesh->hosted == 1 ? emi_pool_size(mesh->pool) : 1);
    double began = emi_seconds();
    TRY(emi_options_method(options, mesh->graph->nodes, &f.method, err));
    TRY(emi_problem_prepare(&f.problem, mesh, shards, options, expected_products(&f), err));
    TRY(tune(&f, err));
    TRY(find_truth(&f, err));
    TRY(open_solver(&f, err));
    f.seconds_setup = emi_seconds() - began;
    TRY(run(&f, err));
    TRY(report(&f, out, err));
done:
    close_fit(&f);
    (void)emi_blas_threads(threads);
    return status;
}
