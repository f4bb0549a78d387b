/* Numbers in text: the whole text is the number, or it is refused and the output left alone. */
#include "base/text.h"
#include "support/check.h"

#include <limits.h>

#define COUNT(list) (sizeof list / sizeof *list)

/* Refused whatever the kind of number. */
static const char *const no_number[] = {"",    " ",    " 1",   "1 ", "\t1", "1\n",      "1x",   "x1",    "--1", "+-1",
                                        "- 1", "-",    "+",    ".",  "e5",  "1,5",      "1 2",  "nan",   "NaN", "inf",
                                        "INF", "-inf", "+nan", "1e", "1e+", "infinity", "0x10", "0X1p3", "-0x1"};

static void refuses_what_is_no_number(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT(no_number); n++) {
        double real = 42;
        long whole = 42;
        uint64_t bits = 42;
        size_t size = 42;
        int refused = emi_text_double(no_number[n], &real) && emi_text_long(no_number[n], &whole) &&
                      emi_text_u64(no_number[n], &bits) && emi_text_size(no_number[n], &size);
        if (!refused) fail_msg("'%s' was taken for a number", no_number[n]);
        assert_true(real == 42 && whole == 42 && bits == 42 && size == 42);
    }
}

static void reads_doubles(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"1", 1},
                {"+1.5", 1.5},
                {"-2.25e-3", -2.25e-3},
                {".5", 0.5},
                {"-.5", -0.5},
                {"5.", 5},
                {"1e308", 1e308},
                {"1E2", 100},
                {"007", 7},
                {"0.1", 0.1},
                {"1e-400", 0},
                {"123456789012345678901234567890", 1.2345678901234568e29}};
    for (size_t n = 0; n < COUNT(good); n++) {
        double value = 42;
        assert_int_equal(emi_text_double(good[n].text, &value), 0);
        assert_true(value == good[n].value);
    }
}

static void refuses_doubles_that_overflow(void **state)
{
    (void)state;
    double value = 42;
    assert_int_not_equal(emi_text_double("1e999", &value), 0);
    assert_int_not_equal(emi_text_double("-1e309", &value), 0);
    assert_true(value == 42);
}

static void reads_longs(void **state)
{
    (void)state;
    long value = 42;
    assert_int_equal(emi_text_long("-17", &value), 0);
    assert_int_equal(value, -17);
    assert_int_equal(emi_text_long("+3", &value), 0);
    assert_int_equal(value, 3);
    assert_int_equal(emi_text_long("9223372036854775807", &value), 0);
    assert_true(value == LONG_MAX);
    assert_int_equal(emi_text_long("-9223372036854775808", &value), 0);
    assert_true(value == LONG_MIN);
    value = 42;
    const char *const bad[] = {"9223372036854775808", "-9223372036854775809", "1.0", "1e3", ".5"};
    for (size_t n = 0; n < COUNT(bad); n++) assert_int_not_equal(emi_text_long(bad[n], &value), 0);
    assert_int_equal(value, 42);
}

static void reads_unsigned_numbers(void **state)
{
    (void)state;
    uint64_t bits = 42;
    size_t size = 42;
    assert_int_equal(emi_text_u64("18446744073709551615", &bits), 0);
    assert_true(bits == UINT64_MAX);
    assert_int_equal(emi_text_size("0", &size), 0);
    assert_int_equal(size, 0);
    bits = size = 42;
    const char *const bad[] = {"-1", "+1", "-0", "18446744073709551616", "99999999999999999999999", "1.0", "1e3", ".5"};
    for (size_t n = 0; n < COUNT(bad); n++) {
        assert_int_not_equal(emi_text_u64(bad[n], &bits), 0);
        assert_int_not_equal(emi_text_size(bad[n], &size), 0);
    }
    assert_true(bits == 42 && size == 42);
}

static void finds_what_follows_a_prefix(void **state)
{
    (void)state;
    assert_string_equal(emi_text_after("sizes:1,2", "sizes:"), "1,2");
    assert_string_equal(emi_text_after("sizes:", "sizes:"), "");
    assert_null(emi_text_after("size:1", "sizes:"));
    assert_null(emi_text_after("siz", "sizes:"));
    assert_null(emi_text_after("", "sizes:"));
    assert_string_equal(emi_text_after("all", ""), "all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_number),     cmocka_unit_test(reads_doubles),
        cmocka_unit_test(refuses_doubles_that_overflow), cmocka_unit_test(reads_longs),
        cmocka_unit_test(reads_unsigned_numbers),        cmocka_unit_test(finds_what_follows_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
