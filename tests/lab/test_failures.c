/* What goes wrong in one contender is its result; what is wrong with the question ends the whole experiment.  This
 * program has a LAPACK whose divide-and-conquer eigensolver, which krylov uses, always fails. */
#include "support/contenders.h"
#include "support/models.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

lapack_int LAPACKE_dsyevd_work(int layout, char job, char triangle, lapack_int n, double *A, lapack_int stride,
                               double *w, double *work, lapack_int room, lapack_int *iwork, lapack_int iroom)
{
    (void)layout, (void)job, (void)triangle, (void)n, (void)A, (void)stride, (void)w;
    if (room == -1 && iroom == -1) *work = *iwork = 1; /* asked how much it needs */
    return 7;
}

enum { SAMPLES = 200, FEATURES = 8, NODES = 4, K = 2, ITERATIONS = 10 };

static em_graph *graph;

static int open_graph(void **state)
{
    (void)state;
    return em_graph_create(&graph, "cycle", NODES, 0, NULL);
}

static int close_graph(void **state)
{
    (void)state;
    em_graph_free(&graph);
    return 0;
}

static lab_experiment experiment_of(const lab_contender *list, int count)
{
    return (lab_experiment){.graph = graph,
                            .drawn = {FEATURES, SAMPLES, K, 0.5},
                            .contenders = list,
                            .contender_count = count,
                            .trials = 2};
}

/* ---- results --------------------------------------------------------------------------------- */

/* It came to nothing, and its curve ends where it broke off: before its first iteration. */
static void check_broken(const lab_results *results, int c)
{
    size_t rows = 0;
    for (int n = 0; n < lab_results_runs(results, c); n++) {
        const em_model *model = lab_results_model(results, c, n);
        assert_int_equal(lab_results_error(results, c, n)->code, EM_OK);
        assert_non_null(model);
        assert_int_equal(em_model_info(model)->reason, EM_STOPPED_DIVERGED);
    }
    const lab_curve_row *curve = lab_results_curve(results, c, &rows);
    assert_int_equal(rows, 1);
    assert_true(curve[0].iteration == 0 && curve[0].error > 1e-3);
}

/* The others run, before it and after it, in all trials, as if it had not been there. */
static void a_breakdown_is_a_result(void **state)
{
    (void)state;
    enum { LIST = 5 };
    const lab_contender list[LIST] = {
        contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS), contender("krylov", LAB_OVER_NETWORK, K, ITERATIONS),
        contender("deepca", LAB_OVER_NETWORK, K, ITERATIONS), contender("krylov", LAB_EACH_ALONE, K, ITERATIONS),
        contender("gha", LAB_IN_ONE_PLACE, K, ITERATIONS)};
    const lab_contender sound[] = {list[0], list[2], list[4]};
    lab_experiment about = experiment_of(list, LIST), without = experiment_of(sound, 3);
    lab_results *results = NULL, *others = NULL;
    em_error err = {0};
    for (about.threads = 1; about.threads <= 2; about.threads++) {
        assert_ok(lab_experiment_run(&results, &about, &err), &err);
        assert_ok(lab_experiment_run(&others, &without, &err), &err);
        assert_int_equal(err.code, EM_OK); /* an error is filled on failure only */
        assert_int_equal(lab_results_stopped(results), 0);
        check_broken(results, 1);
        check_broken(results, 3);
        for (int c = 0; c < 3; c++)
            for (int n = 0; n < about.trials; n++) {
                assert_int_equal(lab_results_error(results, 2 * c, n)->code, EM_OK);
                assert_same_model(lab_results_model(results, 2 * c, n), lab_results_model(others, c, n));
            }
        lab_results_free(&others);
        lab_results_free(&results);
    }
}

/* auto tries krylov first where there are many features; what it finds in the end is no failure. */
static void a_breakdown_that_auto_gets_over_is_none(void **state)
{
    (void)state;
    em_error err = {0};
    lab_results *results = NULL;
    const lab_contender one = contender("auto", LAB_OVER_NETWORK, 1, ITERATIONS);
    lab_experiment about = experiment_of(&one, 1);
    about.drawn.features = 300;
    assert_ok(lab_experiment_run(&results, &about, &err), &err);
    for (int n = 0; n < about.trials; n++) {
        assert_int_equal(lab_results_error(results, 0, n)->code, EM_OK);
        assert_non_null(strstr(em_model_info(lab_results_model(results, 0, n))->choice, "; krylov: diverged, "));
    }
    lab_results_free(&results);
}

static void who_asks_for_no_error_still_gets_results(void **state)
{
    (void)state;
    const lab_contender list[] = {contender("krylov", LAB_OVER_NETWORK, K, ITERATIONS),
                                  contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS)};
    lab_experiment about = experiment_of(list, 2);
    for (about.trials = 1; about.trials <= 2; about.trials++) {
        lab_results *results = NULL;
        assert_int_equal(lab_experiment_run(&results, &about, NULL), EM_OK);
        check_broken(results, 0);
        assert_non_null(lab_results_model(results, 1, 0));
        lab_results_free(&results);
    }
}

/* ---- wrong questions ---------------------------------------------------------------------------- */

#define assert_experiment_refused(about, words) check_refused(about, words, __FILE__, __LINE__)
static void check_refused(const lab_experiment *about, const char *words, const char *file, int line)
{
    em_error err = {0};
    lab_results *results = (lab_results *)&err; /* must be left NULL */
    check_fails(lab_experiment_run(&results, about, &err), EM_EINVAL, words, &err, "experiment", file, line);
    assert_null(results);
    results = (lab_results *)&err;
    assert_int_equal(lab_experiment_run(&results, about, NULL), EM_EINVAL);
    assert_null(results);
}

static void an_experiment_needs_something_to_do(void **state)
{
    (void)state;
    const lab_contender one = contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS);
    const lab_experiment sound = experiment_of(&one, 1);
    lab_experiment about = sound;
    about.trials = 0;
    assert_experiment_refused(&about, "a graph, a contender and a trial are needed");
    about = sound;
    about.contender_count = 0;
    assert_experiment_refused(&about, "a graph, a contender and a trial are needed");
    about = sound;
    about.graph = NULL;
    assert_experiment_refused(&about, "a graph, a contender and a trial are needed");
    about = sound;
    about.threads = -1;
    assert_experiment_refused(&about, "threads: -1");
    about = sound;
    about.drawn.components = 0;
    assert_experiment_refused(&about, "components");
}

typedef void mistake(em_options *options);

static void unread_option(em_options *options)
{
    options->consensus_rounds = 3;
}

static void unknown_method(em_options *options)
{
    options->method = "magic";
}

static void single_node_method(em_options *options)
{
    options->method = "gha";
}

static void too_many_components(em_options *options)
{
    options->components = FEATURES + 1;
}

static void negative_step(em_options *options)
{
    options->step = -1;
}

static void no_tolerance(em_options *options)
{
    options->tolerance = NAN;
}

/* Whichever contender makes the mistake, and in whatever number of trials, there is no result. */
static void a_wrong_option_ends_the_whole(void **state)
{
    (void)state;
    static const struct {
        mistake *make;
        const char *words;
    } mistakes[] = {
        {unread_option, "consensus-rounds: not used by method dsa"},
        {unknown_method, "method magic: no such method"},
        {single_node_method, "method gha: needs all data in one place"},
        {too_many_components, "try 8 or fewer"},
        {negative_step, "step: -1"},
        {no_tolerance, "tolerance: nan"},
    };
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        lab_contender list[2];
        lab_experiment about = experiment_of(list, 2);
        for (int wrong = 0; wrong < 2; wrong++) {
            for (int c = 0; c < 2; c++) list[c] = contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS);
            mistakes[m].make(list[wrong].options);
            for (about.trials = 1; about.trials <= 2; about.trials++)
                assert_experiment_refused(&about, mistakes[m].words);
        }
    }
}

/* Errors are against what all data says, which only a contender over the network finds out. */
static void somebody_runs_over_the_network(void **state)
{
    (void)state;
    const lab_contender list[] = {contender("gha", LAB_IN_ONE_PLACE, K, ITERATIONS),
                                  contender("gha", LAB_EACH_ALONE, K, ITERATIONS)};
    lab_experiment about = experiment_of(list, 2);
    assert_experiment_refused(&about, "no contender runs over the network");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_breakdown_is_a_result),
        cmocka_unit_test(a_breakdown_that_auto_gets_over_is_none),
        cmocka_unit_test(who_asks_for_no_error_still_gets_results),
        cmocka_unit_test(an_experiment_needs_something_to_do),
        cmocka_unit_test(a_wrong_option_ends_the_whole),
        cmocka_unit_test(somebody_runs_over_the_network),
    };
    return cmocka_run_group_tests(tests, open_graph, close_graph);
}
