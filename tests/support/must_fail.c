/* Every assertion of check.h, given what it must refuse.  CTest expects this program to fail: it does so only when each
 * of them did, so that a test which passes means something. */
#include "support/check.h"

static void numbers_apart(void **state)
{
    (void)state;
    assert_close(1.0, 1.001, 1e-6);
}

static void not_a_number(void **state)
{
    (void)state;
    volatile double zero = 0;
    assert_close(zero / zero, 0, 1e300);
}

static void failure_taken_for_success(void **state)
{
    (void)state;
    em_error err = {.code = EM_EIO, .msg = "as intended"};
    assert_ok(EM_EIO, &err);
}

static void success_taken_for_failure(void **state)
{
    (void)state;
    em_error err = {0};
    assert_fails(EM_OK, EM_EIO, "", &err);
}

static void other_words(void **state)
{
    (void)state;
    em_error err = {.code = EM_EIO, .msg = "as intended"};
    assert_fails(EM_EIO, EM_EIO, "other words", &err);
}

static void plain_assertion(void **state)
{
    (void)state;
    assert_int_equal(1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_apart),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(failure_taken_for_success),
        cmocka_unit_test(success_taken_for_failure),
        cmocka_unit_test(other_words),
        cmocka_unit_test(plain_assertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) == (int)(sizeof tests / sizeof *tests);
}
