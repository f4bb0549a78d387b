/* Memory: sizes that overflow are refused, none is not nothing, doubles lie on cache lines. */
#include "base/memory.h"
#include "support/check.h"

#include <string.h>

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    size_t product = 0;
    assert_null(emi_doubles(SIZE_MAX));
    assert_null(emi_doubles(SIZE_MAX / 8));
    assert_null(emi_doubles(SIZE_MAX / 8 - 1));
    assert_true(emi_size_overflows(SIZE_MAX, 2, &product));
    assert_true(emi_size_overflows(SIZE_MAX / 2 + 1, 2, &product));
    assert_false(emi_size_overflows(SIZE_MAX / 2, 2, &product));
    assert_true(product == SIZE_MAX - 1);
    assert_false(emi_size_overflows(SIZE_MAX, 0, &product));
    assert_int_equal(product, 0);
}

/* What was refused is remembered, once, for the message. */
static void what_was_refused_is_known(void **state)
{
    (void)state;
    size_t product;
    (void)emi_memory_refused();
    emi_free(emi_malloc(100));
    assert_int_equal(emi_memory_refused(), 0);
    assert_null(emi_doubles(SIZE_MAX / 8));
    assert_true(emi_memory_refused() == SIZE_MAX);
    assert_int_equal(emi_memory_refused(), 0);
    assert_true(emi_size_overflows(SIZE_MAX, 2, &product));
    assert_true(emi_memory_refused() == SIZE_MAX);
}

/* NULL means failure alone, so that even nothing has an address. */
static void nothing_has_an_address(void **state)
{
    (void)state;
    void *all[] = {emi_malloc(0), emi_calloc(0, 8), emi_calloc(8, 0), emi_realloc(NULL, 0), emi_doubles(0)};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        assert_non_null(all[n]);
        emi_free(all[n]);
    }
    emi_free(NULL);
}

static void doubles_lie_on_cache_lines(void **state)
{
    (void)state;
    /* few; as many as have their pages at once; and as many as lie on large ones */
    static const size_t first[] = {1, 32760, 33270, 524280, 600000};
    for (size_t s = 0; s < sizeof first / sizeof *first; s++)
        for (size_t count = first[s]; count < first[s] + 40; count++) {
            double *values[] = {emi_doubles(count), emi_room(count)};
            for (int v = 0; v < 2; v++) {
                assert_non_null(values[v]);
                assert_int_equal((uintptr_t)values[v] % 64, 0);
                for (size_t n = 0; n < count; n++) values[v][n] = (double)n; /* all of it is ours */
                emi_free(values[v]);
            }
        }
}

static void contents_are_as_promised(void **state)
{
    (void)state;
    char *zeroed = emi_calloc(100, 3), *copy = emi_strdup("text");
    assert_non_null(zeroed);
    assert_non_null(copy);
    for (int n = 0; n < 300; n++) assert_int_equal(zeroed[n], 0);
    assert_string_equal(copy, "text");
    copy = emi_realloc(copy, 5000);
    assert_non_null(copy);
    assert_string_equal(copy, "text");
    emi_free(copy);
    emi_free(zeroed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_are_refused), cmocka_unit_test(what_was_refused_is_known),
        cmocka_unit_test(nothing_has_an_address),          cmocka_unit_test(doubles_lie_on_cache_lines),
        cmocka_unit_test(contents_are_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
