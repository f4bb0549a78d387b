/* What is reported of a run, against the formulas written out over all nodes. */
#include "run/observe.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 6, D = 7, K = 3, SIZE = D * K };

/* A run that stands still: nodes with covariances and estimates of their own. */
typedef struct fixture {
    em_graph *graph;
    em_mesh *mesh;
    double matrices[NODES][D * D], mean_matrix[D * D], truth[D * D];
    emi_operator C[NODES];
    emi_solver solver;
    emi_observer observer;
    double room[SIZE * 4];
    emi_truth known;
    emi_scratch scratch[2];
} fixture;

static void open_fixture(fixture *f, int with_truth, int threads)
{
    em_error err = {0};
    memset(f, 0, sizeof *f);
    assert_ok(em_graph_create(&f->graph, "cycle", NODES, 0, &err), &err);
    assert_ok(em_mesh_open(&f->mesh, NULL, f->graph, threads, &err), &err);
    for (int i = 0; i < NODES; i++) {
        double spectrum[D];
        for (int n = 0; n < D; n++) spectrum[n] = (1 + 0.1 * i) * pow(0.6, n);
        matrix_of_spectrum(f->matrices[i], NULL, D, spectrum, (uint64_t)i);
        for (int n = 0; n < D * D; n++) f->mean_matrix[n] += f->matrices[i][n] / NODES;
        f->C[i] = (emi_operator){.kind = &emi_by_covariance, .d = D, .dense = f->matrices[i]};
    }
    const double ones[D] = {1, 1, 1, 1, 1, 1, 1};
    matrix_of_spectrum(f->room, f->truth, D, ones, 99);
    f->scratch[0] = (emi_scratch){f->room, SIZE * 2};
    f->scratch[1] = (emi_scratch){f->room + SIZE * 2, SIZE * 2};
    f->solver = (emi_solver){.d = D, .K = K, .mesh = f->mesh, .C = f->C, .scratch = f->scratch};
    assert_ok(emi_field_alloc(&f->solver.X, NODES, D, K, &err), &err);
    for (int i = 0; i < NODES; i++) {
        emi_block X = emi_at(&f->solver.X, i);
        matrix_fill(X.v, SIZE, 40 + (uint64_t)i);
        for (int n = 0; n < SIZE; n++) X.v[n] = f->truth[n] + 0.3 * X.v[n];
    }
    f->known = (emi_truth){.K = K, .vectors = with_truth ? f->truth : NULL};
    assert_ok(emi_observer_open(&f->observer, &f->solver, &f->known, &err), &err);
}

static void close_fixture(fixture *f)
{
    emi_observer_close(&f->observer);
    emi_field_free(&f->solver.X);
    em_mesh_close(&f->mesh);
    em_graph_free(&f->graph);
}

static void mean_estimate(fixture *f, double *mean)
{
    memset(mean, 0, sizeof *mean * SIZE);
    for (int i = 0; i < NODES; i++)
        for (int n = 0; n < SIZE; n++) mean[n] += emi_at(&f->solver.X, i).v[n] / NODES;
}

static double norm(const double *x, int count)
{
    double sum = 0;
    for (int n = 0; n < count; n++) sum += x[n] * x[n];
    return sqrt(sum);
}

static void the_estimate_is_the_nodes_mean(void **state)
{
    (void)state;
    fixture f;
    double mean[SIZE];
    open_fixture(&f, 0, 2);
    mean_estimate(&f, mean);
    emi_observe_estimate(&f.observer);
    for (int n = 0; n < SIZE; n++) assert_close(f.observer.estimate[n], mean[n], 1e-15);
    close_fixture(&f);
}

/* max_i ||X_i - Xbar||_F / ||Xbar||_F */
static void consensus_is_the_farthest_node(void **state)
{
    (void)state;
    fixture f;
    double mean[SIZE], farthest = 0;
    open_fixture(&f, 0, 1);
    mean_estimate(&f, mean);
    for (int i = 0; i < NODES; i++) {
        double apart[SIZE];
        for (int n = 0; n < SIZE; n++) apart[n] = emi_at(&f.solver.X, i).v[n] - mean[n];
        farthest = fmax(farthest, norm(apart, SIZE));
    }
    emi_observe_estimate(&f.observer);
    assert_close(emi_observe_consensus(&f.observer), farthest / norm(mean, SIZE), 1e-14);
    for (int i = 1; i < NODES; i++) memcpy(emi_at(&f.solver.X, i).v, emi_at(&f.solver.X, 0).v, sizeof mean);
    emi_observe_estimate(&f.observer);
    assert_true(emi_observe_consensus(&f.observer) < 1e-15);
    close_fixture(&f);
}

/* theta_k = x_k' C x_k and r_k = ||C x_k - theta_k x_k|| / theta_k, x_k the mean estimate's unit columns. */
static void residuals_are_the_formula(void **state)
{
    (void)state;
    fixture f;
    double mean[SIZE], Cx[SIZE], theta[K], wanted = 0;
    open_fixture(&f, 0, 2);
    mean_estimate(&f, mean);
    for (int k = 0; k < K; k++) {
        double length = norm(mean + k * D, D);
        for (int n = 0; n < D; n++) mean[k * D + n] /= length;
    }
    matrix_multiply(f.mean_matrix, mean, Cx, D, D, K);
    emi_observe_estimate(&f.observer);
    double got = emi_observe_residual(&f.observer);
    for (int k = 0; k < K; k++) {
        theta[k] = 0;
        for (int n = 0; n < D; n++) theta[k] += mean[k * D + n] * Cx[k * D + n];
        for (int n = 0; n < D; n++) Cx[k * D + n] -= theta[k] * mean[k * D + n];
        assert_close(f.observer.theta[k], theta[k], 1e-14);
        assert_close(f.observer.residual[k], norm(Cx + k * D, D) / theta[k], 1e-14);
        wanted += norm(Cx + k * D, D) / theta[k] / K;
    }
    assert_close(got, wanted, 1e-14);
    close_fixture(&f);
}

/* E = (1/MK) sum_i sum_k 1 - (x_ik' q_k / ||x_ik||)^2 */
static void error_is_the_formula(void **state)
{
    (void)state;
    fixture f;
    double wanted = 0;
    open_fixture(&f, 1, 1);
    double got = emi_observe_error(&f.observer);
    for (int k = 0; k < K; k++) {
        double column = 0;
        for (int i = 0; i < NODES; i++) {
            const double *x = emi_column_of(emi_at(&f.solver.X, i), k), *q = f.truth + k * D;
            double dot = 0;
            for (int n = 0; n < D; n++) dot += x[n] * q[n];
            column += (1 - pow(dot / norm(x, D), 2)) / NODES;
        }
        assert_close(f.observer.error[k], column, 1e-14);
        wanted += column / K;
    }
    assert_close(got, wanted, 1e-14);
    assert_true(wanted > 0.01);
    for (int i = 0; i < NODES; i++) /* any length and either sign of the truth itself is no error */
        for (int n = 0; n < SIZE; n++) emi_at(&f.solver.X, i).v[n] = (i % 2 ? -3 : 2) * f.truth[n];
    assert_true(emi_observe_error(&f.observer) < 1e-30);
    close_fixture(&f);
}

static void without_a_truth_there_is_no_error(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 0, 1);
    assert_true(isnan(emi_observe_error(&f.observer)));
    close_fixture(&f);
}

/* Whoever asks says which phase pays. */
static void looking_on_is_counted_apart(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1, 1);
    f.mesh->phase = EMI_OBSERVING;
    emi_observe_estimate(&f.observer);
    (void)emi_observe_consensus(&f.observer);
    (void)emi_observe_residual(&f.observer);
    (void)emi_observe_error(&f.observer);
    for (int phase = 0; phase < EM_PHASES; phase++) assert_int_equal(f.mesh->count[phase].messages, 0);
    assert_int_equal(f.mesh->count[EMI_OBSERVING].messages, 4 * 2 * (NODES - 1));
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_the_nodes_mean),    cmocka_unit_test(consensus_is_the_farthest_node),
        cmocka_unit_test(residuals_are_the_formula),         cmocka_unit_test(error_is_the_formula),
        cmocka_unit_test(without_a_truth_there_is_no_error), cmocka_unit_test(looking_on_is_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
