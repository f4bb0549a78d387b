/* On a prepared problem: the exact answer, for study, and the methods. */
#include "base/memory.h"
#include "fit/choose.h"
#include "fit/job.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the truth, for study ----------------------------------------------------------------------- */

static em_status given_truth(emi_truth *truth, const double *given, int d, int K, em_error *err)
{
    emi_transpose(given, d, K, truth->vectors);
    for (int k = 0; k < K; k++) {
        double *q = truth->vectors + (size_t)k * (size_t)d, norm = emi_norm(d, q);
        if (norm == 0) return emi_fail(err, EM_EINVAL, "truth: column %d is zero; try d x K eigenvectors", k);
        if (fabs(norm - 1) <= d * DBL_EPSILON) continue; /* a unit vector stays as it is */
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
    return emi_problem_truth(p, truth->K, truth->values, truth->vectors, err);
}

void emi_truth_free(emi_truth *truth)
{
    emi_free(truth->values);
    emi_free(truth->vectors);
    *truth = (emi_truth){0};
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

/* Did it not get there?  A failure of this process's own is one that the others do not know of: they cannot go on to
 * another method with it. */
static int is_to_be_replaced(const em_mesh *mesh, em_status status, const em_model *model)
{
    if (status != EM_OK) return status == EM_ENUMERIC && !emi_mesh_is_spread(mesh);
    em_reason reason = em_model_info(model)->reason;
    return reason < 0 && reason != EM_STOPPED_USER && em_model_info(model)->tolerance > 0;
}

/* Say so in what is told of the choice. */
static void tell_next(char *why, size_t room, const emi_method *tried, const char *what, const emi_method *next)
{
    size_t used = strlen(why);
    (void)snprintf(why + used, room - used, "; %s: %s, %s instead", tried->info.name, what, next->info.name);
}

static int is_lost_in_rounding(em_status status, const em_model *model)
{
    return status == EM_OK && em_model_info(model)->reason == EM_STOPPED_ROUNDING;
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

/* One method; with the rows, which keep digits that formed covariances lose, where those were not enough. */
static em_status try_method(const emi_method *method, emi_job *job, em_model **out, em_error *err)
{
    emi_problem *p = job->problem;
    em_status status = solve_by(method, *job, out, err);
    int can_do_without = !(method->traits & EMI_NEEDS_DENSE) && emi_cov_is_dense(&p->C[0]);
    int rounding = is_lost_in_rounding(status, *out) || is_limited_badly(status, *out);
    if (!rounding || !can_do_without) return status;
    job->seconds_before += em_model_info(*out)->seconds;
    em_model_free(out);
    (void)emi_problem_spare(p, 1);
    return solve_by(method, *job, out, err);
}

/* The first choice that gets there. */
static em_status solve_by_choice(const emi_method *const *choices, char *why, size_t room, emi_job job, em_model **out,
                                 em_error *err)
{
    int c = 0, rounding = 0;
    em_error failure = {0}; /* of the one that was tried last */
    em_mesh *mesh = job.problem->mesh;
    em_status status = emi_checkpoint_method(job.checkpoint, choices, &c, err);
    if (status != EM_OK) return status;
    if (emi_checkpoint_resumes(job.checkpoint)) (void)snprintf(why, room, "%s", job.checkpoint->label.choice);
    for (;; c++) {
        em_model_free(out);
        if (job.checkpoint) (void)snprintf(job.checkpoint->label.choice, room, "%s", why);
        mesh->failure = failure = (em_error){0};
        job.last = !choices[c + 1] || !(choices[c + 1]->traits & EMI_AT_ROOT); /* gossip loses digits, it finds none */
        status = try_method(choices[c], &job, out, &failure);
        if (!choices[c + 1] || !is_to_be_replaced(mesh, status, *out)) break;
        rounding |= is_lost_in_rounding(status, *out);
        if (rounding && job.last) break;
        tell_next(why, room, choices[c], status ? em_status_text(status) : em_reason_text(em_model_info(*out)->reason),
                  choices[c + 1]);
        if (*out) job.seconds_before += em_model_info(*out)->seconds;
        (void)emi_problem_spare(job.problem, 1);
    }
    if (status != EM_OK && err) *err = failure;
    return status;
}

long emi_expected_products(const em_options *options)
{
    enum { MANY = 1000, FEW = 12 };
    if (options->iterations >= 0) return options->iterations + 1;
    const emi_method *method = emi_method_find(options->method ? options->method : "auto");
    return !method || method == &emi_krylov ? FEW : MANY;
}

em_status emi_solve(em_model **out, emi_problem *problem, const emi_truth *truth, const em_options *options,
                    emi_checkpoint *checkpoint, em_error *err)
{
    em_status status = EM_OK;
    const emi_method *choices[EMI_CHOICES + 1] = {NULL};
    char why[sizeof((em_info *)0)->choice] = "";
    emi_job job = {.options = options, .problem = problem, .truth = truth, .checkpoint = checkpoint};
    TRY(emi_options_method(options, problem->mesh->graph->nodes, &choices[0], err));
    TRY(emi_problem_choose_operator(problem, emi_expected_products(options), err));
    if (!choices[0]) emi_choose(problem, options, choices, why, sizeof why);
    TRY(solve_by_choice(choices, why, sizeof why, job, out, err));
    (void)snprintf((*out)->info.choice, sizeof why, "%s", why);
    (*out)->info.resumed = checkpoint ? checkpoint->resumed : 0;
done:
    return status;
}
