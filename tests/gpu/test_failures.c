/* Every call of the driver and of cuBLAS is made to fail once.  Asked for, a GPU that fails is an error, in words; with auto the
 * CPU goes on, and the answer is the same; either way nothing is left, and the next fit is as if nothing had been. */
#include "driver.h"
#include "fit/options.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, COLUMNS = 6, K = 2 };

typedef struct how {
    const char *method;
    int nodes;
    emi_device_choice device;
} how;

static double values[ROWS * COLUMNS];

static em_status fit(const how *h, em_model **out, em_error *err)
{
    em_status status;
    network net = {0};
    em_options options = emi_options_default();
    const network_plan plan = {values, ROWS, COLUMNS, "complete", h->nodes, 1};
    options.method = h->method;
    options.components = K;
    options.tolerance = 1e-9;
    options.device = h->device;
    TRY(network_open(&net, &plan, err));
    TRY(em_fit(out, &options, net.mesh, net.shards, err));
done:
    network_close(&net);
    return status;
}

/* Returns how many calls there are. */
static long fail_each_once(const how *h)
{
    long n = 0;
    double exact[K];
    em_error err = {0};
    em_model *model = NULL;
    const how plain = {h->method, h->nodes, EMI_DEVICE_CPU};
    assert_ok(fit(&plain, &model, &err), &err);
    memcpy(exact, em_model_explained_variance(model), sizeof exact);
    em_model_free(&model);
    for (;; n++) {
        err = (em_error){0};
        driver_fail_at(n);
        em_status status = fit(h, &model, &err);
        int failed = driver_has_failed();
        driver_fail_at(-1);
        assert_int_equal(driver_pushed(), 0);
        assert_true(driver_live() == 0 || driver_live() == DRIVER_OPEN);
        if (status != EM_OK) {
            assert_true(failed && h->device == EMI_DEVICE_GPU);
            assert_non_null(strstr(err.msg, "gpu: "));
            assert_non_null(strstr(err.msg, "; try device=cpu"));
            continue;
        }
        for (int k = 0; k < K; k++) assert_close(em_model_explained_variance(model)[k] / exact[k], 1, 1e-9);
        if (failed && strcmp(em_model_info(model)->device, "cpu") == 0)
            assert_non_null(strstr(em_model_info(model)->device_why, "gpu: "));
        em_model_free(&model);
        if (!failed) return n;
    }
}

/* The library opens it with the first of these: whatever fails on the way there is tried again by the next. */
static void each_call(void **state)
{
    (void)state;
    static const how all[] = {{"krylov", 1, EMI_DEVICE_GPU},
                              {"krylov", 2, EMI_DEVICE_AUTO},
                              {"covariance", 1, EMI_DEVICE_GPU},
                              {"covariance", 2, EMI_DEVICE_AUTO},
                              {"deepca", 3, EMI_DEVICE_AUTO}};
    if (!driver_is_standin()) skip_for("a GPU is not to be made to fail");
    matrix_fill_table(values, ROWS, COLUMNS, 8);
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) assert_true(fail_each_once(&all[n]) > 20);
}

/* Missing: the device, or either library. */
static void nothing_there(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    how h = {"krylov", 1, EMI_DEVICE_GPU};
    matrix_fill_table(values, ROWS, COLUMNS, 8);
    setenv("STANDIN_DEVICES", "0", 1);
    assert_fails(fit(&h, &model, &err), EM_ENOTSUP, "gpu: the driver has no device; try device=cpu", &err);
    unsetenv("STANDIN_DEVICES");
    h.device = EMI_DEVICE_AUTO;
    setenv("STANDIN_DEVICES", "0", 1);
    assert_ok(fit(&h, &model, &err), &err);
    assert_string_equal(em_model_info(model)->device, "cpu");
    assert_string_equal(em_model_info(model)->device_why, "gpu: the driver has no device");
    unsetenv("STANDIN_DEVICES");
    em_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_there), cmocka_unit_test(each_call)};
    if (!driver_is_standin()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
