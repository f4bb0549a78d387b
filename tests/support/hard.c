#include "support/hard.h"

#include "support/check.h"
#include "support/matrix.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double tolerance = 1e-9;
const char *const direct[] = {"krylov", "covariance", NULL};
const char *const every_exact[] = {"krylov", "covariance", "deepca", "fastpca", NULL};

/* ---- tables ------------------------------------------------------------------------------------ */

double *numbers(size_t count)
{
    double *memory = calloc(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

table gaussian_table(size_t N, int d, uint64_t seed)
{
    table t = {numbers(N * (size_t)d), N, d};
    matrix_fill_table(t.rows, N, d, seed);
    return t;
}

/* Rows whose covariance has exactly this spectrum: sqrt(N) U sqrt(Lambda) Q', U orthonormal and free of a mean. */
table table_of_spectrum(size_t N, int d, const double *spectrum, uint64_t seed)
{
    table t = {numbers(N * (size_t)d), N, d};
    int rows = (int)N, columns = d + 1;
    double *U = numbers(N * (size_t)columns), *tau = numbers((size_t)columns), *Q = numbers((size_t)(d * d)),
           *unused = numbers((size_t)(d * d));
    matrix_fill(U, N * (size_t)columns, seed);
    for (size_t r = 0; r < N; r++) U[r] = 1;
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, U, rows, tau), 0);
    assert_int_equal(LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, columns, columns, U, rows, tau), 0);
    matrix_of_spectrum(unused, Q, d, spectrum, seed);
    for (size_t r = 0; r < N; r++)
        for (int f = 0; f < d; f++)
            for (int k = 0; k < d; k++)
                t.rows[r * (size_t)d + (size_t)f] +=
                    sqrt((double)N * spectrum[k]) * U[(size_t)(k + 1) * N + r] * Q[k * d + f];
    free(unused);
    free(Q);
    free(tau);
    free(U);
    return t;
}

/* A mixture of Gaussians, one class after another: split contiguously, each node sees one of them. */
table sorted_classes(size_t each, int d)
{
    table t = gaussian_table(each * NODES, d, 11);
    for (size_t r = 0; r < t.N; r++) t.rows[r * (size_t)d + r / each] += 12 + 3 * (double)(r / each);
    return t;
}

/* ---- what an exact method owes --------------------------------------------------------------------- */

truth truth_of(const table *t)
{
    return (truth){svd_of_rows(t->rows, t->N, t->d), t->N, t->N};
}

void free_truth(truth *t)
{
    svd_free(&t->exact);
}

double truth_value(const truth *t, int k)
{
    double sigma = k < t->exact.count ? (double)t->exact.sigma[k] : 0;
    return sigma * sigma / (double)t->rows;
}

/* Beside what was there to be rounded this is nothing. */
static int has_variance(const truth *t, int k)
{
    return k < t->exact.count && t->exact.sigma[k] > 8 * DBL_EPSILON * (t->exact.sigma[0] + t->exact.offset);
}

/* The distance to the next eigenvalue, relative to its own. */
static double gap_after(const truth *t, int k)
{
    return k + 1 < t->exact.d ? 1 - truth_value(t, k + 1) / truth_value(t, k) : INFINITY;
}

static const double alike = 1e-8; /* eigenvalues that agree so well are one cluster */

/* The first and the last of those alike to k. */
static void cluster_of(const truth *t, int k, int *first, int *last)
{
    for (*first = k; *first > 0 && gap_after(t, *first - 1) <= alike;) --*first;
    for (*last = k; gap_after(t, *last) <= alike;) ++*last;
}

/* sin <= residual / gap (Davis and Kahan), all of it relative to its own eigenvalue; and what rounding in C leaves. */
static double sine_owed(const truth *t, int first, int last)
{
    double own = truth_value(t, first), gap = gap_after(t, last);
    if (first > 0) gap = fmin(gap, (truth_value(t, first - 1) - own) / own);
    double rounding = 32 * DBL_EPSILON * truth_value(t, 0) / own;
    return 4 * (tolerance + rounding) / gap + svd_own_error(&t->exact, first, last) + 1e-14;
}

static void check_component(const truth *t, const em_model *model, int k)
{
    const char *method = em_model_info(model)->method;
    int first, last, K = em_model_components_count(model), d = t->exact.d;
    cluster_of(t, k, &first, &last);
    assert_true(sine_owed(t, first, last) < 0.5); /* a bound that nothing could fail is no test */
    const double *X = em_model_components(model);
    if (last < K) {
        double sine = svd_sine_of_span(&t->exact, X + first * d, first, last - first + 1);
        double bound = first == last ? em_model_angle_bounds(model)[k] : em_model_subspace_bounds(model)[k];
        double own = svd_own_error(&t->exact, first, last) + 1e-14;
        if (sine > sine_owed(t, first, last) || sine > bound + own)
            fail_msg("%s: components %d to %d are off by %g, %g is owed, %g was said", method, first, last, sine,
                     sine_owed(t, first, last), bound);
    }
    if (em_model_clusters(model)[k] != first)
        fail_msg("%s: component %d is in cluster %d, not %d", method, k, (int)em_model_clusters(model)[k], first);
}

static void check_variance(const truth *t, const em_model *model, int k)
{
    double per_degree = (double)t->samples / (double)(t->samples - 1), own = truth_value(t, k) * per_degree;
    double off = fabs(em_model_explained_variance(model)[k] / own - 1);
    double rounding = 1e-13 * (double)((t->exact.sigma[0] + t->exact.offset) / t->exact.sigma[k]);
    double formed = fmin(1e-6, 4 * DBL_EPSILON * truth_value(t, 0) / truth_value(t, k)); /* of a covariance */
    if (!(off <= fmax(1e-12 + formed, rounding)))
        fail_msg("%s: variance %d is off by %g of its own", em_model_info(model)->method, k, off);
}

static void check_residuals(const em_model *model)
{
    const em_info *info = em_model_info(model);
    int above = 0;
    for (int k = 0; k < info->components; k++) above += !(em_model_residuals(model)[k] <= tolerance);
    if (info->reason != EM_CONVERGED || above != info->limited)
        fail_msg("%s: %s, K = %d, residual %g, %d above the tolerance, %d limited", info->method,
                 em_reason_text(info->reason), info->components, info->worst_residual, above, info->limited);
}

void check_model(const truth *t, const em_model *model)
{
    const em_info *info = em_model_info(model);
    int K = em_model_components_count(model), has = 0;
    check_residuals(model);
    int is_direct = strcmp(info->method, "krylov") == 0 || strcmp(info->method, "covariance") == 0;
    while (has < K && has_variance(t, has)) has++;
    double skew = matrix_departure_from_orthonormal(em_model_components(model), t->exact.d, is_direct ? K : has);
    if (skew > (is_direct ? 1e-12 : 1e-6)) fail_msg("%s: components are orthonormal to %g only", info->method, skew);
    if (info->rank != has) fail_msg("%s: K = %d, rank %d, is %d", info->method, K, info->rank, has);
    for (int k = 0; k < has; k++) {
        check_variance(t, model, k);
        check_component(t, model, k);
    }
    for (int k = has; k < K; k++) assert_true(em_model_explained_variance(model)[k] == 0);
    int open = K < t->exact.d && (has < K || gap_after(t, K - 1) <= alike);
    if (is_direct) assert_int_equal(info->open_cluster, open); /* the others do not come to know it */
}

/* ---- fits ---------------------------------------------------------------------------------------- */

em_options options_of(const char *method, int K)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = tolerance;
    return options;
}

em_model *fit_rows(const void *rows, em_dtype type, size_t N, int d, const em_options *options, const char *split,
                   int nodes, int threads)
{
    em_error err = {0};
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    assert_ok(em_data_from_array(&data, rows, type, N, (size_t)d, 0, 0, &err), &err);
    assert_ok(em_shards_split(&shards, data, nodes, split, 1, &err), &err);
    assert_ok(em_graph_create(&graph, "er:0.6", nodes, 2, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, threads, &err), &err);
    assert_ok(em_fit(&model, options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return model;
}

em_model *fit_table(const table *t, const em_options *options, const char *split)
{
    return fit_rows(t->rows, EM_F64, t->N, t->d, options, split, NODES, 2);
}

void check_fits(const table *t, const table *seen, em_options options, const char *split, const char *const *methods)
{
    truth exact = truth_of(seen);
    for (int m = 0; methods[m]; m++) {
        options.method = methods[m];
        em_model *model = fit_table(t, &options, split);
        check_model(&exact, model);
        em_model_free(&model);
    }
    free_truth(&exact);
}

void check_spectrum(const double *spectrum, int d, int K, const char *const *methods)
{
    table t = table_of_spectrum(60, d, spectrum, 5);
    check_fits(&t, &t, options_of(NULL, K), "contiguous", methods);
    free(t.rows);
}
