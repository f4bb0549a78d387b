/* Every allocation of the library's own is made to fail once, with rows on a GPU: it says so, and gives everything back. */
#include "driver.h"
#include "fit/options.h"
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/matrix.h"
#include "support/network.h"

#include <string.h>

enum { ROWS = 40, COLUMNS = 4, K = 2 };

static double values[ROWS * COLUMNS];

typedef struct how {
    const char *method;
    int nodes;
} how;

static em_status fit(const void *asked, em_error *err)
{
    em_status status;
    const how *h = asked;
    network net = {0};
    em_model *model = NULL;
    em_options options = emi_options_default();
    const network_plan plan = {values, ROWS, COLUMNS, "complete", h->nodes, 1};
    options.method = h->method;
    options.components = K;
    options.device = EMI_DEVICE_GPU;
    TRY(network_open(&net, &plan, err));
    TRY(em_fit(&model, &options, net.mesh, net.shards, err));
done:
    em_model_free(&model);
    network_close(&net);
    assert_int_equal(driver_pushed(), 0);
    assert_true(driver_live() <= DRIVER_OPEN);
    return status;
}

static void each_allocation(void **state)
{
    (void)state;
    static const how all[] = {{"krylov", 1}, {"covariance", 2}};
    matrix_fill_table(values, ROWS, COLUMNS, 2);
    for (int n = 0; n < 2; n++) assert_true(fail_each_once(fit, &all[n]) > 10);
}

static em_status take(em_error *err)
{
    em_data *data = NULL;
    em_status status = em_data_from_gpu(&data, values, EM_F64, ROWS, COLUMNS, 0, 0, NULL, err);
    em_data_free(&data);
    return status;
}

/* It does not lie there, which is found last. */
static void of_an_array(void **state)
{
    (void)state;
    long before = memory_live();
    for (long n = 0;; n++) {
        em_error err = {0};
        memory_fail_at(n);
        em_status status = take(&err);
        int failed = memory_has_failed();
        memory_fail_at(-1);
        assert_int_equal(memory_live(), before);
        assert_fails(status, failed ? EM_ENOMEM : EM_EINVAL, "", &err);
        if (!failed) return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation), cmocka_unit_test(of_an_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
