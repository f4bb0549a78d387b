/* Every allocation of a page is made to fail once: it says so, gives everything back, and works the next time. */
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/pages.h"

#include <stdlib.h>
#include <string.h>

static void no_allocation_is_forgotten(const page_case *of)
{
    long before = memory_live();
    for (long n = 0;; n++) {
        em_error err = {0};
        char *text = NULL;
        memory_fail_at(n);
        em_status status = page_of(of, &text, &err);
        int failed = memory_has_failed();
        memory_fail_at(-1);
        assert_int_equal(memory_live(), before);
        if (!failed) {
            assert_ok(status, &err);
            assert_true(strlen(text) > 1000);
            free(text);
            return;
        }
        assert_fails(status, EM_ENOMEM, "", &err);
        assert_null(text);
        assert_true(strlen(err.msg) > 0);
    }
}

static void of_a_page(void **state)
{
    (void)state;
    no_allocation_is_forgotten(&(page_case){.nodes = 5, .components = 3, .rows = 1, .method = "krylov"});
    no_allocation_is_forgotten(&(page_case){.nodes = 1, .components = 2, .fragment = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
