/* A contender's curve, recomputed from the traces of its runs. */
#include "support/contenders.h"
#include "support/matrix.h"
#include "support/models.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 300, FEATURES = 10, NODES = 4, K = 2, TRIALS = 3 };

static lab_results *run(const lab_contender *list, int count, const em_data *data, int trials)
{
    em_error err = {0};
    em_graph *graph = NULL;
    lab_results *results = NULL;
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, &err), &err);
    const lab_experiment about = {.graph = graph,
                                  .data = data,
                                  .drawn = {FEATURES, SAMPLES, K, 0.5},
                                  .contenders = list,
                                  .contender_count = count,
                                  .trials = trials,
                                  .seed = 2};
    assert_ok(lab_experiment_run(&results, &about, &err), &err);
    em_graph_free(&graph);
    return results;
}

static size_t trace_rows(const lab_results *results, int c, int n)
{
    size_t rows = 0;
    (void)trace_of(lab_results_model(results, c, n), &rows);
    return rows;
}

/* A run's row, held where it ended. */
static const em_trace_row *held(const lab_results *results, int c, int n, size_t at)
{
    size_t rows = 0;
    const em_trace_row *trace = trace_of(lab_results_model(results, c, n), &rows);
    return &trace[at < rows ? at : rows - 1];
}

/* Equal but for the rounding of a sum of a few terms, however small. */
static void check_mean(double got, double sum, int runs)
{
    double wanted = sum / runs;
    if (!(fabs(got - wanted) <= 1e-14 * fabs(wanted))) fail_msg("a mean of %.17g, wanted %.17g", got, wanted);
}

static void check_row(const lab_results *results, int c, const lab_curve_row *row, size_t at)
{
    int runs = lab_results_runs(results, c);
    double rounds = 0, bytes = 0, units = 0, error = 0, least = held(results, c, 0, at)->error, most = least;
    for (int n = 0; n < runs; n++) {
        const em_trace_row *now = held(results, c, n, at);
        rounds += (double)now->rounds;
        bytes += (double)now->bytes;
        units += now->units;
        error += now->error;
        if (now->error < least) least = now->error;
        if (now->error > most) most = now->error;
    }
    assert_int_equal(row->iteration, at);
    check_mean(row->rounds, rounds, runs);
    check_mean(row->bytes, bytes, runs);
    check_mean(row->units, units, runs);
    check_mean(row->error, error, runs);
    assert_true(row->least == least && row->most == most);
}

/* All rows of a curve that must have so many. */
static void check_curve(const lab_results *results, int c, size_t wanted)
{
    size_t rows = 0;
    const lab_curve_row *curve = lab_results_curve(results, c, &rows);
    assert_int_equal(rows, wanted);
    for (size_t at = 0; at < rows; at++) check_row(results, c, &curve[at], at);
}

static void runs_of_one_length(void **state)
{
    (void)state;
    enum { ITERATIONS = 25 };
    lab_contender list[] = {contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS),
                            contender("oi", LAB_IN_ONE_PLACE, K, ITERATIONS),
                            contender("gha", LAB_EACH_ALONE, K, ITERATIONS)};
    for (int c = 0; c < 3; c++) list[c].options->tolerance = 0;
    lab_results *results = run(list, 3, NULL, TRIALS);
    for (int c = 0; c < 3; c++) {
        size_t rows = 0;
        check_curve(results, c, ITERATIONS + 1);
        const lab_curve_row *last = &lab_results_curve(results, c, &rows)[ITERATIONS];
        assert_true(last->least < last->error && last->error < last->most);
        assert_true(c == 0 ? last->bytes > 0 : last->bytes == 0);
    }
    lab_results_free(&results);
}

/* The curve goes on to the end of the last, with the others where they converged. */
static void runs_that_converge_sooner_are_held(void **state)
{
    (void)state;
    lab_contender list[] = {contender("deepca", LAB_OVER_NETWORK, K, 5000), contender("oi", LAB_IN_ONE_PLACE, K, 5000),
                            contender("gha", LAB_EACH_ALONE, K, 100000)};
    for (int c = 0; c < 3; c++) list[c].options->tolerance = 1e-10;
    lab_results *results = run(list, 3, NULL, TRIALS);
    for (int c = 0; c < 3; c++) {
        size_t shortest = SIZE_MAX, longest = 0;
        for (int n = 0; n < lab_results_runs(results, c); n++) {
            assert_int_equal(em_model_info(lab_results_model(results, c, n))->reason, EM_CONVERGED);
            size_t rows = trace_rows(results, c, n);
            if (rows < shortest) shortest = rows;
            if (rows > longest) longest = rows;
        }
        assert_true(shortest < longest);
        check_curve(results, c, longest);
    }
    lab_results_free(&results);
}

/* Node 0's rows are ten times as large: the step that suits all others is fifty times too long for it. */
static void a_run_that_diverges_ends_the_curve(void **state)
{
    (void)state;
    em_error err = {0};
    double *values = malloc(sizeof *values * SAMPLES * FEATURES);
    em_data *data = NULL;
    assert_non_null(values);
    matrix_fill_table(values, SAMPLES, FEATURES, 4);
    for (int n = 0; n < SAMPLES / NODES * FEATURES; n++) values[n] *= 10;
    assert_ok(em_data_from_array(&data, values, EM_F64, SAMPLES, FEATURES, 0, 0, &err), &err);
    lab_contender list[] = {contender("gha", LAB_EACH_ALONE, K, 300), contender("dsa", LAB_OVER_NETWORK, K, 300)};
    list[0].options->step = 0.05;
    list[1].options->step = 1e3;
    lab_results *results = run(list, 2, data, 1);
    assert_int_equal(em_model_info(lab_results_model(results, 0, 0))->reason, EM_STOPPED_DIVERGED);
    for (int n = 1; n < NODES; n++) {
        assert_int_not_equal(em_model_info(lab_results_model(results, 0, n))->reason, EM_STOPPED_DIVERGED);
        assert_true(trace_rows(results, 0, n) > trace_rows(results, 0, 0));
    }
    check_curve(results, 0, trace_rows(results, 0, 0));
    assert_int_equal(em_model_info(lab_results_model(results, 1, 0))->reason, EM_STOPPED_DIVERGED);
    check_curve(results, 1, trace_rows(results, 1, 0));
    lab_results_free(&results);
    em_data_free(&data);
    free(values);
}

static void the_error_alone_is_the_same_error(void **state)
{
    (void)state;
    lab_contender list[] = {contender("dsa", LAB_OVER_NETWORK, K, 30), contender("deepca", LAB_OVER_NETWORK, K, 30),
                            contender("gha", LAB_EACH_ALONE, K, 30)};
    lab_results *all = run(list, 3, NULL, 2);
    for (int c = 0; c < 3; c++) list[c].options->trace = EMI_TRACE_ERROR;
    lab_results *alone = run(list, 3, NULL, 2);
    for (int c = 0; c < 3; c++) {
        size_t rows = 0, others = 0;
        const lab_curve_row *curve = lab_results_curve(all, c, &rows), *other = lab_results_curve(alone, c, &others);
        assert_true(rows > 1 && rows == others);
        assert_memory_equal(curve, other, rows * sizeof *curve);
        for (int n = 0; n < lab_results_runs(alone, c); n++)
            for (size_t at = 0; at < trace_rows(alone, c, n); at++) {
                const em_trace_row *full = held(all, c, n, at), *row = held(alone, c, n, at);
                assert_true(isfinite(full->residual) && isfinite(full->consensus));
                assert_true(isnan(row->residual) && isnan(row->consensus) && row->error == full->error);
            }
    }
    lab_results_free(&alone);
    lab_results_free(&all);
}

/* What is not known is NaN. */
static void without_a_truth_only_counts_are_drawn(void **state)
{
    (void)state;
    enum { ITERATIONS = 6 };
    size_t rows = 0;
    lab_contender one = contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS);
    one.options->truth_compute = 0;
    lab_results *results = run(&one, 1, NULL, 2);
    const lab_curve_row *curve = lab_results_curve(results, 0, &rows);
    assert_int_equal(rows, ITERATIONS + 1);
    for (size_t at = 0; at < rows; at++) {
        assert_true(isnan(curve[at].error) && isnan(curve[at].least) && isnan(curve[at].most));
        assert_true(curve[at].rounds == (double)at);
    }
    lab_results_free(&results);
}

static void without_a_trace_there_is_no_curve(void **state)
{
    (void)state;
    size_t rows = 1;
    lab_contender one = contender("dsa", LAB_OVER_NETWORK, K, 6);
    one.options->trace = EMI_TRACE_NONE;
    lab_results *results = run(&one, 1, NULL, 2);
    (void)lab_results_curve(results, 0, &rows);
    assert_int_equal(rows, 0);
    assert_true(isfinite(em_model_info(lab_results_model(results, 0, 1))->error));
    lab_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_length),
        cmocka_unit_test(runs_that_converge_sooner_are_held),
        cmocka_unit_test(a_run_that_diverges_ends_the_curve),
        cmocka_unit_test(the_error_alone_is_the_same_error),
        cmocka_unit_test(without_a_truth_only_counts_are_drawn),
        cmocka_unit_test(without_a_trace_there_is_no_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
