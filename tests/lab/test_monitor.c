/* Experiments are watched, and stopped. */
#include "support/contenders.h"

enum { SAMPLES = 200, FEATURES = 8, NODES = 4, K = 2, TRIALS = 3, LIST = 3, ITERATIONS = 15 };

/* Longer than any test may take. */
static const long endless = 1L << 50;

typedef struct report {
    int calls, finished, total; /* of the last */
    int wrong;                  /* calls that made no sense */
    int stop_at;                /* finished runs after which to stop; -1: never */
    int stop_under_way;         /* reports of runs under way after which to stop; 0: never */
    const lab_contender *contenders;
} report;

static int is_a_label(const report *r, const char *label)
{
    int c = 0;
    while (c < LIST && r->contenders[c].label != label) c++;
    return c < LIST;
}

static int watch(const lab_experiment_progress *progress, void *user)
{
    report *r = user;
    if (progress->finished < r->finished || progress->finished > progress->total) r->wrong++;
    if (progress->under_way < 0 || progress->under_way > TRIALS) r->wrong++;
    if (progress->trial < 0 || progress->trial >= TRIALS || !is_a_label(r, progress->label)) r->wrong++;
    r->calls++;
    r->finished = progress->finished;
    r->total = progress->total;
    if (progress->under_way > 0 && --r->stop_under_way == 0) return 1;
    return progress->finished == r->stop_at;
}

static lab_results *run(const lab_contender *list, int threads, report *r)
{
    em_error err = {0};
    em_graph *graph = NULL;
    lab_results *results = NULL;
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, &err), &err);
    const lab_experiment about = {.graph = graph,
                                  .drawn = {FEATURES, SAMPLES, K, 0.5},
                                  .contenders = list,
                                  .contender_count = LIST,
                                  .trials = TRIALS,
                                  .threads = threads,
                                  .monitor = r ? watch : NULL,
                                  .monitor_user = r};
    if (r) r->contenders = list;
    assert_ok(lab_experiment_run(&results, &about, &err), &err);
    em_graph_free(&graph);
    return results;
}

/* Runs a trial: one over the network, one in one place, one a node. */
enum { A_TRIAL = 1 + 1 + NODES };

static void list_all_places(lab_contender list[LIST])
{
    list[0] = contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS);
    list[1] = contender("gha", LAB_EACH_ALONE, K, ITERATIONS);
    list[2] = contender("oi", LAB_IN_ONE_PLACE, K, ITERATIONS);
}

static void every_finished_run_is_reported(void **state)
{
    (void)state;
    lab_contender list[LIST];
    list_all_places(list);
    for (int threads = 1; threads <= 3; threads++) {
        report r = {.stop_at = -1};
        lab_results *results = run(list, threads, &r);
        assert_int_equal(r.wrong, 0);
        assert_int_equal(r.total, TRIALS * A_TRIAL);
        assert_int_equal(r.finished, r.total);
        assert_true(r.calls >= r.total);
        assert_int_equal(lab_results_stopped(results), 0);
        lab_results_free(&results);
    }
}

/* How many runs have a model; all others were not run, which is no error. */
static int count_models(const lab_results *results)
{
    int models = 0;
    for (int c = 0; c < LIST; c++)
        for (int n = 0; n < lab_results_runs(results, c); n++) {
            models += lab_results_model(results, c, n) != NULL;
            assert_int_equal(lab_results_error(results, c, n)->code, EM_OK);
        }
    return models;
}

/* On one core the order is known: a trial after another, in each a contender after another. */
static void after_a_stop_nothing_else_runs(void **state)
{
    (void)state;
    lab_contender list[LIST];
    list_all_places(list);
    for (int stop_at = 1; stop_at < 2 * A_TRIAL; stop_at++) {
        report r = {.stop_at = stop_at};
        lab_results *results = run(list, 1, &r);
        assert_int_equal(r.wrong, 0);
        assert_int_equal(r.finished, stop_at);
        assert_int_equal(lab_results_stopped(results), 1);
        assert_int_equal(count_models(results), stop_at);
        assert_non_null(lab_results_model(results, 0, 0));
        assert_true((lab_results_model(results, 1, 0) != NULL) == (stop_at > 1));
        assert_true((lab_results_model(results, 2, 0) != NULL) == (stop_at > 1 + NODES));
        assert_null(lab_results_model(results, 0, TRIALS - 1));
        for (int c = 0; c < LIST; c++) { /* a contender that did not run in every trial has no curve */
            size_t rows = 1;
            (void)lab_results_curve(results, c, &rows);
            assert_int_equal(rows, 0);
        }
        lab_results_free(&results);
    }
}

/* Runs without an end, of which reports come while they are under way. */
static void a_stop_ends_the_runs_under_way(void **state)
{
    (void)state;
    lab_contender list[LIST];
    for (int threads = 1; threads <= 2; threads++) {
        list_all_places(list);
        for (int c = 0; c < LIST; c++) {
            list[c].options->iterations = endless;
            list[c].options->tolerance = 0;
            list[c].options->trace = EMI_TRACE_NONE;
        }
        report r = {.stop_at = -1, .stop_under_way = 3};
        lab_results *results = run(list, threads, &r);
        assert_int_equal(r.wrong, 0);
        assert_int_equal(lab_results_stopped(results), 1);
        int models = count_models(results);
        assert_true(models >= 1 && models <= threads);
        for (int t = 0; t < TRIALS; t++) {
            const em_model *model = lab_results_model(results, 0, t);
            if (model) assert_int_equal(em_model_info(model)->reason, EM_STOPPED_USER);
        }
        lab_results_free(&results);
    }
}

static int stop_at_seven(const em_progress *progress, void *user)
{
    ++*(int *)user;
    return progress->iteration == 7;
}

/* A contender may have a monitor of its own, which is asked too. */
static void a_contenders_own_monitor_stops_it_all(void **state)
{
    (void)state;
    lab_contender list[LIST];
    int calls = 0;
    list_all_places(list);
    list[1].monitor = stop_at_seven;
    list[1].monitor_user = &calls;
    lab_results *results = run(list, 1, NULL);
    assert_int_equal(calls, 7);
    assert_int_equal(lab_results_stopped(results), 1);
    assert_int_equal(count_models(results), 2);
    assert_int_equal(em_model_info(lab_results_model(results, 0, 0))->reason, EM_STOPPED_ITERATIONS);
    assert_int_equal(em_model_info(lab_results_model(results, 1, 0))->reason, EM_STOPPED_USER);
    assert_int_equal(em_model_info(lab_results_model(results, 1, 0))->iterations, 7);
    lab_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_finished_run_is_reported),
        cmocka_unit_test(after_a_stop_nothing_else_runs),
        cmocka_unit_test(a_stop_ends_the_runs_under_way),
        cmocka_unit_test(a_contenders_own_monitor_stops_it_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
