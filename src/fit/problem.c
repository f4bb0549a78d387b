#include "fit/problem.h"

#include "base/clock.h"
#include "base/memory.h"
#include "fit/options.h"
#include "linalg/lanczos.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* A turn at every hosted node, with its failure returned. */
static em_status at_every_node(emi_problem *p, double cost, emi_turn *turn, void *context, em_error *err)
{
    return emi_pool_run(p->mesh->pool, p->mesh->hosted, cost, turn, context, err);
}

static em_status mesh_status(const em_mesh *mesh, em_error *err)
{
    if (emi_mesh_failed(mesh) && err) *err = mesh->failure;
    return mesh->failure.code;
}

/* ---- sizes ------------------------------------------------------------------------------- */

static em_status count_rows(emi_problem *p, em_error *err)
{
    emi_field rows = {0};
    double total = 0;
    em_status status = EM_OK;
    TRY(emi_field_alloc(&rows, p->mesh->hosted, 1, 1, err));
    for (int i = 0; i < p->mesh->hosted; i++) *emi_at(&rows, i).v = (double)p->shard[i].count;
    emi_tree_sum(p->mesh, &rows, &total);
    TRY(mesh_status(p->mesh, err));
    p->N = (uint64_t)total;
done:
    emi_field_free(&rows);
    return status;
}

/* Components to begin with, where a fraction of the variance says how many there will be. */
enum { AT_FIRST = 16 };

static em_status check_sizes(emi_problem *p, const em_options *options, em_error *err)
{
    if (p->shards->count != p->mesh->hosted && p->shards->count != p->mesh->graph->nodes)
        return emi_fail(err, EM_EINVAL, "shards: %d of them for the %d nodes here; try one a node", p->shards->count,
                        p->mesh->hosted);
    p->shard = p->shards->shard + (p->shards->count == p->mesh->hosted ? 0 : p->mesh->first);
    if (p->shards->columns > (size_t)(INT_MAX / 2))
        return emi_fail(err, EM_EINVAL, "data: %zu features are too many; try fewer columns", p->shards->columns);
    p->d = (int)p->shards->columns;
    em_status status = count_rows(p, err);
    if (status == EM_OK) status = emi_options_check(options, p->N, p->d, err);
    uint64_t rows = options->center && p->N > 1 ? p->N - 1 : p->N, most = p->N < (uint64_t)p->d ? p->N : (uint64_t)p->d;
    p->rank = rows < (uint64_t)p->d ? (int)rows : p->d;
    p->K = options->variance == 0 ? options->components : most < AT_FIRST ? (int)most : AT_FIRST;
    return status;
}

static em_status alloc_problem(emi_problem *p, int width, em_error *err)
{
    size_t d = (size_t)p->d, needs = emi_method_needs(p->d, width),
           other[] = {emi_moments_needs(p->d) + d, emi_cov_form_needs(p->d)};
    for (int i = 0; i < 2; i++) needs = needs > other[i] ? needs : other[i];
    p->mean = emi_calloc(d, sizeof *p->mean);
    p->scale = emi_doubles(d);
    p->C = emi_calloc((size_t)p->mesh->hosted, sizeof *p->C);
    p->threads = emi_pool_size(p->mesh->pool);
    p->scratch = emi_calloc((size_t)p->threads, sizeof *p->scratch);
    if (!p->mean || !p->scale || !p->C || !p->scratch) return emi_fail_memory(err, "problem");
    for (size_t f = 0; f < d; f++) p->scale[f] = 1;
    for (int t = 0; t < p->threads; t++) {
        p->scratch[t] = (emi_scratch){emi_doubles(needs), needs};
        if (!p->scratch[t].v) return emi_fail_memory(err, "problem");
    }
    p->standard.d = p->d;
    p->crew = (emi_crew){p->mesh->pool, p->scratch};
    return EM_OK;
}

/* Where a single node lives here, all threads are its own; else they are busy with the nodes. */
static const emi_crew *crew_of(const emi_problem *p)
{
    return p->mesh->hosted == 1 ? &p->crew : NULL;
}

/* ---- mean and scale ------------------------------------------------------------------------ */

typedef struct sum_task {
    emi_problem *p;
    emi_field sums; /* (d, 1) a node */
} sum_task;

static em_status sum_turn(void *context, int i, int worker, em_error *err)
{
    sum_task *t = context;
    em_status status =
        emi_sum_columns(&t->p->shard[i], emi_at(&t->sums, i).v, crew_of(t->p), t->p->scratch[worker], err);
    if (status != EM_OK && err) err->node = t->p->mesh->first + i;
    return status;
}

static em_status squares_turn(void *context, int i, int worker, em_error *err)
{
    sum_task *t = context;
    return emi_sum_squares(&t->p->standard, &t->p->shard[i], emi_at(&t->sums, i).v, crew_of(t->p),
                           t->p->scratch[worker], err);
}

/* A sum over all rows of all nodes, feature by feature. */
static em_status sum_over_network(emi_problem *p, emi_turn *turn, double *total, em_error *err)
{
    em_status status = EM_OK;
    sum_task task = {.p = p};
    TRY(emi_field_alloc(&task.sums, p->mesh->hosted, p->d, 1, err));
    TRY(at_every_node(p, 2.0 * (double)p->N * p->d, turn, &task, err));
    emi_tree_sum(p->mesh, &task.sums, total);
    TRY(mesh_status(p->mesh, err));
done:
    emi_field_free(&task.sums);
    return status;
}

/* The pass over the rows is made even where the mean is left in: it is also where non-finite values are found. */
static em_status find_mean(emi_problem *p, int center, em_error *err)
{
    em_status status = sum_over_network(p, sum_turn, p->mean, err);
    for (int f = 0; f < p->d; f++) p->mean[f] = center ? p->mean[f] / (double)p->N : 0;
    p->standard.mean = center ? p->mean : NULL;
    return status;
}

static em_status keep_inverse_scale(emi_problem *p, em_error *err)
{
    if (!p->standard.inverse_scale) p->standard.inverse_scale = emi_doubles((size_t)p->d);
    if (!p->standard.inverse_scale) return emi_fail_memory(err, "scale");
    for (int f = 0; f < p->d; f++) p->standard.inverse_scale[f] = 1 / p->scale[f];
    return EM_OK;
}

/* Unit variance in the convention that variances are reported in: divided by N - 1.  What is left of a constant
 * feature after centring is rounding, which must not be blown up. */
static em_status scale_by_deviation(emi_problem *p, em_error *err)
{
    em_status status = sum_over_network(p, squares_turn, p->scale, err);
    if (status != EM_OK) return status;
    double degrees = p->N > 1 ? (double)(p->N - 1) : 1;
    for (int f = 0; f < p->d; f++) {
        double deviation = sqrt(p->scale[f] / degrees);
        int constant = deviation <= 1e-14 * fabs(p->mean[f]) * sqrt((double)p->N) || deviation == 0;
        p->scale[f] = constant ? 1 : deviation;
        p->constant_features += constant;
    }
    return keep_inverse_scale(p, err);
}

/* ---- operators ------------------------------------------------------------------------------ */

static em_status form_turn(void *context, int i, int worker, em_error *err)
{
    emi_problem *p = context;
    return emi_cov_form(&p->C[i], p->scratch[worker], err);
}

/* Into half of the memory, in every process: what is decided by it must be decided alike. */
static em_status judge_memory(emi_problem *p, em_error *err)
{
    double bytes = 8.0 * p->mesh->hosted * p->d * p->d,
           share = bytes / ((double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2);
    em_status status = emi_process_max(p->mesh, &share, 1, err);
    p->dense_fits = share < 1;
    return status;
}

em_status emi_problem_make_dense(emi_problem *p, em_error *err)
{
    double began = emi_seconds();
    for (int i = 0; i < p->mesh->hosted; i++) p->C[i].spared = 0;
    if (p->C[0].dense) return EM_OK;
    em_status status = at_every_node(p, emi_cov_form_cost((size_t)p->N, p->d), form_turn, p, err);
    p->seconds_forming = emi_seconds() - began;
    return status;
}

/* Forming every C_i pays when the products saved on the way outweigh it, over the whole network, so that the answer does
 * not depend on who lives where; and when it fits. */
static int dense_is_better(const emi_problem *p, long steps)
{
    double products = (double)steps * p->mesh->graph->nodes * emi_cov_dense_cost(p->d, p->K),
           dense = emi_cov_form_cost((size_t)p->N, p->d) + products,
           implicit = (double)steps * emi_cov_implicit_cost((size_t)p->N, p->d, p->K);
    return dense < implicit && p->dense_fits;
}

emi_rounding emi_problem_rounding(const emi_problem *p)
{
    int formed = emi_cov_is_dense(&p->C[0]);
    return (emi_rounding){.deviation = p->deviation,
                          .offset = p->offset,
                          .total = p->variance,
                          .formed = formed,
                          .uncentred = !formed && p->standard.mean_is_near && !p->standard.inverse_scale};
}

void emi_problem_spare(emi_problem *p)
{
    for (int i = 0; i < p->mesh->hosted; i++) p->C[i].spared = 1;
}

em_status emi_problem_choose_operator(emi_problem *p, long steps, em_error *err)
{
    if (dense_is_better(p, steps)) return emi_problem_make_dense(p, err);
    emi_problem_spare(p);
    return EM_OK;
}

static em_status build_operators(emi_problem *p, long steps, em_error *err)
{
    for (int i = 0; i < p->mesh->hosted; i++)
        p->C[i] = (emi_cov){.d = p->d,
                            .weight = (double)p->mesh->graph->nodes / (double)p->N,
                            .shard = &p->shard[i],
                            .crew = crew_of(p),
                            .standard = &p->standard};
    return emi_problem_choose_operator(p, steps, err);
}

/* ---- eigenvalues, for the scale and the step --------------------------------------------------- */

typedef struct node_operator {
    const emi_cov *C;
    emi_scratch scratch;
} node_operator;

static em_status apply_at_node(void *context, const double *v, double *z, em_error *err)
{
    node_operator *node = context;
    emi_block x = {node->C->d, 1, (double *)v}, y = {node->C->d, 1, z};
    return emi_cov_apply(node->C, x, y, node->scratch, err);
}

typedef struct network_operator {
    emi_problem *p;
    emi_block x;
    emi_field products;
} network_operator;

static em_status product_turn(void *context, int i, int worker, em_error *err)
{
    network_operator *t = context;
    return emi_cov_apply(&t->p->C[i], t->x, emi_at(&t->products, i), t->p->scratch[worker], err);
}

static double product_cost(const emi_problem *p, int K)
{
    return p->mesh->hosted * emi_cov_apply_cost(&p->C[0], K);
}

static em_status apply_over_network(void *context, const double *v, double *z, em_error *err)
{
    network_operator *t = context;
    t->x = (emi_block){t->p->d, 1, (double *)v};
    em_status status = at_every_node(t->p, product_cost(t->p, 1), product_turn, t, err);
    if (status != EM_OK) return status;
    emi_tree_average(t->p->mesh, &t->products, z);
    return mesh_status(t->p->mesh, err);
}

em_status emi_problem_top_eigenvalue(emi_problem *p, double tolerance, double *value, em_error *err)
{
    em_status status = EM_OK;
    network_operator whole = {.p = p};
    TRY(emi_field_alloc(&whole.products, p->mesh->hosted, p->d, 1, err));
    TRY(emi_largest_eigenvalue(apply_over_network, &whole, p->d, tolerance, value, err));
done:
    emi_field_free(&whole.products);
    return status;
}

/* Divide the data by sqrt(lambda_1(C)), so that lambda_1 = 1. */
static em_status scale_by_spectrum(emi_problem *p, em_error *err)
{
    double lambda = 0;
    em_status status = emi_problem_top_eigenvalue(p, 1e-13, &lambda, err);
    if (status != EM_OK || lambda <= 0) return status; /* no variance at all is said elsewhere */
    for (int f = 0; f < p->d; f++) p->scale[f] *= sqrt(lambda);
    for (int i = 0; i < p->mesh->hosted; i++)
        for (size_t n = 0; p->C[i].dense && n < (size_t)p->d * (size_t)p->d; n++) p->C[i].dense[n] /= lambda;
    return keep_inverse_scale(p, err);
}

typedef struct number_task {
    emi_problem *p;
    emi_field numbers; /* (1, 1) a node */
} number_task;

static em_status trace_turn(void *context, int i, int worker, em_error *err)
{
    number_task *t = context;
    return emi_cov_trace(&t->p->C[i], emi_at(&t->numbers, i).v, t->p->scratch[worker], err);
}

static em_status find_variance(emi_problem *p, em_error *err)
{
    em_status status = EM_OK;
    number_task task = {.p = p};
    TRY(emi_field_alloc(&task.numbers, p->mesh->hosted, 1, 1, err));
    TRY(at_every_node(p, (double)p->N * p->d, trace_turn, &task, err));
    emi_tree_average(p->mesh, &task.numbers, &p->variance);
    TRY(mesh_status(p->mesh, err));
    if (!(p->variance > 0))
        TRY(emi_fail(err, EM_EDATA, "data: no variance, every row is the same; try other data%s",
                     p->standard.mean ? " or --no-center" : ""));
done:
    emi_field_free(&task.numbers);
    return status;
}

static em_status eigenvalue_turn(void *context, int i, int worker, em_error *err)
{
    number_task *t = context;
    node_operator node = {&t->p->C[i], t->p->scratch[worker]};
    return emi_largest_eigenvalue(apply_at_node, &node, t->p->d, 1e-6, emi_at(&t->numbers, i).v, err);
}

em_status emi_problem_max_eigenvalue(emi_problem *p, double *value, em_error *err)
{
    em_status status = EM_OK;
    number_task task = {.p = p};
    TRY(emi_field_alloc(&task.numbers, p->mesh->hosted, 1, 1, err));
    TRY(at_every_node(p, 20 * product_cost(p, 1), eigenvalue_turn, &task, err));
    emi_tree_max(p->mesh, &task.numbers, value);
    TRY(mesh_status(p->mesh, err));
done:
    emi_field_free(&task.numbers);
    return status;
}

/* Subtracting the mean after a product loses the digits by which it outweighs the spread: one or two may go. */
static void judge_mean(emi_problem *p)
{
    double size = 0;
    for (int f = 0; f < p->d; f++) size += p->mean[f] * p->mean[f];
    p->standard.mean_is_near = size <= 100 * p->variance;
}

/* ---- the whole --------------------------------------------------------------------------------- */

em_status emi_problem_prepare(emi_problem *p, em_mesh *mesh, const em_shards *shards, const em_options *options,
                              long steps, em_error *err)
{
    em_status status = EM_OK;
    double began = emi_seconds();
    *p = (emi_problem){.mesh = mesh, .shards = shards};
    mesh->phase = EM_SETUP;
    TRY(check_sizes(p, options, err));
    TRY(alloc_problem(p, p->K + emi_options_oversample(options), err));
    TRY(find_mean(p, options->center, err));
    if (options->scale == EM_SCALE_STD) TRY(scale_by_deviation(p, err));
    TRY(judge_memory(p, err));
    TRY(build_operators(p, steps, err));
    if (options->scale == EM_SCALE_SPECTRAL) TRY(scale_by_spectrum(p, err));
    TRY(find_variance(p, err));
    judge_mean(p);
    p->deviation = emi_doubles((size_t)p->d), p->offset = emi_doubles((size_t)p->d);
    TRY(sum_over_network(p, squares_turn, p->deviation, err));
    for (int f = 0; f < p->d; f++) p->deviation[f] = sqrt(p->deviation[f] / (double)p->N), p->offset[f] = fabs(p->mean[f]) / p->scale[f];
    p->seconds = emi_seconds() - began - p->seconds_forming;
done:
    return status;
}

/* The pooled covariance, a panel of columns at a time: exact averages that count as looking on. */
static em_status pool_covariances(emi_problem *p, double *pooled, em_error *err)
{
    enum { PANEL = 64 };
    em_status status = EM_OK;
    emi_field parts = {0};
    int phase = p->mesh->phase;
    p->mesh->phase = EMI_OBSERVING;
    TRY(emi_field_alloc(&parts, p->mesh->hosted, p->d, p->d < PANEL ? p->d : PANEL, err));
    for (int first = 0; first < p->d; first += parts.cols) {
        emi_field panel = parts;
        if (p->d - first < panel.cols) panel = emi_columns(&parts, 0, p->d - first);
        size_t at = (size_t)first * (size_t)p->d, size = (size_t)panel.cols * (size_t)p->d;
        for (int i = 0; i < p->mesh->hosted; i++)
            memcpy(emi_at(&panel, i).v, p->C[i].dense + at, size * sizeof(double));
        emi_tree_average(p->mesh, &panel, pooled + at);
    }
    TRY(mesh_status(p->mesh, err));
done:
    p->mesh->phase = phase;
    emi_field_free(&parts);
    return status;
}

em_status emi_problem_truth(emi_problem *p, int K, double *values, double *vectors, em_error *err)
{
    enum { SPREAD_MOST = 4096 };
    em_status status = EM_OK;
    size_t size = (size_t)p->d * (size_t)p->d;
    double *pooled = NULL;
    int spared = p->C[0].spared;
    if (emi_mesh_is_spread(p->mesh) && p->d > SPREAD_MOST)
        return emi_fail(
            err, EM_ENOTSUP,
            "truth compute: %d features, and the covariance of all data must fit into every process (up to %d); "
            "try --truth none or file:Q.npy",
            p->d, SPREAD_MOST);
    if (!p->dense_fits)
        return emi_fail(
            err, EM_ENOTSUP,
            "truth compute: %d covariances of %d x %d do not fit into memory; try --truth none or file:Q.npy",
            p->mesh->hosted, p->d, p->d);
    TRY(emi_problem_make_dense(p, err));
    for (int i = 0; i < p->mesh->hosted; i++) p->C[i].spared = spared;
    pooled = emi_calloc(size, sizeof *pooled);
    if (!pooled) TRY(emi_fail_memory(err, "truth compute"));
    TRY(pool_covariances(p, pooled, err));
    TRY(emi_top_eigen(pooled, p->d, K, values, vectors, err));
done:
    emi_free(pooled);
    return status;
}

void emi_problem_free(emi_problem *p)
{
    for (int i = 0; p->C && i < p->mesh->hosted; i++) emi_cov_free(&p->C[i]);
    for (int t = 0; p->scratch && t < p->threads; t++) emi_free(p->scratch[t].v);
    emi_free(p->scratch);
    emi_free(p->C);
    emi_free(p->standard.inverse_scale);
    emi_free(p->deviation);
    emi_free(p->offset);
    emi_free(p->scale);
    emi_free(p->mean);
    *p = (emi_problem){0};
}
