/* The whole way from shards to a model. */
#include "base/clock.h"
#include "base/memory.h"
#include "fit/choose.h"
#include "fit/job.h"

#include <math.h>
#include <string.h>

/* ---- the truth, for study ----------------------------------------------------------------------- */

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

static em_status find_truth(emi_truth *truth, emi_problem *p, const em_options *options, em_error *err)
{
    if (!options->truth && !options->truth_compute) return EM_OK;
    truth->vectors = emi_doubles((size_t)p->d * (size_t)p->K);
    truth->values = emi_doubles((size_t)p->K);
    if (!truth->vectors || !truth->values) return emi_fail_memory(err, "truth");
    for (int k = 0; k < p->K; k++) truth->values[k] = NAN;
    if (options->truth) return given_truth(truth, options->truth, p->d, p->K, err);
    return emi_problem_truth(p, truth->values, truth->vectors, err);
}

/* ---- one method, or those that auto tries in turn -------------------------------------------------- */

static em_status solve_by(const emi_method *method, emi_job job, em_model **out, em_error *err)
{
    job.method = method;
    em_status status = emi_job_run(&job, err);
    if (status == EM_OK) status = emi_job_report(&job, out, err);
    emi_job_close(&job);
    return status;
}

static int broke_down(em_status status, const em_model *model)
{
    if (status != EM_OK) return status == EM_ENUMERIC;
    em_reason reason = em_model_info(model)->reason;
    return reason == EM_STOPPED_DIVERGED || reason == EM_STOPPED_SHORT;
}

/* The first choice that does not break down; what is told of the choice says so. */
static em_status solve_by_choice(const emi_method *const *choices, char *why, size_t room, emi_job job, em_model **out,
                                 em_error *err)
{
    em_status status = EM_OK;
    for (int c = 0; choices[c]; c++) {
        em_model_free(out);
        job.problem->mesh->failure = (em_error){0};
        status = solve_by(choices[c], job, out, err);
        if (!choices[c + 1] || !broke_down(status, *out)) break;
        size_t used = strlen(why);
        (void)snprintf(why + used, room - used, "; %s broke down (%s), %s instead", choices[c]->info.name,
                       status ? em_status_text(status) : em_reason_text(em_model_info(*out)->reason),
                       choices[c + 1]->info.name);
    }
    return status;
}

/* Products to expect, for choosing an operator: what was asked for, or a guess where nothing was. */
static long expected_products(const em_options *options, const emi_method *method)
{
    enum { MANY = 1000, FEW = 12 };
    if (options->iterations >= 0) return options->iterations + 1;
    return !method || method == &emi_krylov ? FEW : MANY;
}

static em_status fit_components(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                                em_error *err)
{
    em_status status = EM_OK;
    emi_problem problem = {0};
    emi_truth truth = {0};
    const emi_method *choices[EMI_CHOICES + 1] = {NULL};
    char why[sizeof((em_info *)0)->choice] = "";
    double began = emi_seconds();
    TRY(emi_options_method(options, mesh->graph->nodes, &choices[0], err));
    TRY(emi_problem_prepare(&problem, mesh, shards, options, expected_products(options, choices[0]), err));
    TRY(find_truth(&truth, &problem, options, err));
    if (!choices[0]) emi_choose(&problem, options, choices, why, sizeof why);
    emi_job job = {.options = options, .problem = &problem, .truth = &truth, .seconds_before = emi_seconds() - began};
    TRY(solve_by_choice(choices, why, sizeof why, job, out, err));
    (void)snprintf((*out)->info.choice, sizeof why, "%s", why);
done:
    emi_free(truth.values);
    emi_free(truth.vectors);
    emi_problem_free(&problem);
    return status;
}

/* ---- as many components as explain a fraction of the variance ---------------------------------------- */

/* Components that reach the fraction, or 0. */
static int enough(const em_model *model, double fraction)
{
    double sum = 0;
    for (int k = 0; k < model->K; k++) {
        sum += model->explained_variance_ratio[k];
        if (sum >= fraction * (1 - 1e-12)) return k + 1;
    }
    return 0;
}

/* Twice as many as the time before, until they are enough: then no more than those. */
static em_status fit_fraction(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards,
                              em_error *err)
{
    em_status status = EM_OK;
    em_options trial = *options;
    size_t rows = 0;
    for (int i = 0; i < shards->count; i++) rows += shards->shard[i].count;
    size_t most = rows < shards->columns ? rows : shards->columns;
    for (size_t K = 8;; K *= 2) {
        trial.components = (int)(K < most ? K : most);
        em_model_free(out);
        TRY(fit_components(out, &trial, mesh, shards, err));
        int K_enough = enough(*out, options->variance);
        if (K_enough) emi_model_truncate(*out, K_enough);
        if (K_enough || K >= most) break;
    }
done:
    return status;
}

em_status em_fit(em_model **out, const em_options *options, em_mesh *mesh, const em_shards *shards, em_error *err)
{
    *out = NULL;
    mesh->failure = (em_error){0};
    memset(mesh->count, 0, sizeof mesh->count);
    mesh->count[EM_SETUP] = mesh->tree_count; /* the network had to find its tree first */
    /* Several nodes are spread over the cores, each with a single-threaded BLAS; one node has them all. */
    int threads = emi_blas_threads(mesh->hosted == 1 ? emi_pool_size(mesh->pool) : 1);
    em_status status = options->variance > 0 ? fit_fraction(out, options, mesh, shards, err)
                                             : fit_components(out, options, mesh, shards, err);
    (void)emi_blas_threads(threads);
    if (status != EM_OK) em_model_free(out);
    return status;
}
