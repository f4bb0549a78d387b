/* Networks on which a number takes hundreds of rounds and more to get about. */
#include "fit/options.h"
#include "lab/tables/generate.h"
#include "methods/method.h"
#include "support/check.h"

#include <math.h>

enum { FEATURES = 10, SAMPLES = 4000, K = 3 };

static em_model *fit(const em_data *data, const char *topology, int nodes, em_options options)
{
    em_error err = {0};
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    options.components = K;
    options.truth_compute = 1;
    assert_ok(em_shards_split(&shards, data, nodes, "contiguous", 0, &err), &err);
    assert_ok(em_graph_create(&graph, topology, nodes, 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, &err), &err);
    assert_ok(em_fit(&model, &options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    return model;
}

static em_data *generate(void)
{
    em_error err = {0};
    em_data *data = NULL;
    assert_ok(lab_generate(&data, FEATURES, SAMPLES, K, 0.6, 1, &err), &err);
    return data;
}

/* With every option at its default, to the eigenvectors of the pooled data. */
static void deepca_converges(void **state)
{
    (void)state;
    const struct {
        const char *topology;
        int nodes;
    } networks[] = {{"cycle", 100},      {"cycle", 200}, {"path", 100},        {"path", 200},
                    {"grid:10x20", 200}, {"star", 200},  {"grid:25x40", 1000}, {"cycle", 1000}};
    em_data *data = generate();
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        em_options options = emi_options_default();
        options.method = "deepca";
        em_model *model = fit(data, networks[n].topology, networks[n].nodes, options);
        const em_info *info = em_model_info(model);
        print_message("deepca on %s, %d nodes: %ld iterations, E = %g\n", networks[n].topology, networks[n].nodes,
                      info->iterations, info->error);
        assert_int_equal(info->reason, EM_CONVERGED);
        assert_true(info->error < 1e-12);
        assert_true(info->iterations <= 100);
        em_model_free(&model);
    }
    em_data_free(&data);
}

/* Too slow to converge here; what they find stays finite. */
static void nothing_overflows(void **state)
{
    (void)state;
    const char *const methods[] = {"deepca", "fastpca", "sadot"}, *const topologies[] = {"path", "grid:25x40"};
    em_data *data = generate();
    for (int m = 0; m < 3; m++)
        for (int t = 0; t < 2; t++) {
            em_options options = emi_options_default();
            options.method = methods[m];
            options.iterations = m == 1 ? 200 : 5;
            em_model *model = fit(data, topologies[t], 1000, options);
            const em_info *info = em_model_info(model);
            assert_int_equal(info->reason, EM_STOPPED_ITERATIONS);
            assert_true(isfinite(info->error) && isfinite(info->residual));
            em_model_free(&model);
        }
    em_data_free(&data);
}

/* The fewest mixes that do, by the definition. */
static void rounds_to_a_target(void **state)
{
    (void)state;
    const double betas[] = {1e-8, 0.3, 0.9, 0.999, 1 - 1e-5}, target = 1e-7;
    for (int b = 0; b < 5; b++) {
        int rounds = emi_rounds_to(target, betas[b]);
        assert_true(pow(betas[b], rounds) <= target * (1 + 1e-6));
        assert_true(rounds == 1 || pow(betas[b], rounds - 1) > target * (1 - 1e-6));
    }
    assert_int_equal(emi_rounds_to(target, 0), 1);
    assert_true(emi_rounds_to(target, 1 - 1e-14) > 1000000); /* and it returns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deepca_converges), cmocka_unit_test(nothing_overflows),
                                       cmocka_unit_test(rounds_to_a_target)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
