/* An experiment is nothing but fits: each run is what em_fit gives for the same problem, whatever ran before it, beside
 * it, and on however many cores. */
#include "lab/tables/generate.h"
#include "support/contenders.h"
#include "support/models.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 300, FEATURES = 12, NODES = 5, K = 2, ITERATIONS = 40, TRIALS = 4 };

static em_graph *make_graph(int nodes)
{
    em_error err = {0};
    em_graph *graph = NULL;
    assert_ok(em_graph_create(&graph, "er:0.6", nodes, 3, &err), &err);
    return graph;
}

static em_data *draw(uint64_t seed)
{
    em_error err = {0};
    em_data *data = NULL;
    assert_ok(lab_generate(&data, FEATURES, SAMPLES, K, 0.6, seed, &err), &err);
    return data;
}

static lab_results *run(const lab_experiment *about)
{
    em_error err = {0};
    lab_results *results = NULL;
    assert_ok(lab_experiment_run(&results, about, &err), &err);
    assert_int_equal(lab_results_stopped(results), 0);
    return results;
}

/* The fit that a run must equal: on this graph, or on a single node where it is NULL. */
static em_model *fit(const em_shards *shards, const em_graph *graph, const em_options *options, uint64_t seed)
{
    em_error err = {0};
    em_graph *single = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options own = *options;
    own.seed = seed;
    if (!graph) assert_ok(em_graph_create(&single, "complete", 1, 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph ? graph : single, 1, &err), &err);
    assert_ok(em_fit(&model, &own, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&single);
    return model;
}

static void check_run(const lab_results *results, int c, int number, em_model *wanted)
{
    assert_int_equal(lab_results_error(results, c, number)->code, EM_OK);
    assert_same_model(lab_results_model(results, c, number), wanted);
    em_model_free(&wanted);
}

/* ---- the same as em_fit ------------------------------------------------------------------------ */

static const char *const over_network[] = {"krylov", "deepca", "dsa", "covariance", "auto", "fastpca", "seqdistpm"};
enum { OVER_NETWORK = sizeof over_network / sizeof *over_network };

static void list_over_network(lab_contender *list)
{
    for (int c = 0; c < OVER_NETWORK; c++) list[c] = contender(over_network[c], LAB_OVER_NETWORK, K, ITERATIONS);
}

static void over_the_network_it_is_em_fit(void **state)
{
    (void)state;
    em_error err = {0};
    lab_contender list[OVER_NETWORK];
    em_graph *graph = make_graph(NODES);
    em_data *data = draw(11);
    em_shards *shards = NULL;
    assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, &err), &err);
    for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_STD; scale++) {
        list_over_network(list);
        for (int c = 0; c < OVER_NETWORK; c++) list[c].options->scale = (emi_scale)scale;
        lab_experiment about = {
            .graph = graph, .data = data, .contenders = list, .contender_count = OVER_NETWORK, .trials = 1, .seed = 7};
        lab_results *results = run(&about);
        for (int c = 0; c < OVER_NETWORK; c++) {
            assert_int_equal(lab_results_runs(results, c), 1);
            check_run(results, c, 0, fit(shards, graph, list[c].options, 7));
        }
        lab_results_free(&results);
    }
    em_shards_free(&shards);
    em_data_free(&data);
    em_graph_free(&graph);
}

/* The pooled eigenvectors, by LAPACK, as the d x K that em_options takes. */
static void pooled_truth(const em_data *data, double *truth)
{
    em_error err = {0};
    double *rows = malloc(sizeof *rows * SAMPLES * FEATURES), values[FEATURES], vectors[FEATURES * FEATURES];
    assert_non_null(rows);
    assert_ok(em_data_read(data, 0, SAMPLES, rows, &err), &err);
    truth_pca(rows, SAMPLES, FEATURES, values, vectors);
    for (int f = 0; f < FEATURES; f++)
        for (int k = 0; k < K; k++) truth[f * K + k] = vectors[k * FEATURES + f];
    free(rows);
}

/* Where all data is in one place, and where every node has only its own, errors are against the pooled truth. */
static void in_one_place_and_alone_it_is_em_fit(void **state)
{
    (void)state;
    enum { LIST = 5, EACH = SAMPLES / NODES };
    em_error err = {0};
    double truth[FEATURES * K];
    em_graph *graph = make_graph(NODES);
    em_data *data = draw(13);
    em_shards *whole = NULL, *own = NULL;
    lab_contender list[LIST] = {
        contender("gha", LAB_EACH_ALONE, K, ITERATIONS), contender("oi", LAB_IN_ONE_PLACE, K, ITERATIONS),
        contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS), contender("gha", LAB_IN_ONE_PLACE, K, ITERATIONS),
        contender("krylov", LAB_EACH_ALONE, K, ITERATIONS)};
    pooled_truth(data, truth);
    for (int c = 0; c < LIST; c++) list[c].options->truth = truth;
    lab_experiment about = {
        .graph = graph, .data = data, .contenders = list, .contender_count = LIST, .trials = 1, .seed = 9};
    lab_results *results = run(&about);
    assert_ok(em_shards_split(&whole, data, 1, NULL, 0, &err), &err);
    check_run(results, 1, 0, fit(whole, NULL, list[1].options, 9));
    check_run(results, 3, 0, fit(whole, NULL, list[3].options, 9));
    double *rows = malloc(sizeof *rows * EACH * FEATURES);
    assert_non_null(rows);
    for (int node = 0; node < NODES; node++) {
        em_data *part = NULL;
        assert_ok(em_data_read(data, (size_t)node * EACH, EACH, rows, &err), &err);
        assert_ok(em_data_from_array(&part, rows, EM_F64, EACH, FEATURES, 0, 0, &err), &err);
        assert_ok(em_shards_split(&own, part, 1, NULL, 0, &err), &err);
        for (int c = 0; c < LIST; c += 4) {
            assert_int_equal(lab_results_runs(results, c), NODES);
            check_run(results, c, node, fit(own, NULL, list[c].options, 9));
            assert_true(em_model_info(lab_results_model(results, c, node))->error > 1e-3); /* a fifth of the rows */
        }
        em_shards_free(&own);
        em_data_free(&part);
    }
    assert_true(em_model_info(lab_results_model(results, 1, 0))->error < 1e-3);
    free(rows);
    lab_results_free(&results);
    em_shards_free(&whole);
    em_data_free(&data);
    em_graph_free(&graph);
}

/* The truth that an experiment computes is LAPACK's on the pooled rows, in all places. */
static void the_computed_truth_is_the_pooled_one(void **state)
{
    (void)state;
    enum { LIST = 3 };
    double truth[FEATURES * K];
    em_graph *graph = make_graph(NODES);
    em_data *data = draw(14);
    lab_contender list[LIST] = {contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS),
                                contender("gha", LAB_IN_ONE_PLACE, K, ITERATIONS),
                                contender("gha", LAB_EACH_ALONE, K, ITERATIONS)};
    lab_experiment about = {.graph = graph, .data = data, .contenders = list, .contender_count = LIST, .trials = 1};
    lab_results *computed = run(&about);
    pooled_truth(data, truth);
    for (int c = 0; c < LIST; c++) list[c].options->truth = truth;
    lab_results *given = run(&about);
    for (int c = 0; c < LIST; c++)
        for (int n = 0; n < lab_results_runs(given, c); n++)
            assert_close(em_model_info(lab_results_model(computed, c, n))->error,
                         em_model_info(lab_results_model(given, c, n))->error, 1e-13);
    lab_results_free(&given);
    lab_results_free(&computed);
    em_data_free(&data);
    em_graph_free(&graph);
}

/* What a fit computed the truth to be is there to be read, up to the sign, and is what another may be measured by. */
static void the_exact_components_are_told(void **state)
{
    (void)state;
    em_error err = {0};
    double truth[FEATURES * K];
    em_graph *graph = make_graph(NODES);
    em_data *data = draw(15);
    em_shards *shards = NULL;
    lab_contender dsa = contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS);
    assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, &err), &err);
    pooled_truth(data, truth);
    em_model *model = fit(shards, graph, dsa.options, 0);
    const double *exact = em_model_exact_components(model);
    assert_non_null(exact);
    for (int k = 0; k < K; k++) {
        double cosine = 0;
        for (int f = 0; f < FEATURES; f++) cosine += exact[k * FEATURES + f] * truth[f * K + k];
        assert_close(fabs(cosine), 1, 1e-12);
    }
    em_options_set_truth(dsa.options, truth, FEATURES, K);
    em_model *given = fit(shards, graph, dsa.options, 0);
    assert_null(em_model_exact_components(given)); /* it computed none */
    assert_close(em_model_info(given)->error, em_model_info(model)->error, 1e-13);
    em_model_free(&given);
    em_model_free(&model);
    em_shards_free(&shards);
    em_data_free(&data);
    em_graph_free(&graph);
}

/* ---- whatever ran before ------------------------------------------------------------------------ */

static void the_order_of_contenders_does_not_matter(void **state)
{
    (void)state;
    lab_contender list[OVER_NETWORK], backwards[OVER_NETWORK];
    em_graph *graph = make_graph(NODES);
    list_over_network(list);
    for (int c = 0; c < OVER_NETWORK; c++) backwards[c] = list[OVER_NETWORK - 1 - c];
    lab_experiment about = {.graph = graph,
                            .drawn = {FEATURES, SAMPLES, K, 0.6},
                            .contenders = list,
                            .contender_count = OVER_NETWORK,
                            .trials = 1};
    lab_results *forth = run(&about);
    about.contenders = backwards;
    lab_results *back = run(&about);
    for (int c = 0; c < OVER_NETWORK; c++)
        assert_same_model(lab_results_model(forth, c, 0), lab_results_model(back, OVER_NETWORK - 1 - c, 0));
    lab_results_free(&back);
    lab_results_free(&forth);
    em_graph_free(&graph);
}

/* Few products do not pay for a covariance, many do: both kinds, in either order, are as if they were alone. */
static void each_has_the_operator_of_its_own(void **state)
{
    (void)state;
    enum { WIDE = SAMPLES / NODES };
    em_error err = {0};
    em_graph *graph = make_graph(NODES);
    em_data *data = NULL;
    em_shards *shards = NULL;
    const lab_contender list[] = {
        contender("krylov", LAB_OVER_NETWORK, K, -1), contender("dsa", LAB_OVER_NETWORK, K, 100),
        contender("covariance", LAB_OVER_NETWORK, K, -1), contender("krylov", LAB_OVER_NETWORK, K, -1)};
    static const char *const operators[] = {"implicit", "dense", "dense", "implicit"};
    assert_ok(lab_generate(&data, WIDE, SAMPLES, K, 0.6, 1, &err), &err);
    assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, &err), &err);
    lab_experiment about = {.graph = graph, .data = data, .contenders = list, .contender_count = 4, .trials = 1};
    lab_results *results = run(&about);
    for (int c = 0; c < 4; c++) {
        assert_string_equal(em_model_info(lab_results_model(results, c, 0))->operator_name, operators[c]);
        check_run(results, c, 0, fit(shards, graph, list[c].options, 0));
    }
    lab_results_free(&results);
    em_shards_free(&shards);
    em_data_free(&data);
    em_graph_free(&graph);
}

/* The first has a narrow block, the second one as wide as the whole space. */
static void a_wide_block_after_a_narrow_one(void **state)
{
    (void)state;
    em_graph *graph = make_graph(NODES);
    lab_contender list[2] = {contender("krylov", LAB_OVER_NETWORK, K, 3), contender("krylov", LAB_OVER_NETWORK, K, 3)};
    list[0].options->oversample = 0;
    list[1].options->oversample = FEATURES;
    lab_experiment about = {
        .graph = graph, .drawn = {FEATURES, SAMPLES, K, 0.6}, .contenders = list, .contender_count = 2, .trials = 1};
    lab_results *results = run(&about);
    assert_int_equal(em_model_info(lab_results_model(results, 1, 0))->iterations, 1);
    assert_true(em_model_info(lab_results_model(results, 1, 0))->error < 1e-20);
    lab_results_free(&results);
    em_graph_free(&graph);
}

/* ---- trials and cores ----------------------------------------------------------------------------- */

static void check_same_results(const lab_results *a, const lab_results *b, int contenders)
{
    for (int c = 0; c < contenders; c++) {
        size_t rows = 0, others = 0;
        const lab_curve_row *left = lab_results_curve(a, c, &rows), *right = lab_results_curve(b, c, &others);
        assert_true(rows > 1 && rows == others);
        assert_memory_equal(left, right, rows * sizeof *left);
        assert_int_equal(lab_results_runs(a, c), lab_results_runs(b, c));
        for (int n = 0; n < lab_results_runs(a, c); n++)
            assert_same_model(lab_results_model(a, c, n), lab_results_model(b, c, n));
    }
}

static void list_everywhere(lab_contender list[4])
{
    list[0] = contender("krylov", LAB_OVER_NETWORK, K, ITERATIONS);
    list[1] = contender("dsa", LAB_OVER_NETWORK, K, ITERATIONS);
    list[2] = contender("oi", LAB_IN_ONE_PLACE, K, ITERATIONS);
    list[3] = contender("gha", LAB_EACH_ALONE, K, ITERATIONS);
}

/* All four of them, on data that is drawn. */
static lab_experiment everywhere(const em_graph *graph, lab_contender *list, int trials, uint64_t seed, int threads)
{
    list_everywhere(list);
    return (lab_experiment){.graph = graph,
                            .drawn = {FEATURES, SAMPLES, K, 0.6},
                            .contenders = list,
                            .contender_count = 4,
                            .trials = trials,
                            .seed = seed,
                            .threads = threads};
}

static void cores_do_not_change_trials(void **state)
{
    (void)state;
    lab_contender list[4];
    em_graph *graph = make_graph(NODES);
    lab_experiment about = everywhere(graph, list, TRIALS, 5, 1);
    lab_results *one = run(&about);
    for (about.threads = 2; about.threads <= 3; about.threads++) {
        lab_results *several = run(&about);
        check_same_results(one, several, 4);
        lab_results_free(&several);
    }
    lab_results_free(&one);
    em_graph_free(&graph);
}

/* Large enough for the nodes of a single trial to be spread over the cores. */
static void cores_do_not_change_a_single_trial(void **state)
{
    (void)state;
    enum { ROWS = 600, WIDE = 150, VECTORS = 6 };
    em_graph *graph = make_graph(NODES);
    const lab_contender list[] = {contender("krylov", LAB_OVER_NETWORK, VECTORS, 4),
                                  contender("dsa", LAB_OVER_NETWORK, VECTORS, 10),
                                  contender("deepca", LAB_OVER_NETWORK, VECTORS, 4)};
    lab_experiment about = {.graph = graph,
                            .drawn = {WIDE, ROWS, VECTORS, 0.6},
                            .contenders = list,
                            .contender_count = 3,
                            .trials = 1,
                            .threads = 1};
    lab_results *one = run(&about);
    for (about.threads = 2; about.threads <= 3; about.threads++) {
        lab_results *several = run(&about);
        assert_int_equal(em_model_info(lab_results_model(several, 0, 0))->threads, about.threads);
        check_same_results(one, several, 3);
        lab_results_free(&several);
    }
    lab_results_free(&one);
    em_graph_free(&graph);
}

static void a_trial_is_an_experiment_of_its_own_seed(void **state)
{
    (void)state;
    em_error err = {0};
    lab_contender list[4];
    em_graph *graph = make_graph(NODES);
    lab_experiment about = everywhere(graph, list, TRIALS, 21, 2);
    lab_results *all = run(&about);
    about.trials = 1;
    for (int t = 0; t < TRIALS; t++, about.seed++) {
        lab_results *one = run(&about);
        for (int c = 0; c < 4; c++)
            for (int n = 0, each = lab_results_runs(one, c); n < each; n++)
                assert_same_model(lab_results_model(all, c, t * each + n), lab_results_model(one, c, n));
        lab_results_free(&one);
        em_shards *shards = NULL;
        em_data *data = draw(about.seed);
        assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, &err), &err);
        check_run(all, 1, t, fit(shards, graph, list[1].options, about.seed));
        em_shards_free(&shards);
        em_data_free(&data);
    }
    lab_results_free(&all);
    em_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_the_network_it_is_em_fit),
        cmocka_unit_test(in_one_place_and_alone_it_is_em_fit),
        cmocka_unit_test(the_computed_truth_is_the_pooled_one),
        cmocka_unit_test(the_exact_components_are_told),
        cmocka_unit_test(the_order_of_contenders_does_not_matter),
        cmocka_unit_test(each_has_the_operator_of_its_own),
        cmocka_unit_test(a_wide_block_after_a_narrow_one),
        cmocka_unit_test(cores_do_not_change_trials),
        cmocka_unit_test(cores_do_not_change_a_single_trial),
        cmocka_unit_test(a_trial_is_an_experiment_of_its_own_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
