/* Every allocation is made to fail once.  Whatever the library was doing, it says so, gives everything back, and
 * works the next time. */
#include "base/error.h"
#include "fit/options.h"
#include "model/model.h"
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/matrix.h"
#include "support/network.h"
#include "support/plain_masks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, COLUMNS = 3, NODES = 3, K = 2 };

/* ---- from an array to a model, its file, and scores ---------------------------------------- */

typedef struct fit_plan {
    const char *method;
    int nodes, threads;
    emi_scale scale;
    double variance; /* in place of K components */
    const char *path;
    int masked;
    int again; /* from the answer, with limits */
} fit_plan;

static em_status save_and_load(const em_model *model, const char *path, em_error *err)
{
    em_status status;
    em_model *loaded = NULL;
    double rows[2 * COLUMNS] = {1, 2, 3, 4, 5, 6}, scores[2 * K];
    TRY(em_model_save(model, path, err));
    TRY(em_model_load(&loaded, path, err));
    TRY(em_model_transform(loaded, rows, 2, 1, scores, err));
    TRY(em_model_inverse(loaded, scores, 2, 1, rows, err));
    TRY(em_model_anomalies(loaded, rows, 2, scores, scores + 2, err));
done:
    em_model_free(&loaded);
    return status;
}

static em_status fit_workflow(const void *how, em_error *err)
{
    static const char *const named[COLUMNS] = {"a", "b", "c"};
    static double values[ROWS * COLUMNS];
    const fit_plan *plan = how;
    em_status status;
    network net = {0};
    em_model *model = NULL, *second = NULL;
    em_options options = emi_options_default();
    options.method = plan->method;
    options.components = plan->variance > 0 ? 0 : K;
    options.variance = plan->variance;
    options.iterations = 4;
    options.truth_compute = options.trace = !plan->masked;
    options.scale = plan->scale;
    matrix_fill_table(values, ROWS, COLUMNS, 1);
    const network_plan small = {values, ROWS, COLUMNS, "er:0.7", plan->nodes, plan->threads};
    TRY(network_open(&net, &small, err));
    if (plan->masked) TRY(plain_masks_set(net.mesh, 1, err));
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    em_options_set_last(&options, model);
    options.limits = 1;
    if (plan->again) TRY(em_fit(&second, &options, net.mesh, net.shards, err));
    TRY(emi_model_name_features(model, named, err));
    TRY(save_and_load(model, plan->path, err));
done:
    em_model_free(&second);
    em_model_free(&model);
    network_close(&net);
    return status;
}

static int stop_at_once(const em_progress *progress, void *user)
{
    (void)user;
    return progress->iteration == 1;
}

/* A fit that is stopped and leaves a checkpoint, and one that goes on from there. */
static em_status resume_workflow(const void *how, em_error *err)
{
    enum { MORE_COLUMNS = 12 };
    static double values[ROWS * MORE_COLUMNS];
    const fit_plan *plan = how;
    em_status status;
    network net = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = plan->method;
    options.components = K;
    options.iterations = 4 * K;
    options.tolerance = 0;
    options.trace = plan->masked ? EMI_TRACE_NONE : EMI_TRACE_ALL;
    options.checkpoint = plan->path;
    options.monitor = stop_at_once;
    matrix_fill_table(values, ROWS, MORE_COLUMNS, 1);
    const network_plan small = {values, ROWS, MORE_COLUMNS, "er:0.7", plan->nodes, plan->threads};
    (void)remove(plan->path); /* of an attempt that failed after it */
    TRY(network_open(&net, &small, err));
    if (plan->masked) TRY(plain_masks_set(net.mesh, 1, err));
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    em_model_free(&model);
    options.monitor = NULL;
    options.resume = 1;
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
    if (em_model_info(model)->resumed != 1) TRY(emi_fail(err, EM_EDATA, "%s: not resumed", plan->method));
    TRY(em_checkpoint_remove(&options, net.mesh, err));
done:
    em_model_free(&model);
    network_close(&net);
    return status;
}

static void fits_that_are_resumed(void **state)
{
    (void)state;
    for (int m = 0; em_method(m); m++) {
        const em_method_info *method = em_method(m);
        const fit_plan plan = {
            method->name, method->single_node ? 1 : NODES, 1, EMI_SCALE_NONE, 0, scratch("fit.ck"), 0, 0};
        assert_true(fail_each_once(resume_workflow, &plan) > 60);
    }
}

static void fits_of_every_method(void **state)
{
    (void)state;
    for (int m = 0; em_method(m); m++)
        for (int threads = 1; threads <= 2; threads++) {
            const em_method_info *method = em_method(m);
            const fit_plan plan = {method->name,
                                   method->single_node ? 1 : NODES,
                                   threads,
                                   (emi_scale)(EMI_SCALE_NONE + m % 3),
                                   0,
                                   scratch("model.npz"),
                                   0,
                                   0};
            assert_true(fail_each_once(fit_workflow, &plan) > 60);
        }
}

static void fits_that_are_masked(void **state)
{
    static const char *const methods[] = {"krylov", "covariance"};
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int scale = EMI_SCALE_NONE; scale <= EMI_SCALE_SPECTRAL; scale++) {
            const fit_plan plan = {methods[m], NODES, 1 + scale % 2, (emi_scale)scale, 0, scratch("model.npz"), 1, 0};
            assert_true(fail_each_once(fit_workflow, &plan) > 60);
        }
    const fit_plan fraction = {"krylov", NODES, 1, EMI_SCALE_NONE, 0.7, scratch("model.npz"), 1, 0};
    assert_true(fail_each_once(fit_workflow, &fraction) > 60);
    const fit_plan resumed = {"krylov", NODES, 1, EMI_SCALE_NONE, 0, scratch("fit.ck"), 1, 0};
    assert_true(fail_each_once(resume_workflow, &resumed) > 60);
}

/* Out of memory is no reason for auto to try another method. */
static void fits_that_begin_from_the_last(void **state)
{
    static const char *const methods[] = {"krylov", "covariance", "deepca"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int nodes = 1; nodes <= NODES; nodes += NODES - 1) {
            const fit_plan plan = {methods[m], nodes, 1, EMI_SCALE_STD, 0, scratch("model.npz"), 0, 1};
            assert_true(fail_each_once(fit_workflow, &plan) > 60);
        }
}

static void fits_by_auto_and_of_a_fraction(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= NODES; nodes += NODES - 1) {
        const fit_plan plain = {"auto", nodes, 1, EMI_SCALE_NONE, 0, scratch("model.npz"), 0, 0};
        assert_true(fail_each_once(fit_workflow, &plain) > 60);
        const fit_plan fraction = {"krylov", nodes, 2, EMI_SCALE_NONE, 0.7, scratch("model.npz"), 0, 0};
        assert_true(fail_each_once(fit_workflow, &fraction) > 60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_of_every_method),          cmocka_unit_test(fits_that_are_resumed),
        cmocka_unit_test(fits_that_are_masked),          cmocka_unit_test(fits_by_auto_and_of_a_fraction),
        cmocka_unit_test(fits_that_begin_from_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
