/* Data that methods stumble over, against LAPACK on the pooled rows.  What an exact method owes is stated once, in
 * check_model: it holds for every table, repeated eigenvalues and rank deficiency included. */
#include "support/check.h"
#include "support/matrix.h"
#include "support/truth.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 5 };
static const double tolerance = 1e-9, alike = 1e-8; /* of the fits; of eigenvalues, relative to the first */

typedef struct table {
    double *rows;
    size_t N;
    int d;
} table;

static const char *const direct[] = {"krylov", "covariance", NULL};
static const char *const every_exact[] = {"krylov", "covariance", "deepca", "fastpca", NULL};

/* ---- tables ------------------------------------------------------------------------------------ */

static double *numbers(size_t count)
{
    double *memory = calloc(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static table gaussian_table(size_t N, int d, uint64_t seed)
{
    table t = {numbers(N * (size_t)d), N, d};
    matrix_fill_table(t.rows, N, d, seed);
    return t;
}

/* Rows whose covariance has exactly this spectrum: sqrt(N) U sqrt(Lambda) Q', U orthonormal and free of a mean. */
static table table_of_spectrum(size_t N, int d, const double *spectrum, uint64_t seed)
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
static table sorted_classes(size_t each, int d)
{
    table t = gaussian_table(each * NODES, d, 11);
    for (size_t r = 0; r < t.N; r++) t.rows[r * (size_t)d + r / each] += 12 + 3 * (double)(r / each);
    return t;
}

/* ---- what an exact method owes --------------------------------------------------------------------- */

typedef struct truth {
    double *values, *vectors;
} truth;

/* The squared distance of x from the span of the unit vectors q_first .. q_last. */
static double outside(const double *x, const truth *t, int d, int first, int last)
{
    double *rest = numbers((size_t)d), sum = 0;
    memcpy(rest, x, sizeof *x * (size_t)d);
    for (int k = first; k <= last; k++) {
        const double *q = t->vectors + k * d;
        double along = 0;
        for (int f = 0; f < d; f++) along += rest[f] * q[f];
        for (int f = 0; f < d; f++) rest[f] -= along * q[f];
    }
    for (int f = 0; f < d; f++) sum += rest[f] * rest[f];
    free(rest);
    return sum;
}

/* Component k lies in the subspace of the eigenvalues that are alike: sin <= residual / gap (Davis and Kahan). */
static void check_component(const table *t, const truth *exact, const em_model *model, int k, const char *method)
{
    const double *values = exact->values;
    double scale = values[0], gap = INFINITY;
    int first = k, last = k;
    while (first > 0 && values[first - 1] - values[first] <= alike * scale) first--;
    while (last + 1 < t->d && values[last] - values[last + 1] <= alike * scale) last++;
    if (first > 0) gap = values[first - 1] - values[first];
    if (last + 1 < t->d) gap = fmin(gap, values[last] - values[last + 1]);
    double angle = sqrt(outside(em_model_components(model) + k * t->d, exact, t->d, first, last));
    if (angle > 4 * (tolerance + 1e-14) * scale / gap + 1e-12)
        fail_msg("%s: component %d is off by %g, the gap being %g", method, k, angle, gap / scale);
    assert_int_equal(em_model_clusters(model)[k], first);
}

static void check_model(const table *t, const truth *exact, const em_model *model)
{
    const em_info *info = em_model_info(model);
    int K = em_model_components_count(model);
    double per_degree = (double)t->N / (double)(t->N - 1), scale = exact->values[0];
    if (info->reason != EM_CONVERGED)
        fail_msg("%s: %s, residual %g", info->method, em_reason_text(info->reason), info->worst_residual);
    assert_true(info->worst_residual <= tolerance);
    int is_direct = strcmp(info->method, "krylov") == 0 || strcmp(info->method, "covariance") == 0;
    double skew = matrix_departure_from_orthonormal(em_model_components(model), t->d, K);
    if (skew > (is_direct ? 1e-12 : 4 * tolerance * scale / exact->values[K - 1]))
        fail_msg("%s: components are orthonormal to %g only", info->method, skew);
    for (int k = 0; k < K; k++) {
        double off = fabs(em_model_explained_variance(model)[k] / per_degree - exact->values[k]);
        if (off > 1e-12 * scale) fail_msg("%s: variance %d is off by %g", info->method, k, off / scale);
        check_component(t, exact, model, k, info->method);
    }
    int open = K < t->d && exact->values[K - 1] - exact->values[K] <= alike * scale;
    if (is_direct) assert_int_equal(info->open_cluster, open); /* the others do not come to know it */
}

static truth truth_of(const table *t)
{
    truth exact = {numbers((size_t)t->d), numbers((size_t)(t->d * t->d))};
    truth_pca(t->rows, t->N, t->d, exact.values, exact.vectors);
    return exact;
}

static void free_truth(truth *exact)
{
    free(exact->vectors);
    free(exact->values);
}

/* ---- fits ---------------------------------------------------------------------------------------- */

static em_options options_of(const char *method, int K)
{
    em_options options = em_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = tolerance;
    return options;
}

static em_model *fit(const table *t, const em_options *options, const char *split)
{
    em_error err = {0};
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    assert_ok(em_data_from_array(&data, t->rows, EM_F64, t->N, (size_t)t->d, 0, 0, &err), &err);
    assert_ok(em_shards_split(&shards, data, NODES, split, 1, &err), &err);
    assert_ok(em_graph_create(&graph, "er:0.6", NODES, 2, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 2, &err), &err);
    assert_ok(em_fit(&model, options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return model;
}

/* Each method on the table; `seen` is the table as --scale and --no-center make it. */
static void check_fits(const table *t, const table *seen, em_options options, const char *split,
                       const char *const *methods)
{
    truth exact = truth_of(seen);
    for (int m = 0; methods[m]; m++) {
        options.method = methods[m];
        em_model *model = fit(t, &options, split);
        check_model(seen, &exact, model);
        em_model_free(&model);
    }
    free_truth(&exact);
}

static void check_spectrum(const double *spectrum, int d, int K, const char *const *methods)
{
    table t = table_of_spectrum(60, d, spectrum, 5);
    check_fits(&t, &t, options_of(NULL, K), "contiguous", methods);
    free(t.rows);
}

/* ---- how rows lie on the nodes --------------------------------------------------------------------- */

static void rows_sorted_by_class(void **state)
{
    (void)state;
    table t = sorted_classes(40, 9);
    check_fits(&t, &t, options_of(NULL, 4), "contiguous", every_exact);
    free(t.rows);
}

static void very_unequal_shards(void **state)
{
    (void)state;
    static const double spectrum[10] = {5, 3, 2, 1.2, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05};
    table t = table_of_spectrum(400, 10, spectrum, 3);
    check_fits(&t, &t, options_of(NULL, 3), "sizes:350,1,40,7,2", every_exact);
    free(t.rows);
}

/* ---- spectra --------------------------------------------------------------------------------------- */

static void rank_below_and_at_K(void **state)
{
    (void)state;
    static const double rank_three[9] = {3, 2, 1}, rank_one[9] = {3};
    check_spectrum(rank_three, 9, 3, every_exact);
    check_spectrum(rank_three, 9, 2, every_exact);
    check_spectrum(rank_three, 9, 5, direct);
    check_spectrum(rank_three, 9, 9, direct);
    check_spectrum(rank_one, 9, 1, every_exact);
    check_spectrum(rank_one, 9, 4, direct);
}

static void repeated_eigenvalues(void **state)
{
    (void)state;
    static const double triple[12] = {4, 2, 2, 2, 1, 0.8, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1};
    static const double all_alike[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    check_spectrum(triple, 12, 4, every_exact); /* the cluster is inside */
    check_spectrum(triple, 12, 5, every_exact);
    check_spectrum(triple, 12, 2, direct); /* and across the boundary */
    check_spectrum(triple, 12, 3, direct);
    check_spectrum(triple, 12, 11, direct);
    check_spectrum(all_alike, 8, 3, direct);
    check_spectrum(all_alike, 8, 8, direct);
}

/* Two alike to seven digits are two; two alike to ten are one cluster. */
static void nearly_repeated_eigenvalues(void **state)
{
    (void)state;
    static const double seven[10] = {4, 2, 2 - 4e-7, 1.5, 1, 0.8, 0.6, 0.4, 0.2, 0.1};
    static const double ten[10] = {4, 2, 2 - 4e-10, 1.5, 1, 0.8, 0.6, 0.4, 0.2, 0.1};
    for (int K = 2; K <= 4; K++) {
        check_spectrum(seven, 10, K, direct);
        check_spectrum(ten, 10, K, direct);
    }
}

static void eigenvalues_over_twelve_decades(void **state)
{
    (void)state;
    double spectrum[13];
    for (int k = 0; k < 13; k++) spectrum[k] = pow(10, -k);
    const int Ks[] = {1, 5, 8, 12, 13};
    for (int n = 0; n < 5; n++) check_spectrum(spectrum, 13, Ks[n], direct);
    for (int k = 0; k < 13; k++) spectrum[k] *= 1e-200; /* small numbers are no smaller a problem */
    check_spectrum(spectrum, 13, 5, direct);
}

/* ---- shapes ---------------------------------------------------------------------------------------- */

static void all_components_and_one(void **state)
{
    (void)state;
    table t = gaussian_table(50, 8, 4);
    check_fits(&t, &t, options_of(NULL, 8), "contiguous", direct);
    check_fits(&t, &t, options_of(NULL, 7), "contiguous", direct);
    check_fits(&t, &t, options_of(NULL, 1), "contiguous", every_exact);
    free(t.rows);
}

static void more_features_than_rows(void **state)
{
    (void)state;
    table t = gaussian_table(15, 40, 6);
    const int Ks[] = {1, 4, 14, 15}; /* 14 is the rank, once the mean is gone */
    for (int n = 0; n < 4; n++) check_fits(&t, &t, options_of(NULL, Ks[n]), "sizes:7,1,4,1,2", direct);
    free(t.rows);
}

/* Products with the data, where forming covariances would cost more; and formed, where it would not. */
static void both_operators(void **state)
{
    (void)state;
    table wide = gaussian_table(60, 150, 8), tall = gaussian_table(2000, 6, 9);
    truth exact_wide = truth_of(&wide), exact_tall = truth_of(&tall);
    em_options options = options_of("krylov", 3);
    em_model *implicit = fit(&wide, &options, "contiguous"), *dense = fit(&tall, &options, "contiguous");
    assert_string_equal(em_model_info(implicit)->operator_name, "implicit");
    assert_string_equal(em_model_info(dense)->operator_name, "dense");
    check_model(&wide, &exact_wide, implicit);
    check_model(&tall, &exact_tall, dense);
    em_model_free(&dense);
    em_model_free(&implicit);
    free_truth(&exact_tall);
    free_truth(&exact_wide);
    free(tall.rows);
    free(wide.rows);
}

static void constant_and_duplicate_columns(void **state)
{
    (void)state;
    table t = gaussian_table(80, 9, 10);
    for (size_t r = 0; r < t.N; r++) {
        double *row = t.rows + r * (size_t)t.d;
        row[2] = 1e6;
        row[5] = row[0];
        row[7] = -row[1];
        row[8] = 0;
    }
    check_fits(&t, &t, options_of(NULL, 3), "contiguous", every_exact);
    check_fits(&t, &t, options_of(NULL, 7), "contiguous", direct); /* the rank is 5 */
    free(t.rows);
}

/* ---- scales and the mean ------------------------------------------------------------------------------ */

/* Every column divided by its deviation; a constant one left as it is. */
static table standardised(const table *t)
{
    table out = {numbers(t->N * (size_t)t->d), t->N, t->d};
    size_t d = (size_t)t->d;
    for (size_t f = 0; f < d; f++) {
        double mean = 0, sum = 0;
        for (size_t r = 0; r < t->N; r++) mean += t->rows[r * d + f] / (double)t->N;
        for (size_t r = 0; r < t->N; r++) sum += pow(t->rows[r * d + f] - mean, 2);
        double deviation = sum > 0 ? sqrt(sum / (double)(t->N - 1)) : 1;
        for (size_t r = 0; r < t->N; r++) out.rows[r * d + f] = t->rows[r * d + f] / deviation;
    }
    return out;
}

static void unit_variance(void **state)
{
    (void)state;
    table t = sorted_classes(30, 7);
    for (size_t r = 0; r < t.N; r++) t.rows[r * 7 + 6] = 3;
    table seen = standardised(&t);
    em_options options = options_of(NULL, 3);
    options.scale = EM_SCALE_STD;
    check_fits(&t, &seen, options, "contiguous", every_exact);
    options.method = "krylov";
    em_model *model = fit(&t, &options, "contiguous");
    assert_int_equal(em_model_info(model)->constant_features, 1);
    em_model_free(&model);
    free(seen.rows);
    free(t.rows);
}

static void unit_first_eigenvalue(void **state)
{
    (void)state;
    table t = sorted_classes(30, 7), seen = {numbers(t.N * 7), t.N, 7};
    truth exact = truth_of(&t);
    for (size_t n = 0; n < t.N * 7; n++) seen.rows[n] = t.rows[n] / sqrt(exact.values[0]);
    em_options options = options_of(NULL, 3);
    options.scale = EM_SCALE_SPECTRAL;
    check_fits(&t, &seen, options, "contiguous", every_exact);
    free_truth(&exact);
    free(seen.rows);
    free(t.rows);
}

/* Second moments are the covariance of the rows and their mirror images together. */
static void the_mean_left_in(void **state)
{
    (void)state;
    table t = gaussian_table(70, 6, 12), seen = {numbers(2 * t.N * 6), 2 * t.N, 6};
    for (size_t n = 0; n < t.N * 6; n++) seen.rows[n] = t.rows[n], seen.rows[t.N * 6 + n] = -t.rows[n];
    truth exact = truth_of(&seen);
    em_options options = options_of(NULL, 3);
    options.center = 0;
    for (int m = 0; every_exact[m]; m++) {
        options.method = every_exact[m];
        em_model *model = fit(&t, &options, "contiguous");
        for (int f = 0; f < 6; f++) assert_true(em_model_mean(model)[f] == 0);
        table same_N = {seen.rows, t.N, 6}; /* variances are divided by the rows there are */
        check_model(&same_N, &exact, model);
        em_model_free(&model);
    }
    free_truth(&exact);
    free(seen.rows);
    free(t.rows);
}

/* ---- K as a fraction ------------------------------------------------------------------------------------ */

static int fewest(const truth *exact, int d, double fraction)
{
    double all = 0, sum = 0;
    for (int k = 0; k < d; k++) all += exact->values[k];
    for (int k = 0; k < d; k++) {
        sum += exact->values[k];
        if (sum >= fraction * all) return k + 1;
    }
    return d;
}

static void fractions_of_variance(void **state)
{
    (void)state;
    static const double fractions[] = {0.01, 0.5, 0.9, 0.999, 0.9999999};
    static const char *const methods[] = {"krylov", "covariance", "auto"};
    table tables[] = {gaussian_table(100, 30, 13), gaussian_table(20, 45, 14), sorted_classes(20, 6)};
    for (int n = 0; n < 3; n++) {
        truth exact = truth_of(&tables[n]);
        for (int c = 0; c < 5; c++)
            for (int m = 0; m < 3; m++) {
                em_options options = options_of(methods[m], 0);
                options.variance = fractions[c];
                em_model *model = fit(&tables[n], &options, "contiguous");
                assert_int_equal(em_model_components_count(model), fewest(&exact, tables[n].d, fractions[c]));
                assert_int_equal(em_model_info(model)->components, em_model_components_count(model));
                check_model(&tables[n], &exact, model);
                em_model_free(&model);
            }
        free_truth(&exact);
        free(tables[n].rows);
    }
}

/* ---- starts and ends -------------------------------------------------------------------------------------- */

/* All columns of the start alike: the others have to be found all the same. */
static void a_start_of_rank_one(void **state)
{
    (void)state;
    double init[9 * 3];
    static const double spectrum[9] = {4, 2.5, 1.5, 0.8, 0.5, 0.3, 0.2, 0.1, 0.05};
    table t = table_of_spectrum(60, 9, spectrum, 15);
    em_options options = options_of(NULL, 3);
    options.init = init;
    for (int n = 0; n < 27; n++) init[n] = 0.1 * (n / 3 + 1);
    check_fits(&t, &t, options, "contiguous", every_exact);
    free(t.rows);
}

/* Without a tolerance the limit is the end, and what was found by then is kept. */
static void tolerance_zero(void **state)
{
    (void)state;
    table t = gaussian_table(100, 40, 16);
    for (int m = 0; every_exact[m]; m++) {
        if (strcmp(every_exact[m], "covariance") == 0) continue; /* one iteration is all it has */
        em_options options = options_of(every_exact[m], 2);
        options.tolerance = 0;
        options.iterations = 4;
        em_model *model = fit(&t, &options, "contiguous");
        assert_int_equal(em_model_info(model)->reason, EM_STOPPED_ITERATIONS);
        assert_int_equal(em_model_info(model)->iterations, 4);
        assert_true(isfinite(em_model_info(model)->worst_residual));
        em_model_free(&model);
    }
    free(t.rows);
}

/* No arithmetic gets there: it ends, at the limit or where rounding leaves nothing to do, with all digits there are. */
static void a_tolerance_out_of_reach(void **state)
{
    (void)state;
    table tables[] = {gaussian_table(100, 12, 17),
                      gaussian_table(60, 120, 18)}; /* few columns, and enough to restart */
    for (int n = 0; n < 2; n++)
        for (int m = 0; every_exact[m]; m++) {
            em_options options = options_of(every_exact[m], 1);
            options.tolerance = 1e-30;
            if (strcmp(every_exact[m], "covariance") != 0) options.iterations = 600;
            em_model *model = fit(&tables[n], &options, "contiguous");
            const em_info *info = em_model_info(model);
            assert_true(info->reason == EM_CONVERGED || info->reason == EM_STOPPED_ITERATIONS);
            assert_true(info->reason != EM_CONVERGED || info->worst_residual <= 1e-14);
            if (strcmp(info->method, "fastpca") != 0) assert_true(info->worst_residual <= 1e-13); /* it needs longer */
            em_model_free(&model);
        }
    for (int n = 0; n < 2; n++) free(tables[n].rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sorted_by_class),
        cmocka_unit_test(very_unequal_shards),
        cmocka_unit_test(rank_below_and_at_K),
        cmocka_unit_test(repeated_eigenvalues),
        cmocka_unit_test(nearly_repeated_eigenvalues),
        cmocka_unit_test(eigenvalues_over_twelve_decades),
        cmocka_unit_test(all_components_and_one),
        cmocka_unit_test(more_features_than_rows),
        cmocka_unit_test(both_operators),
        cmocka_unit_test(constant_and_duplicate_columns),
        cmocka_unit_test(unit_variance),
        cmocka_unit_test(unit_first_eigenvalue),
        cmocka_unit_test(the_mean_left_in),
        cmocka_unit_test(fractions_of_variance),
        cmocka_unit_test(a_start_of_rank_one),
        cmocka_unit_test(tolerance_zero),
        cmocka_unit_test(a_tolerance_out_of_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
