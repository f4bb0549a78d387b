/* Every rank has the same model, bit for bit: for unlike_cpus.sh, whose ranks round differently. */
#include "fit/options.h"
#include "support/check.h"
#include "support/engines.h"
#include "support/matrix.h"

#include <eigenmesh/mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 600, D = 60, NODES = 6 };

static int differences; /* all are told, at the end */

/* These numbers are those of the first rank. */
static void check_same(const void *numbers, size_t size, const char *method, const char *what)
{
    void *first = malloc(size);
    assert_non_null(first);
    memcpy(first, numbers, size);
    assert_int_equal(MPI_Bcast(first, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (memcmp(first, numbers, size) != 0) {
        print_error("%s: ranks differ in %s\n", method, what);
        differences++;
    }
    free(first);
}

static void check_model(const em_model *model, const em_options *options)
{
    char method[64];
    (void)snprintf(method, sizeof method, "%s, scale %d, fraction %g", options->method, options->scale,
                   options->variance);
    const em_info *info = em_model_info(model);
    size_t K = (size_t)em_model_components_count(model), each = K * sizeof(double);
    const long ends[] = {(long)K, info->reason, info->iterations, info->rank, info->limited, info->open_cluster};
    const double numbers[] = {info->residual, info->worst_residual, em_model_noise_variance(model)};
    check_same(ends, sizeof ends, method, "how they ended");
    check_same(em_model_components(model), each * D, method, "components");
    check_same(em_model_explained_variance(model), each, method, "variances");
    check_same(em_model_residuals(model), each, method, "residuals");
    check_same(em_model_angle_bounds(model), each, method, "bounds");
    check_same(em_model_subspace_bounds(model), each, method, "bounds of subspaces");
    check_same(em_model_clusters(model), K * sizeof(int64_t), method, "clusters");
    check_same(em_model_mean(model), D * sizeof(double), method, "the mean");
    check_same(em_model_scale(model), D * sizeof(double), method, "the scale");
    check_same(numbers, sizeof numbers, method, "measures");
}

static void fit_everywhere(const em_data *data, const em_options *options)
{
    em_error err;
    em_shards *shards;
    em_graph *graph;
    em_mesh *mesh;
    em_model *model;
    assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, &err), &err);
    assert_ok(em_graph_create(&graph, "er:0.5", NODES, 1, &err), &err);
    assert_ok(engines_open(&mesh, "mpi", graph, 1, &err), &err);
    assert_ok(em_fit(&model, options, mesh, shards, &err), &err);
    check_model(model, options);
    em_model_free(&model);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
}

static void every_rank_has_the_same(void **state)
{
    (void)state;
    static double rows[N * D];
    em_data *data;
    em_error err;
    matrix_fill_table(rows, N, D, 4);
    assert_ok(em_data_from_array(&data, rows, EM_F64, N, D, 0, 0, &err), &err);
    for (int m = 0; em_method(m); m++) {
        em_options options = emi_options_default();
        options.method = em_method(m)->name;
        options.components = 3;
        if (em_method(m)->single_node) continue;
        if (!em_method(m)->exact) options.iterations = 300;
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
            options.scale = (emi_scale)scale;
            fit_everywhere(data, &options);
        }
    }
    em_options options = emi_options_default();
    options.variance = 0.9;
    fit_everywhere(data, &options);
    em_data_free(&data);
    assert_int_equal(differences, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_has_the_same),
    };
    engines_begin(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    engines_end();
    return failed;
}
