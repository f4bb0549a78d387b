/* What the library says of itself. */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static void version_is_the_header_s(void **state)
{
    (void)state;
    char wanted[32];
    (void)snprintf(wanted, sizeof wanted, "%d.%d.%d", EM_VERSION_MAJOR, EM_VERSION_MINOR, EM_VERSION_PATCH);
    assert_string_equal(em_version(), wanted);
}

static void parts_end_with_null(void **state)
{
    (void)state;
    int count = 0;
    assert_null(em_built_with(-1));
    for (; em_built_with(count); count++) assert_true(strlen(em_built_with(count)) > 0);
    assert_true(count >= 3);
    assert_null(em_built_with(count + 1));
    assert_non_null(strstr(em_built_with(0), "OpenBLAS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(version_is_the_header_s),
                                       cmocka_unit_test(parts_end_with_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
