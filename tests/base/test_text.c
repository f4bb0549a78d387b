/* Numbers in text: the whole text is the number, or it is refused and the output left alone; in C's own locale and in
 * one with a decimal comma. */
#include "base/text.h"
#include "support/check.h"
#include "support/locales.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <string.h>

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

static void stops_where_the_number_ends(void **state)
{
    (void)state;
    char *end;
    assert_true(emi_text_strtod("1.5,7", &end) == 1.5);
    assert_string_equal(end, ",7");
    assert_true(emi_text_strtod("2,5", &end) == 2);
    assert_string_equal(end, ",5");
    assert_true(isinf(emi_text_strtod("inf", &end)) && *end == 0);
}

static void writes_the_shortest_text(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } good[] = {{0.1, "0.1"},
                {-2.5, "-2.5"},
                {0, "0"},
                {1e300, "1e+300"},
                {12345, "12345"},
                {1.0 / 3, "0.3333333333333333"},
                {-INFINITY, "-inf"},
                {5e-324, "4.94065645841247e-324"},
                {0.1 + 0.2, "0.30000000000000004"},
                {-2.2250738585072014e-308, "-2.2250738585072014e-308"}};
    for (size_t n = 0; n < COUNT(good); n++) {
        char text[EMI_NUMBER_TEXT];
        assert_int_equal(emi_text_of_double(text, good[n].value), strlen(good[n].text));
        assert_string_equal(text, good[n].text);
        assert_true(emi_text_strtod(text, NULL) == good[n].value);
    }
}

/* The thread's own locale is what it was before. */
static void leaves_the_locale_alone(void **state)
{
    (void)state;
    char text[EMI_NUMBER_TEXT], point[8];
    double value;
    locale_t before = uselocale((locale_t)0);
    (void)strncpy(point, localeconv()->decimal_point, sizeof point - 1);
    point[sizeof point - 1] = 0;
    assert_int_equal(emi_text_double("1.5", &value), 0);
    (void)emi_text_of_double(text, value);
    assert_true(uselocale((locale_t)0) == before);
    assert_string_equal(localeconv()->decimal_point, point);
}

static void knows_what_stands_for_a_missing_value(void **state)
{
    (void)state;
    static const char *const missing[] = {"", "NA", "n/a", "NaN", "null", "None", "?"};
    static const char *const given[] = {"0", " ", "nano", "n", "-", "??"};
    for (size_t n = 0; n < sizeof missing / sizeof *missing; n++)
        assert_true(emi_text_is_missing(missing[n], strlen(missing[n])));
    for (size_t n = 0; n < sizeof given / sizeof *given; n++)
        assert_false(emi_text_is_missing(given[n], strlen(given[n])));
    assert_true(emi_text_is_missing("NA,3", 2));
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

static void labels_are_in_order(void **state)
{
    (void)state;
    static const char *const labels[] = {"-1e3", "2", "2.0", "10", "1e308", "", "a", "b", "inf", "é"};
    enum { COUNT = sizeof labels / sizeof *labels };
    for (int a = 0; a < COUNT; a++)
        for (int b = 0; b < COUNT; b++) {
            int order = emi_text_order(labels[a], labels[b]);
            assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
        }
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_in_order),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(reads_doubles),
        cmocka_unit_test(refuses_doubles_that_overflow),
        cmocka_unit_test(reads_longs),
        cmocka_unit_test(reads_unsigned_numbers),
        cmocka_unit_test(stops_where_the_number_ends),
        cmocka_unit_test(writes_the_shortest_text),
        cmocka_unit_test(leaves_the_locale_alone),
        cmocka_unit_test(knows_what_stands_for_a_missing_value),
        cmocka_unit_test(finds_what_follows_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = run_all();
    if (failed) return failed;
    return locale_with_comma() ? run_all() : 77;
}
