#include "base/larger.h"
#include "support/check.h"

static void is_the_larger_one(void **state)
{
    (void)state;
    assert_true(emi_larger(1, 2) == 2 && emi_larger(2, 1) == 2 && emi_larger(-1, -2) == -1);
    assert_true(emi_larger(-INFINITY, 3) == 3 && emi_larger(INFINITY, 3) == INFINITY);
    assert_true(emi_larger(0, 0) == 0);
}

/* Once seen, NaN stays, on whichever side it comes in and whatever follows. */
static void keeps_what_is_not_a_number(void **state)
{
    (void)state;
    const double numbers[] = {-INFINITY, -1, 0, 1, INFINITY, NAN};
    for (int n = 0; n < 6; n++) {
        assert_true(isnan(emi_larger(NAN, numbers[n])));
        assert_true(isnan(emi_larger(numbers[n], NAN)));
    }
    for (int at = 0; at < 5; at++) {
        double worst = 0;
        for (int n = 0; n < 5; n++) worst = emi_larger(worst, n == at ? NAN : numbers[n]);
        assert_true(isnan(worst));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_larger_one),
        cmocka_unit_test(keeps_what_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
