/* When the method that auto chose does not get there, the next one takes over, and the model says so.  This program has a LAPACK
 * whose divide-and-conquer eigensolver, which krylov uses, always fails. */
#include "fit/options.h"
#include "lab/tables/generate.h"
#include "support/check.h"

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

enum { FEATURES = 300, SAMPLES = 400, NODES = 4 };

static em_status fit(em_model **model, const char *method, em_error *err)
{
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_options options = emi_options_default();
    options.method = method;
    options.components = 1;
    options.truth_compute = 1;
    assert_ok(lab_generate(&data, FEATURES, SAMPLES, 1, 0.5, 0, err), err);
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

/* Its small algebra fails at the root, which tells the others: a result, whose estimate is the start. */
static void krylov_alone_has_diverged(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    assert_ok(fit(&model, "krylov", &err), &err);
    const em_info *info = em_model_info(model);
    assert_int_equal(info->reason, EM_STOPPED_DIVERGED);
    assert_int_equal(info->iterations, 1);
    assert_true(isfinite(info->worst_residual) && info->worst_residual > 1e-3);
    for (int f = 0; f < FEATURES; f++) assert_true(isfinite(em_model_components(model)[f]));
    em_model_free(&model);
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
    assert_non_null(strstr(info->choice, "; krylov: diverged, covariance instead"));
    assert_true(info->error < 1e-20);
    em_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(krylov_alone_has_diverged),
        cmocka_unit_test(auto_goes_on_with_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
