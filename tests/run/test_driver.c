/* What drives a method: steps, tests, ends and the trace, driven here by hand in place of a method. */
#include "methods/method.h"
#include "run/driver.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <string.h>

enum { NODES = 4, D = 3, K = 2, SIZE = D * K };

typedef struct fixture {
    em_graph *graph;
    em_mesh *mesh;
    double matrix[D * D], room[64];
    emi_operator C[NODES];
    emi_scratch scratch;
    emi_solver solver;
    emi_truth truth;
    emi_observer observer;
    emi_driver driver;
} fixture;

static void open_fixture(fixture *f, long limit)
{
    const double spectrum[D] = {3, 2, 1};
    em_error err = {0};
    memset(f, 0, sizeof *f);
    f->driver.step.first = 0.5;
    assert_ok(em_graph_create(&f->graph, "cycle", NODES, 0, &err), &err);
    assert_ok(em_mesh_open(&f->mesh, NULL, f->graph, 1, &err), &err);
    f->mesh->phase = EM_METHOD;
    matrix_of_spectrum(f->matrix, NULL, D, spectrum, 1);
    for (int i = 0; i < NODES; i++) f->C[i] = (emi_operator){.kind = &emi_by_covariance, .d = D, .dense = f->matrix};
    f->scratch = (emi_scratch){f->room, 64};
    f->solver = (emi_solver){.d = D,
                             .K = K,
                             .mesh = f->mesh,
                             .C = f->C,
                             .scratch = &f->scratch,
                             .variance = 6,
                             .rank = D,
                             .iteration_limit = limit};
    assert_ok(emi_field_alloc(&f->solver.X, NODES, D, K, &err), &err);
    assert_ok(emi_field_alloc(&f->solver.residual, NODES, 1, 1, &err), &err);
    assert_ok(emi_field_alloc(&f->solver.theta, NODES, K, 1, &err), &err);
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < K; k++) emi_at(&f->solver.theta, i).v[k] = spectrum[k];
    for (int i = 0; i < NODES; i++) matrix_fill(emi_at(&f->solver.X, i).v, SIZE, 5 + (uint64_t)i);
    assert_ok(emi_observer_open(&f->observer, &f->solver, &f->truth, &err), &err);
    assert_ok(emi_driver_open(&f->driver, &f->solver, &f->observer, &err), &err);
}

static void close_fixture(fixture *f)
{
    emi_driver_close(&f->driver);
    emi_observer_close(&f->observer);
    emi_field_free(&f->solver.theta);
    emi_field_free(&f->solver.residual);
    emi_field_free(&f->solver.X);
    em_mesh_close(&f->mesh);
    em_graph_free(&f->graph);
}

typedef struct visits {
    long count, stop_at;
    em_progress last;
} visits;

static int visit(const em_progress *progress, void *user)
{
    visits *v = user;
    v->count++;
    assert_int_equal(progress->iteration, v->count);
    v->last = *progress;
    return progress->iteration == v->stop_at;
}

/* An iteration that changes every entry by `by`. */
static void move(emi_solver *s, double by)
{
    for (int i = 0; i < NODES; i++)
        for (int n = 0; n < SIZE; n++) emi_at(&s->X, i).v[n] += by;
}

static void steps_follow_their_schedule(void **state)
{
    (void)state;
    for (int decay = EMI_DECAY_CONSTANT; decay <= EMI_DECAY_POWER; decay++) {
        fixture f;
        open_fixture(&f, 30);
        f.driver.step.decay = (emi_decay)decay;
        f.driver.step.power = 0.7;
        for (long t = 0; emi_next(&f.solver); t++) {
            double factor = decay == EMI_DECAY_SQRT ? sqrt((double)t + 1) : decay ? pow((double)t + 1, 0.7) : 1;
            assert_close(f.solver.step, 0.5 / factor, 1e-15);
        }
        assert_int_equal(f.solver.iteration, 30);
        close_fixture(&f);
    }
}

static void ends_at_the_limit(void **state)
{
    (void)state;
    for (long limit = 0; limit <= 12; limit++) {
        fixture f;
        long turns = 0;
        open_fixture(&f, limit);
        for (; emi_next(&f.solver); turns++) move(&f.solver, 0.01);
        assert_int_equal(emi_finish(&f.solver), EM_OK);
        assert_int_equal(turns, limit);
        assert_int_equal(f.solver.iteration, limit);
        assert_int_equal(f.driver.reason, EM_STOPPED_ITERATIONS);
        assert_int_equal(isnan(f.driver.stopping.change) != 0, limit == 0);
        close_fixture(&f);
    }
}

/* The change is that of the worst column of the worst node, an iteration, relative to the column's length. */
static void stops_under_the_tolerance(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1000);
    f.solver.tolerance = 1e-3;
    long t = 0;
    for (; emi_next(&f.solver); t++) move(&f.solver, pow(0.5, (double)t));
    assert_int_equal(emi_finish(&f.solver), EM_OK);
    assert_int_equal(f.driver.reason, EM_CONVERGED);
    assert_int_equal(t % 5, 0); /* tested every fifth */
    double worst = 0, moved = pow(0.5, (double)t - 5) * (2 - pow(0.5, 4)) * sqrt(D) / 5;
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < K; k++) worst = fmax(worst, moved / emi_norm(D, emi_column_of(emi_at(&f.solver.X, i), k)));
    assert_close(f.driver.stopping.change / worst, 1, 1e-9);
    assert_true(f.driver.stopping.change < 1e-3 && 32 * f.driver.stopping.change > 1e-3);
    close_fixture(&f);
}

/* Of a method that takes steps, the change over the steps taken and the column's own eigenvalue: a smaller step is no
 * sooner at its end, and a column past the rank has none to wait for. */
static void the_change_is_divided_by_the_step(void **state)
{
    (void)state;
    const double factors[] = {1, 1e-3, 1e-7};
    for (int n = 0; n < 3; n++) {
        fixture f;
        open_fixture(&f, 5);
        f.solver.uses = EMI_USES_STEP | EMI_USES_QR; /* its columns are taken as they are */
        f.driver.step.first = factors[n];
        for (int i = 0; i < NODES; i++) emi_at(&f.solver.theta, i).v[1] = 0;
        while (emi_next(&f.solver)) {
            for (int i = 0; i < NODES; i++) emi_at(&f.solver.X, i).v[0] += 1e-3 * factors[n];
            emi_at(&f.solver.X, 1).v[D] += 0.01;
        }
        double worst = 0;
        for (int i = 0; i < NODES; i++) worst = fmax(worst, 1e-3 / emi_norm(D, emi_at(&f.solver.X, i).v));
        assert_close(f.driver.stopping.change * 3 / worst, 1, 1e-5);
        close_fixture(&f);
    }
}

/* A node that knows its residual is asked for that and nothing else; NaN is no residual.  What it says is believed only if
 * the true residual bears it out. */
static void the_residual_decides_where_it_is_known(void **state)
{
    (void)state;
    const double residuals[] = {1e-3, 1e-9, NAN, 1e-9}, spectrum[D] = {3, 2, 1};
    const em_reason reasons[] = {EM_STOPPED_ITERATIONS, EM_STOPPED_ITERATIONS, EM_STOPPED_DIVERGED, EM_CONVERGED};
    const int ends[] = {20, 20, 5, 5};
    for (int n = 0; n < 4; n++) {
        fixture f;
        visits v = {0};
        double Q[D * D];
        open_fixture(&f, 20);
        f.driver.monitor = visit;
        f.driver.monitor_user = &v;
        f.solver.tolerance = 1e-6;
        f.solver.knows_residual = 1;
        matrix_of_spectrum(f.matrix, Q, D, spectrum, 1);
        for (int i = 0; i < NODES && n == 3; i++) memcpy(emi_at(&f.solver.X, i).v, Q, sizeof *Q * SIZE);
        while (emi_next(&f.solver)) {
            if (n < 3) move(&f.solver, 0.01);
            *emi_at(&f.solver.residual, 2).v = residuals[n];
        }
        assert_int_equal(emi_finish(&f.solver), EM_OK);
        assert_int_equal(f.driver.reason, reasons[n]);
        assert_int_equal(f.solver.iteration, ends[n]);
        if (reasons[n] == EM_STOPPED_ITERATIONS) assert_true(v.last.residual == residuals[n]);
        close_fixture(&f);
    }
}

/* Neither what a column moves by nor an idea of its eigenvalue may be NaN, at any node, and pass for rest. */
static void not_a_number_is_no_rest(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++)
        for (int node = 0; node < NODES; node++) {
            fixture f;
            open_fixture(&f, 20);
            f.solver.tolerance = 1e-6;
            f.solver.uses = what == 1 ? EMI_USES_STEP : 0;
            emi_field tracked = {0};
            em_error err = {0};
            assert_ok(emi_field_alloc(&tracked, NODES, D, K, &err), &err);
            if (what == 2) f.solver.extra[0] = tracked;
            for (int t = 0; emi_next(&f.solver); t++) {
                if (what == 0) emi_at(&f.solver.X, node).v[1] = NAN;
                if (what == 1) emi_at(&f.solver.theta, node).v[1] = NAN;
                if (what == 2) emi_at(&tracked, node).v[2] = NAN;
            }
            assert_int_equal(emi_finish(&f.solver), EM_OK);
            assert_true(f.driver.reason < 0);
            emi_field_free(&tracked);
            close_fixture(&f);
        }
}

/* A column that turns over is the same direction. */
static void a_change_of_sign_is_no_change(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1000);
    f.solver.tolerance = 1e-12;
    for (int t = 0; emi_next(&f.solver); t++)
        for (int n = 0; n < D; n++) emi_at(&f.solver.X, 2).v[n] *= -1;
    assert_int_equal(emi_finish(&f.solver), EM_OK);
    assert_int_equal(f.driver.reason, EM_CONVERGED);
    assert_int_equal(f.solver.iteration, 5);
    close_fixture(&f);
}

static void divergence_restores_the_last_sound_estimate(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e4};
    for (int n = 0; n < 4; n++)
        for (int when = 0; when < 10; when++) {
            fixture f;
            double sound[SIZE];
            open_fixture(&f, 1000);
            for (int t = 0; emi_next(&f.solver); t++) {
                if (t % 5 == 0) memcpy(sound, emi_at(&f.solver.X, 3).v, sizeof sound);
                move(&f.solver, 0.01);
                if (t == when) emi_at(&f.solver.X, 3).v[n] = bad[n];
            }
            assert_int_equal(emi_finish(&f.solver), EM_OK);
            assert_int_equal(f.driver.reason, EM_STOPPED_DIVERGED);
            assert_int_equal(f.solver.iteration, when < 5 ? 5 : 10); /* the next test */
            assert_memory_equal(emi_at(&f.solver.X, 3).v, sound, sizeof sound);
            close_fixture(&f);
        }
}

static void the_monitor_may_stop_it(void **state)
{
    (void)state;
    fixture f;
    visits v = {.stop_at = 7};
    open_fixture(&f, 100);
    f.driver.monitor = visit;
    f.driver.monitor_user = &v;
    while (emi_next(&f.solver)) move(&f.solver, 0.01);
    assert_int_equal(emi_finish(&f.solver), EM_OK);
    assert_int_equal(f.driver.reason, EM_STOPPED_USER);
    assert_int_equal(f.solver.iteration, 7);
    assert_int_equal(v.count, 7);
    assert_int_equal(v.last.limit, 100);
    assert_true(v.last.change > 0 && v.last.tolerance == 0 && v.last.seconds >= 0 && isnan(v.last.error));
    assert_true(isnan(v.last.residual)); /* of this method it is not known */
    assert_false(emi_next(&f.solver));   /* over is over */
    close_fixture(&f);
}

/* Columns one after another: each has its own limit and its own test. */
static void columns_have_turns(void **state)
{
    (void)state;
    fixture f;
    long turns[K] = {0};
    open_fixture(&f, 40);
    f.solver.tolerance = 1e-9;
    for (int k = 0; k < K; k++)
        for (; emi_next_column(&f.solver, k, 20); turns[k]++)
            if (k == 0) emi_column_of(emi_at(&f.solver.X, 1), 0)[0] += 0.01; /* the first one never rests */
    assert_int_equal(emi_finish(&f.solver), EM_OK);
    assert_int_equal(turns[0], 20);
    assert_int_equal(turns[1], 5);
    assert_int_equal(f.solver.iteration, 25);
    assert_int_equal(f.driver.reason, EM_STOPPED_ITERATIONS); /* one of them was not found */
    close_fixture(&f);
}

static void the_trace_has_a_row_an_iteration(void **state)
{
    (void)state;
    enum { LIMIT = 600 }; /* more than the first allocation holds */
    fixture f;
    open_fixture(&f, LIMIT);
    f.driver.trace.kind = 1;
    emi_field mixed = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&mixed, NODES, D, K, &err), &err);
    while (emi_next(&f.solver)) {
        emi_mix_begin(f.mesh, &f.solver.X);
        emi_mix_end(f.mesh, &mixed);
        emi_swap(&f.solver.X, &mixed);
    }
    assert_int_equal(f.driver.trace.count, LIMIT + 1);
    for (long t = 0; t <= LIMIT; t++) {
        const em_trace_row *row = &f.driver.trace.rows[t];
        uint64_t sent = 2 * NODES * (uint64_t)t; /* a cycle has as many edges as nodes */
        assert_int_equal(row->iteration, t);
        assert_int_equal(row->rounds, t);
        assert_int_equal(row->messages, sent);
        assert_int_equal(row->bytes, sent * SIZE * sizeof(double));
        assert_close(row->units, (double)(sent * SIZE), 1e-15); /* numbers, until there is a model to measure by */
        assert_true(isnan(row->error) && isfinite(row->residual));
        assert_true(t == 0 ? row->seconds == 0 : row->seconds >= row[-1].seconds);
        assert_true(t == 0 || row->consensus <= row[-1].consensus * 1.0000001 + 1e-14);
    }
    assert_true(f.driver.trace.rows[0].consensus > 0.1 && f.driver.trace.rows[LIMIT].consensus < 1e-12);
    emi_field_free(&mixed);
    close_fixture(&f);
}

/* What stopping costs is counted as control: up and down the tree at every test, nothing in between. */
static void tests_are_paid_by_control(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 23);
    while (emi_next(&f.solver)) move(&f.solver, 0.01);
    assert_int_equal(f.mesh->count[EM_METHOD].messages, 0);
    assert_int_equal(f.mesh->count[EM_CONTROL].messages, 5 * 2 * (NODES - 1)); /* at 5, 10, 15, 20 and the end */
    assert_int_equal(f.mesh->phase, EM_METHOD);
    close_fixture(&f);
}

static void units_are_the_paper_s(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1);
    assert_true(emi_units(f.mesh, D, K, 0) == 0);
    assert_close(emi_units(f.mesh, D, K, 2 * NODES * SIZE * 3), 3, 1e-15);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_follow_their_schedule),
        cmocka_unit_test(ends_at_the_limit),
        cmocka_unit_test(stops_under_the_tolerance),
        cmocka_unit_test(the_change_is_divided_by_the_step),
        cmocka_unit_test(the_residual_decides_where_it_is_known),
        cmocka_unit_test(not_a_number_is_no_rest),
        cmocka_unit_test(a_change_of_sign_is_no_change),
        cmocka_unit_test(divergence_restores_the_last_sound_estimate),
        cmocka_unit_test(the_monitor_may_stop_it),
        cmocka_unit_test(columns_have_turns),
        cmocka_unit_test(the_trace_has_a_row_an_iteration),
        cmocka_unit_test(tests_are_paid_by_control),
        cmocka_unit_test(units_are_the_paper_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
