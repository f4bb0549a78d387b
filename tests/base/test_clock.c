/* The clock never goes back, and runs in seconds. */
#include "base/clock.h"
#include "support/check.h"

#include <time.h>

static void never_goes_back(void **state)
{
    (void)state;
    double last = emi_seconds();
    for (int n = 0; n < 100000; n++) {
        double now = emi_seconds();
        assert_true(now >= last);
        last = now;
    }
}

static void counts_seconds(void **state)
{
    (void)state;
    const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
    double before = emi_seconds();
    assert_int_equal(nanosleep(&nap, NULL), 0);
    double slept = emi_seconds() - before;
    assert_true(slept >= 0.05 && slept < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_goes_back), cmocka_unit_test(counts_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
