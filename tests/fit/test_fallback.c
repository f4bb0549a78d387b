/* When the method that auto chose breaks down, the next one takes over, and the model says so.  This program has a LAPACK
 * whose divide-and-conquer eigensolver, which krylov uses, always fails. */
#include "support/check.h"

#include <lapacke.h>
#include <string.h>

lapack_int LAPACKE_dsyevd_work(int layout, char job, char triangle, lapack_int n, double *A, lapack_int stride,
                               double *w, double *work, lapack_int room, lapack_int *iwork, lapack_int iroom)
{
    (void)layout, (void)job, (void)triangle, (void)n, (void)A, (void)stride, (void)w;
    if (room == -1 && iroom == -1) *work = *iwork = 1; /* asked how much it needs */
    return 7;
}

enum { FEATURES = 100, SAMPLES = 200, NODES = 4 };

static em_status fit(em_model **model, const char *method, em_error *err)
{
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options options = em_options_default();
    options.method = method;
    options.components = 1;
    options.truth_compute = 1;
    assert_ok(em_generate(&data, FEATURES, SAMPLES, 1, 0.5, 0, err), err);
    assert_ok(em_shards_split(&shards, data, NODES, NULL, 0, err), err);
    assert_ok(em_graph_create(&graph, "cycle", NODES, 0, err), err);
    assert_ok(em_mesh_open(&mesh, NULL, graph, 1, err), err);
    em_status status = em_fit(model, &options, mesh, shards, err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return status;
}

static void krylov_alone_says_that_it_failed(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    assert_fails(fit(&model, "krylov", &err), EM_ENUMERIC, "LAPACK returned 7", &err);
    assert_null(model);
}

static void auto_goes_on_with_the_next(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(fit(&model, "auto", &err), &err);
    const em_info *info = em_model_info(model);
    assert_string_equal(info->method, "covariance");
    assert_int_equal(info->reason, EM_CONVERGED);
    assert_non_null(strstr(info->choice, "krylov broke down (a numerical routine failed), covariance instead"));
    assert_true(info->error < 1e-20);
    em_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(krylov_alone_says_that_it_failed),
        cmocka_unit_test(auto_goes_on_with_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
