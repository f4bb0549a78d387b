/* Every allocation of an experiment is made to fail once.  Where that was in a contender's run it is a result and the
 * others have theirs; elsewhere the experiment fails.  Everything is given back either way. */
#include "lab/tables/generate.h"
#include "support/contenders.h"
#include "support/failing_memory.h"

enum { SAMPLES = 24, FEATURES = 4, NODES = 3, K = 2, ITERATIONS = 3, LIST = 5 };

/* Runs without a model; each says that memory ran out. */
static int count_failures(const lab_results *results)
{
    int failures = 0;
    for (int c = 0; c < LIST; c++)
        for (int n = 0; n < lab_results_runs(results, c); n++) {
            const em_error *error = lab_results_error(results, c, n);
            assert_true((lab_results_model(results, c, n) == NULL) == (error->code != EM_OK));
            if (error->code == EM_OK) continue;
            assert_fails(error->code, EM_ENOMEM, "out of memory", error);
            failures++;
        }
    return failures;
}

/* What one failing allocation led to. */
typedef enum outcome { UNHARMED, FAILED, RESULT } outcome;

static outcome run_once(const lab_experiment *about)
{
    em_error err = {0};
    lab_results *results = NULL;
    em_status status = lab_experiment_run(&results, about, &err);
    if (status != EM_OK) {
        assert_fails(status, EM_ENOMEM, "out of memory", &err);
        assert_null(results);
        return FAILED;
    }
    int failures = count_failures(results);
    assert_true(failures <= 1);
    assert_int_equal(lab_results_stopped(results), 0);
    lab_results_free(&results);
    return failures ? RESULT : UNHARMED;
}

/* How often each outcome came, of all allocations that there are. */
static void count_outcomes(const lab_experiment *about, int count[3])
{
    long before = memory_live();
    for (long n = 0, failed = 1; failed; n++) {
        memory_fail_at(n);
        outcome came = run_once(about);
        failed = memory_has_failed();
        memory_fail_at(-1);
        assert_int_equal(memory_live(), before);
        assert_true((came == UNHARMED) == !failed);
        count[came]++;
    }
}

static void check_counts(const lab_experiment *about)
{
    int count[3] = {0};
    count_outcomes(about, count);
    assert_int_equal(count[UNHARMED], 1);
    assert_true(count[FAILED] > 40 && count[RESULT] > 60);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    em_error err = {0};
    em_graph *graph = NULL;
    em_data *data = NULL;
    const lab_contender list[LIST] = {
        contender("krylov", LAB_OVER_NETWORK, K, ITERATIONS), contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS),
        contender("oi", LAB_IN_ONE_PLACE, K, ITERATIONS), contender("gha", LAB_EACH_ALONE, K, ITERATIONS),
        contender("auto", LAB_OVER_NETWORK, K, ITERATIONS)};
    assert_ok(em_graph_create(&graph, "path", NODES, 0, &err), &err);
    assert_ok(lab_generate(&data, FEATURES, SAMPLES, K, 0.5, 0, &err), &err);
    lab_experiment about = {.graph = graph,
                            .drawn = {FEATURES, SAMPLES, K, 0.5},
                            .contenders = list,
                            .contender_count = LIST,
                            .threads = 1};
    for (about.trials = 1; about.trials <= 2; about.trials++) check_counts(&about);
    about.trials = 1;
    about.data = data;
    check_counts(&about);
    em_data_free(&data);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
