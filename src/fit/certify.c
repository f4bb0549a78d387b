/* All nodes agree on one answer, and its true residual is found: the evidence, over the network. */
#include "fit/certify.h"

#include "base/memory.h"
#include "fit/recheck.h"
#include "fit/sketch.h"
#include "linalg/blas.h"
#include "mesh/masking.h"
#include "mesh/question.h"

#include <cblas.h>
#include <float.h>
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

/* At the root: orthonormal columns, whose signs follow from themselves: the entry of largest magnitude is positive, the first
 * such entry on a tie; where there is a last answer, from that.  The mean of the nodes' columns is not quite
 * orthonormal: each is made so to those before it, as a little of a large component spoils a small one, not the reverse. */
static void tidy(emi_job *job, emi_block X, double *CX)
{
    em_error unsaid, err = {0};
    const emi_answer *answer = &job->solver.answer; /* what comes of it is judged by its residual */
    if (!(job->method->traits & EMI_AT_ROOT))
        (void)emi_orthonormalise(X, EMI_QR_POSITIVE, job->solver.scratch[0], &unsaid);
    for (int k = 0; k < X.cols; k++) {
        double *x = emi_column_of(X, k), norm = emi_norm(X.rows, x);
        if (norm == 0) norm = 1;
        if (emi_points_down(X.rows, x)) norm = -norm;
        if (fabs(norm - 1) <= 2 * DBL_EPSILON) continue;
        cblas_dscal(X.rows, 1 / norm, x, 1);
        if (CX) cblas_dscal(X.rows, 1 / norm, CX + (size_t)k * (size_t)X.rows, 1);
    }
    if (job->previous->K == 0) return;
    const double *theta = X.v == answer->X && answer->has_theta ? answer->theta : NULL;
    em_status status = emi_last_lead(job->previous, X, CX, theta, job->options->tolerance, &err);
    if (status != EM_OK) emi_solver_fail(&job->solver, status, &err);
}

/* A run that ended early may hold vectors of its start after those it found; nobody would answer to them. */
static void tidy_question(emi_job *job)
{
    em_error err = {0};
    const emi_solver *s = &job->solver;
    emi_block X = {s->d, s->fraction > 0 ? s->answer.K : s->K, s->answer.X};
    size_t needs = emi_orthonormalise_needs(X.rows, X.cols), square = (size_t)X.cols * (size_t)X.cols;
    double *room = emi_doubles(needs + square);
    if (!room)
        emi_solver_fail(&job->solver, emi_fail_memory(&err, "certificate"), &err);
    else if (!emi_question_is_sound(X, room))
        (void)emi_orthonormalise(X, EMI_QR_POSITIVE, (emi_scratch){room, needs}, &err);
    emi_free(room);
}

/* The nodes' mean, or what the root holds; and what there is to say of how the nodes stand to it. */
static void agree_on_estimate(emi_job *job, em_info *info)
{
    emi_solver *s = &job->solver;
    emi_observer *o = &job->observer;
    int at_root = (job->method->traits & EMI_AT_ROOT) != 0, root = emi_mesh_has_root(s->mesh);
    s->mesh->phase = at_root ? EM_REPORT : EMI_OBSERVING;
    emi_block found = {s->d, s->answer.K, s->answer.X};
    if (at_root && root && emi_mesh_is_masked(s->mesh) && !emi_mesh_failed(s->mesh)) tidy_question(job);
    if (at_root && root && !emi_mesh_failed(s->mesh)) tidy(job, found, s->answer.has_products ? s->answer.CX : NULL);
    emi_observe_estimate(o);
    s->mesh->phase = EMI_OBSERVING;
    info->consensus = emi_observe_consensus(o);
    info->error = emi_observe_error(o);
    s->mesh->phase = EM_REPORT;
    if (at_root) return;
    align_signs(job);
    emi_field_copy(&s->X, &o->parts);
    emi_tree_average_at_root(s->mesh, &o->parts, o->estimate);
    if (root && !emi_mesh_failed(s->mesh)) tidy(job, (emi_block){s->d, o->K, o->estimate}, NULL);
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
    TRY(emi_orthonormalise(V, EMI_QR_POSITIVE, (emi_scratch){room, needs}, err));
    TRY(emi_problem_top_eigenvalue(job->problem, V, 1e-7, &answer->next, &answer->beyond, err)); /* two may lie close */
done:
    emi_free(room);
    return status;
}

/* ---- the certificate ------------------------------------------------------------------------------- */

/* Has the method such products? */
static int has_good_products(const emi_findings *f)
{
    const emi_solver *s = &f->job->solver;
    const emi_answer *answer = &s->answer;
    if (s->mesh->graph->nodes > 1 || !answer->has_products || s->C[0].kind->squared) return 0;
    return !f->job->found_in_single && !f->by_rows &&
           answer->theta[f->K - 1] >= emi_least_for_products(s) * answer->theta[0];
}

static em_status measure_body(void *context, int i, int worker, em_error *err)
{
    const emi_findings *f = context;
    const emi_solver *s = &f->job->solver;
    emi_block X = {s->d, f->K, f->job->observer.estimate};
    return s->C[i].kind->measure(&s->C[i], X, emi_at(&f->parts, i).v, s->scratch[worker], err);
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

/* In order of falling theta, which is how most methods have them: then they stay where they are, but for sums, which are still
 * needed as they are. */
static em_status put_in_order(emi_findings *f, const double *theta, double *CX, em_error *err)
{
    size_t d = (size_t)f->job->problem->d, size = d * (size_t)f->K;
    int moves = CX && CX == f->sum;
    sort_falling(theta, f->K, f->order);
    for (int k = 0; k < f->K; k++) {
        f->theta[k] = theta[(int)f->order[k]];
        moves |= f->order[k] != k;
    }
    f->X = f->job->observer.estimate, f->CX = CX;
    if (!moves) return EM_OK;
    if (!f->moved) f->moved = emi_doubles(2 * size);
    if (!f->moved) return emi_fail_memory(err, "certificate");
    f->X = f->moved, f->CX = f->moved + size;
    for (int k = 0; k < f->K; k++) {
        size_t from = (size_t)f->order[k] * d, to = (size_t)k * d;
        memcpy(f->X + to, f->job->observer.estimate + from, sizeof *f->X * d);
        if (CX) memcpy(f->CX + to, CX + from, sizeof *CX * d);
    }
    return EM_OK;
}

/* At the root.  Products of many components, on a network of one node, have all cores for themselves. */
static em_status certify(emi_findings *f, em_error *err)
{
    enum { MANY = 256 };
    const emi_problem *p = f->job->problem;
    const emi_solver *s = &f->job->solver;
    emi_evidence evidence = {.X = {s->d, f->K, f->X},
                             .CX = {s->d, f->K, f->CX},
                             .lengths = f->lengths,
                             .theta = f->theta,
                             .next = s->answer.next,
                             .beyond = s->answer.beyond,
                             .variance = p->variance,
                             .rank = s->rank,
                             .tolerance = s->tolerance,
                             .from_formed = s->rounding.formed,
                             .rounding = s->rounding};
    int at_root = (f->job->method->traits & EMI_AT_ROOT) != 0; /* gossip itself loses what covariances lose */
    evidence.final =
        !s->rounding.formed || p->rows->squared || (f->job->last && (f->job->method->traits & EMI_NEEDS_MATRIX));
    evidence.rounding.formed = !at_root || (!f->by_rows && s->rounding.formed);
    int threads = p->mesh->graph->nodes == 1 && f->K > MANY ? emi_pool_size(p->mesh->pool) : 1;
    emi_blas_exchange(1, threads);
    em_status status = emi_certify(&evidence, &f->verdict, err);
    emi_blas_exchange(threads, 1);
    if (status != EM_OK) return status;
    const emi_tally *n = &f->verdict.n;
    f->says->n = *n;
    f->says->rest = s->answer.rest;
    f->says->squares = s->answer.squares;
    f->says->cubes = s->answer.cubes;
    f->says->strict = at_root && !s->rounding.formed; /* who worked with the rows has seen that there is nothing left */
    f->says->closer = at_root && evidence.rounding.formed && !p->rows->squared &&
                      (f->verdict.hidden + n->limited + n->missed > 0 || n->has < (f->K < s->rank ? f->K : s->rank));
    return EM_OK;
}

/* The method's products, which are in order. */
static em_status certify_own(emi_findings *f, em_error *err)
{
    const emi_answer *answer = &f->job->solver.answer;
    size_t d = (size_t)f->job->problem->d;
    for (size_t k = 0; k < (size_t)f->K; k++)
        answer->theta[k] = cblas_ddot((int)d, f->job->observer.estimate + k * d, 1, answer->CX + k * d, 1);
    em_status status = put_in_order(f, answer->theta, answer->CX, err);
    return status == EM_OK ? certify(f, err) : status;
}

/* One exact sum of the C_i X. */
static em_status measure(emi_findings *f, em_error *err)
{
    em_status status = EM_OK;
    em_mesh *mesh = f->job->problem->mesh;
    int d = f->job->problem->d;
    double cost = mesh->hosted * emi_operator_cost(&f->job->problem->C[0], f->K);
    if (!f->sum) {
        TRY(emi_field_alloc(&f->parts, mesh->hosted, d + 1, f->K, err));
        f->sum = emi_doubles(((size_t)d + 1) * (size_t)f->K);
        if (!f->sum) TRY(emi_fail_memory(err, "certificate"));
    }
    emi_question_ask(mesh, (emi_block){d, f->K, f->job->observer.estimate});
    emi_mesh_run(mesh, cost, measure_body, f);
    emi_tree_average_at_root(mesh, &f->parts, f->sum);
done:
    return status;
}

static em_status certify_sum(emi_findings *f, em_error *err)
{
    em_status status = put_in_order(f, f->sum + (size_t)f->job->problem->d * (size_t)f->K, f->sum, err);
    return status == EM_OK ? certify(f, err) : status;
}

/* What the root makes of such products, for everyone. */
static em_status look(emi_findings *f, em_error *err)
{
    em_mesh *mesh = f->job->problem->mesh;
    int own = has_good_products(f);
    if (!own) {
        em_status measured = measure(f, err);
        if (measured != EM_OK) return measured;
    }
    if (emi_mesh_has_root(mesh) && !emi_mesh_failed(mesh))
        f->says->status = own ? certify_own(f, err) : certify_sum(f, err);
    emi_tree_give(mesh, f->told, f->told_count);
    if (emi_mesh_failed(mesh)) return emi_problem_status(f->job->problem, err);
    for (int k = 0; k < f->K; k++)
        if (!(f->order[k] >= 0 && f->order[k] < f->K))
            return emi_fail(err, EM_ENET, "fit: what the root says of component %d cannot be; try again", k + 1);
    em_status status = (em_status)(int)f->says->status;
    if (status != EM_OK && !emi_mesh_has_root(mesh)) /* what fails at the root fails everywhere */
        return emi_fail(err, status, "fit: the answer could not be checked; try another method");
    return status == EM_OK ? emi_recheck(f, err) : status;
}

/* Many components, or such as were found in single precision, on a network of one node: their residuals are estimated.  Where
 * anything is in doubt, they are measured. */
static int may_be_estimated(const emi_job *job)
{
    enum { SOME = 8, TWICE = 16, MANY = 128 }; /* it takes eight products itself */
    const emi_problem *p = job->problem;
    if (p->mesh->graph->nodes > 1 || !(job->method->traits & EMI_AT_ROOT) || job->options->tolerance == 0) return 0;
    if (!job->solver.answer.has_theta) return 0;
    if (job->observer.K <= TWICE && 3 * job->solver.answer.residual > job->options->tolerance)
        return 0; /* three times that would be too much, and measuring takes little more */
    return job->options->precision != EMI_PRECISION_DOUBLE && job->observer.K > (job->found_in_single ? SOME : MANY);
}

/* Is single precision clearly not enough, so that it will be done again in double? */
static int is_hopeless(const emi_findings *f)
{
    static const double far = 6; /* twice the tolerance, as three times it is said */
    const emi_job *job = f->job;
    double worst = 0;
    for (int k = 0; k < (int)f->says->n.has; k++) worst = fmax(worst, f->verdict.residual[k]);
    return job->found_in_single && job->options->precision == EMI_PRECISION_AUTO &&
           worst > far * job->options->tolerance;
}

static em_status estimate(emi_findings *f, int *enough, em_error *err)
{
    em_status status = EM_OK;
    const emi_problem *p = f->job->problem;
    const emi_solver *s = &f->job->solver;
    const emi_operator_kind *kind = emi_problem_use(f->job->problem, f->job->problem->rows);
    int sound = 0, before = f->by_rows;
    const emi_tally *n = &f->says->n;
    f->lengths = emi_doubles((size_t)f->K);
    if (!f->lengths) TRY(emi_fail_memory(err, "certificate"));
    TRY(put_in_order(f, s->answer.theta, NULL, err));
    TRY(emi_sketch_residuals(&p->C[0], (emi_block){p->d, f->K, f->X}, f->theta, s->seed, f->lengths, &sound,
                             p->scratch[0], err));
    f->by_rows = !p->rows->squared;
    TRY(certify(f, err));
    double in_doubt = n->short_of + n->unknown + n->missed + (f->job->found_in_single ? n->limited : 0);
    *enough = (sound && in_doubt == 0 && n->has == (f->K < s->rank ? f->K : s->rank)) || is_hopeless(f);
done:
    (void)emi_problem_use(f->job->problem, kind);
    f->by_rows = before;
    emi_free(f->lengths);
    f->lengths = NULL;
    return status;
}

/* Where covariances say that there is nothing left, do the rows say so too?  What squares of large numbers hide is looked for
 * in what is left of C without the components that have variance. */
static em_status look_past_rank(emi_findings *f, em_error *err)
{
    const emi_problem *p = f->job->problem;
    const emi_solver *s = &f->job->solver;
    int has = (int)f->says->n.has, most = f->K < s->rank ? f->K : s->rank;
    double value = 0, beyond = 0, left = emi_rounding_most(&s->rounding, p->d, has);
    if (has >= most) return EM_OK;
    double *V = emi_doubles((size_t)p->d * ((size_t)has + 1));
    if (!V) return emi_fail_memory(err, "certificate");
    for (int k = 0; k < has; k++) {
        memcpy(V + (size_t)k * (size_t)p->d, f->job->observer.estimate + (size_t)f->order[k] * (size_t)p->d,
               sizeof *V * (size_t)p->d);
        left += f->verdict.together[k] * f->verdict.together[k] * f->theta[k]; /* what it is off by */
    }
    const emi_operator_kind *kind = emi_problem_use(f->job->problem, f->job->problem->rows);
    em_status status =
        emi_problem_top_eigenvalue(f->job->problem, (emi_block){p->d, has, V}, 1e-3, &value, &beyond, err);
    (void)emi_problem_use(f->job->problem, kind);
    emi_free(V);
    if (value > left) f->says->n.unknown += 1, f->says->n.has = most;
    return status;
}

/* The covariances have lost it in rounding; the rows may not have. */
static em_status look_closer(emi_findings *f, em_error *err)
{
    em_status status = EM_OK;
    emi_problem *p = f->job->problem;
    const emi_operator_kind *kind = emi_problem_use(p, &emi_by_rows);
    f->by_rows = 1;
    if (f->K < f->job->solver.rank) TRY(search_rest(f->job, err));
    TRY(look(f, err));
done:
    (void)emi_problem_use(p, kind);
    return status;
}

static em_status open_findings(emi_findings *f, emi_job *job, em_error *err)
{
    size_t K = (size_t)job->observer.K;
    emi_verdict *v = &f->verdict;
    double **kinds[] = {&f->order, &f->theta, &v->residual, &v->angle, &v->cluster, &v->together};
    const size_t kind_count = sizeof kinds / sizeof *kinds;
    *f = (emi_findings){.job = job, .K = job->observer.K};
    f->told_count = kind_count * K + sizeof *f->says / sizeof *f->told;
    f->told = emi_calloc(f->told_count, sizeof *f->told);
    if (!f->told) return emi_fail_memory(err, "certificate");
    for (size_t n = 0; n < kind_count; n++) *kinds[n] = f->told + n * K;
    f->says = (emi_said *)(void *)(f->told + kind_count * K);
    return EM_OK;
}

void emi_findings_free(emi_findings *f)
{
    emi_field_free(&f->parts);
    emi_free(f->told);
    emi_free(f->sum);
    emi_free(f->moved);
    *f = (emi_findings){0};
}

em_status emi_certify_job(emi_findings *f, emi_job *job, em_info *nodes, em_error *err)
{
    em_status status = EM_OK;
    emi_answer *answer = &job->solver.answer;
    agree_on_estimate(job, nodes);
    TRY(emi_problem_status(job->problem, err));
    if (job->observer.K >= job->solver.rank) answer->next = answer->beyond = 0;
    if (isnan(answer->next)) TRY(search_rest(job, err)); /* everyone knows whether the root does */
    TRY(open_findings(f, job, err));
    if (may_be_estimated(job)) TRY(estimate(f, &f->estimated, err));
    if (!f->estimated) TRY(look(f, err));
    if (!f->estimated && f->says->closer != 0) TRY(look_closer(f, err));
    if (f->says->strict == 0) TRY(look_past_rank(f, err));
done:
    return status;
}
