/* Every registered method on every registered engine, against LAPACK on the pooled data, column by column.  A new
 * method or engine joins by entering its registry; built once more with another list of engines, it runs on those. */
#include "fit/options.h"
#include "lab/tables/generate.h"
#include "methods/method.h"
#include "support/check.h"
#include "support/engines.h"
#include "support/models.h"
#include "support/promises.h"
#include "support/truth.h"
#include "support/verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 600, D = 12, K = 3, NODES = 6 };

static const double spectrum[D] = {4, 2.4, 1.4, 0.8, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05};

typedef struct setting {
    double *rows, values[D], vectors[D * D];
    svd exact;
    em_data *data;
} setting;

static int set_up(void **state)
{
    setting *s = calloc(1, sizeof *s);
    s->rows = truth_rows(N, D, spectrum, 7);
    truth_pca(s->rows, N, D, s->values, s->vectors);
    s->exact = svd_of_rows(s->rows, N, D);
    em_error err;
    *state = s;
    return em_data_from_array(&s->data, s->rows, EM_F64, N, D, 0, 0, &err);
}

static int tear_down(void **state)
{
    setting *s = *state;
    em_data_free(&s->data);
    svd_free(&s->exact);
    free(s->rows);
    free(s);
    return 0;
}

static em_options exact_options(const char *method)
{
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    options.tolerance = 1e-9;
    options.device = (emi_device_choice)engines_manner.device;
    return options;
}

static em_model *solve(const setting *s, const em_options *options, const char *engine, int nodes, const char *topology,
                       const char *split, int threads)
{
    em_error err;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    em_model *model;
    assert_ok(em_shards_split(&shards, s->data, nodes, split, 3, &err), &err);
    assert_ok(em_graph_create(&graph, topology, nodes, 1, &err), &err);
    assert_ok(engines_open(&mesh, engine, graph, threads, &err), &err);
    assert_ok(em_fit(&model, options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return model;
}

static double worst_column(const setting *s, const em_model *model)
{
    double worst = 0;
    for (int k = 0; k < K; k++)
        worst = fmax(worst, truth_sin2(em_model_components(model) + k * D, s->vectors + k * D, D));
    return worst;
}

static int promises_residual(const char *method)
{
    return emi_method_find(method)->info.residual;
}

/* Of methods that promise neither, what the tolerance leaves. */
static double promised_error(const char *method)
{
    if (promises_the_step(method)) return 2e-3;
    return promises_its_own_mixes(method) ? 1e-8 : 1e-10;
}

static em_options promised_options(const char *method)
{
    em_options options = exact_options(method);
    if (promises_its_own_mixes(method)) options.tolerance = 1e-6;
    return options;
}

static void check_solution(const setting *s, const em_model *model, const char *method, const char *engine)
{
    const em_info *info = em_model_info(model);
    const verdict_place place = {method, engine, 1};
    if (verdict_complaints(model, &s->exact, &place)) fail_msg("%s on %s", method, engine);
    assert_int_equal(info->limited, 0);
    double worst = worst_column(s, model);
    if (worst > promised_error(method)) fail_msg("%s: worst column at sin^2 = %g", method, worst);
    for (int k = 0; k < K; k++) {
        double exact = s->values[k] * N / (N - 1);
        assert_close(em_model_explained_variance(model)[k] / exact, 1, promised_error(method));
    }
    for (int f = 0; f < D; f++) assert_close(em_model_mean(model)[f], 1 + f, 0.5);
    if (promises_residual(method)) assert_true(info->worst_residual <= info->tolerance);
}

/* Unequal shards too, one of a single row, where nothing but exactness is promised. */
static void every_method_on_every_engine(void **state)
{
    static const char *const splits[] = {"contiguous", "shuffle", "sizes:300,2,98,150,49,1"};
    for (int e = 0; engines_name(e); e++)
        for (int m = 0; em_method(m); m++)
            for (int c = 0; c < (engines_manner.quick ? 3 : 1); c++) {
                const em_method_info *method = em_method(m);
                em_options options = promised_options(method->name);
                options.seed = (uint64_t)(10 * m + c); /* starts on both sides of every vector */
                int nodes = method->single_node ? 1 : NODES;
                if (c == 2 && (nodes == 1 || promises_the_step(method->name))) continue; /* below */
                em_model *model = solve(*state, &options, engines_name(e), nodes, "er:0.6", splits[c], 2);
                check_solution(*state, model, method->name, engines_name(e));
                em_model_free(&model);
            }
}

/* Shards of very unequal size, one with fewer rows than K: C_i differ wildly, so the step that is stable is small;
 * the neighbourhood then is what a gentler step gives. */
static void unequal_shards(void **state)
{
    for (int m = 0; em_method(m); m++) {
        em_options options = exact_options(em_method(m)->name);
        if (!promises_the_step(options.method)) continue;
        options.step = 0.005;
        options.tolerance = 1e-7;
        em_model *model = solve(*state, &options, NULL, NODES, "complete", "sizes:300,2,98,150,49,1", 2);
        double worst = worst_column(*state, model);
        if (worst > 1e-2) fail_msg("%s: worst column at sin^2 = %g", options.method, worst);
        em_model_free(&model);
    }
}

static void assert_same_bits(const em_model *a, const em_model *b)
{
    assert_memory_equal(em_model_components(a), em_model_components(b), sizeof(double) * K * D);
    assert_memory_equal(em_model_explained_variance(a), em_model_explained_variance(b), sizeof(double) * K);
    assert_int_equal(em_model_info(a)->iterations, em_model_info(b)->iterations);
    size_t rows_a, rows_b;
    const em_trace_row *x = trace_of(a, &rows_a), *y = trace_of(b, &rows_b);
    assert_int_equal(rows_a, rows_b);
    for (size_t r = 0; r < rows_a; r++) {
        assert_memory_equal(&x[r].residual, &y[r].residual, sizeof x[r].residual);
        assert_memory_equal(&x[r].consensus, &y[r].consensus, sizeof x[r].consensus);
        assert_memory_equal(&x[r].error, &y[r].error, sizeof x[r].error);
        assert_int_equal(x[r].bytes, y[r].bytes);
    }
}

/* The same run twice, with other numbers of threads, and on other engines: the same bits. */
static void independent_of_threads(void **state)
{
    for (int m = 0; em_method(m); m++) {
        if (em_method(m)->single_node) continue;
        em_options options = exact_options(em_method(m)->name);
        options.iterations = 20;
        options.trace = 1;
        options.truth_compute = 1;
        em_model *one = solve(*state, &options, "local", NODES, "er:0.6", "contiguous", 1);
        for (int threads = engines_manner.quick ? 1 : 4; threads <= 4; threads++) {
            em_model *more = solve(*state, &options, NULL, NODES, "er:0.6", "contiguous", threads);
            assert_same_bits(one, more);
            em_model_free(&more);
        }
        em_model_free(&one);
    }
}

/* Large enough that the work is really spread over the threads. */
static void independent_of_threads_when_large(void **state)
{
    (void)state;
    enum { ROWS = 2000, FEATURES = 150, NODES_HERE = 5 };
    em_error err;
    em_data *data;
    assert_ok(lab_generate(&data, FEATURES, ROWS, K, 0.6, 5, &err), &err);
    setting s = {.data = data};
    for (int m = 0; em_method(m); m++) {
        if (em_method(m)->single_node) continue;
        em_options options = exact_options(em_method(m)->name);
        options.iterations = 20;
        em_model *one = solve(&s, &options, "local", NODES_HERE, "complete", "contiguous", 1);
        em_model *four = solve(&s, &options, NULL, NODES_HERE, "complete", "contiguous", 4);
        assert_memory_equal(em_model_components(one), em_model_components(four), sizeof(double) * K * FEATURES);
        em_model_free(&four);
        em_model_free(&one);
    }
    em_data_free(&data);
}

static void dsa_on_one_node_is_gha(void **state)
{
    em_options dsa = exact_options("dsa"), gha = exact_options("gha");
    dsa.trace = gha.trace = dsa.truth_compute = gha.truth_compute = 1;
    em_model *a = solve(*state, &dsa, NULL, 1, "complete", "contiguous", 1);
    em_model *b = solve(*state, &gha, NULL, 1, "complete", "contiguous", 1);
    assert_same_bits(a, b);
    assert_int_equal(em_model_info(a)->traffic[EM_METHOD].messages, 0);
    em_model_free(&b);
    em_model_free(&a);
}

/* The answer does not depend on M or on how rows were split, beyond what a method promises. */
static void independent_of_the_split(void **state)
{
    em_options reference = exact_options("covariance");
    em_model *one = solve(*state, &reference, NULL, 1, "complete", "contiguous", 1);
    for (int m = 0; em_method(m); m++) {
        em_options options = exact_options(em_method(m)->name);
        if (strcmp(options.method, "seqdistpm") == 0)
            options.consensus_rounds = 80;
        else if (!em_method(m)->exact || em_method(m)->single_node)
            continue;
        em_model *five = solve(*state, &options, NULL, 5, "complete", "shuffle", 2);
        for (int n = 0; n < K * D; n++) assert_close(em_model_components(five)[n], em_model_components(one)[n], 1e-6);
        em_model_free(&five);
    }
    em_model_free(&one);
}

/* Signs: the entry of largest magnitude is positive. */
static void signs_are_fixed(void **state)
{
    em_options options = exact_options("oi");
    em_model *model = solve(*state, &options, NULL, 1, "complete", "contiguous", 1);
    for (int k = 0; k < K; k++) {
        const double *x = em_model_components(model) + k * D;
        int largest = 0;
        for (int f = 1; f < D; f++) largest = fabs(x[f]) > fabs(x[largest]) ? f : largest;
        assert_true(x[largest] > 0);
    }
    em_model_free(&model);
}

/* One unit is one matrix to each neighbour: dsa and dpgd one an iteration, fastpca two, seqdistpm T_c / K a power step,
 * sdot and deepca T, sadot min(1 + ceil(t/2), T); over a tree, (M - 1) / |E|, and krylov has two more columns; covariance
 * sends its triangles up the tree only. */
static void units_are_the_papers(void **state)
{
    enum { T = 30, MIXES = 7, EXTRA = 2 };
    static const double tree = (NODES - 1.0) / NODES;
    static const struct {
        const char *method;
        int rounds;
        long iterations;
        double units;
    } wanted[] = {{"dsa", 0, T, T},
                  {"dpgd", 0, T, T},
                  {"fastpca", 0, T, 2 * T},
                  {"seqdistpm", MIXES, T, (double)T * MIXES / K},
                  {"sdot", MIXES, T, T * MIXES},
                  {"deepca", MIXES, T, T * MIXES},
                  {"sadot", MIXES, T, 1 + 2 + 2 + 3 + 3 + 4 + 4 + 5 + 5 + 6 + 6 + (T - 11) * MIXES},
                  {"covariance", 0, 1, tree * (D + 1) / (4 * K)},
                  {"krylov", 0, 2, tree * 2 * (K + EXTRA) / K}};
    for (size_t c = 0; c < sizeof wanted / sizeof *wanted; c++) {
        em_options options = exact_options(wanted[c].method);
        options.iterations = wanted[c].iterations;
        options.tolerance = 0;
        options.consensus_rounds = wanted[c].rounds;
        em_model *model = solve(*state, &options, NULL, NODES, "cycle", "contiguous", 1);
        const em_traffic *sent = &em_model_info(model)->traffic[EM_METHOD];
        if (fabs(sent->units - wanted[c].units) > 1e-12 * wanted[c].units)
            fail_msg("%s: %.17g units, wanted %.17g", wanted[c].method, sent->units, wanted[c].units);
        assert_int_equal(sent->bytes, (uint64_t)llround(wanted[c].units * 2 * NODES * D * K * 8));
        em_model_free(&model);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_method_on_every_engine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(independent_of_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_are_the_papers, set_up, tear_down),
    };
    const struct CMUnitTest at_length[] = {
        cmocka_unit_test(independent_of_threads_when_large),
        cmocka_unit_test_setup_teardown(unequal_shards, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dsa_on_one_node_is_gha, set_up, tear_down),
        cmocka_unit_test_setup_teardown(independent_of_the_split, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signs_are_fixed, set_up, tear_down),
    };
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests_name("engine", tests, NULL, NULL);
    if (engines_manner.quick) failed += cmocka_run_group_tests_name("at length", at_length, NULL, NULL);
    engines_end();
    return failed;
}
