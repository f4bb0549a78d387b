/* Axes of any range: a few numbers at each, and every value between their ends. */
#include "base/memory.h"
#include "page/chart.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int count_ticks(emi_html *html)
{
    int count = 0;
    html->text = emi_realloc(html->text, html->size + 1);
    assert_non_null(html->text);
    html->text[html->size] = 0;
    for (const char *at = html->text; (at = strstr(at, "<text class=\"end\"")); at++) count++;
    emi_free(html->text);
    *html = (emi_html){0};
    return count;
}

static int ticks_of(emi_axis y)
{
    emi_html html = {0};
    emi_chart chart = {.to = &html, .x = {.from = 0, .to = 1}, .y = y};
    emi_chart_begin(&chart, "words");
    emi_chart_end(&chart);
    assert_false(html.failed);
    for (int n = 0; n <= 10; n++) {
        double value = y.from + n / 10.0 * (y.to - y.from), at = emi_axis_at(&chart.y, value);
        assert_true(at >= chart.y.most && at <= chart.y.least);
    }
    return count_ticks(&html);
}

static void every_range_has_a_few_numbers(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 1},        {-1, 1},       {0, 0.1},        {3, 1000},
                                       {-5e-9, 2e-9}, {0, 1e300},    {-1e299, 1e299}, {1e5, 1e5 + 1},
                                       {0.5, 200.5},  {-17, -16.99}, {0, 1e-300}};
    for (size_t n = 0; n < sizeof ranges / sizeof *ranges; n++) {
        int ticks = ticks_of((emi_axis){.from = ranges[n][0], .to = ranges[n][1]});
        if (ticks < 2 || ticks > 12) fail_msg("%g to %g has %d numbers", ranges[n][0], ranges[n][1], ticks);
        ticks = ticks_of((emi_axis){.from = ranges[n][0], .to = ranges[n][1], .whole = 1});
        assert_true(ticks >= 0 && ticks <= 12);
    }
    for (int powers = 1; powers < 300; powers = 2 * powers + 1) {
        int ticks = ticks_of((emi_axis){.from = 1e-299, .to = pow(10, powers - 299), .log = 1});
        if (ticks < 2 || ticks > 8) fail_msg("%d powers of ten have %d numbers", powers, ticks);
    }
}

/* Where a step is lost beside the number, there is an end all the same. */
static void numbers_without_digits_for_a_step_end(void **state)
{
    (void)state;
    assert_true(ticks_of((emi_axis){.from = 1e16, .to = 1e16 + 2}) <= 16);
    assert_true(ticks_of((emi_axis){.from = -1e300, .to = -1e300 * (1 - 1e-15)}) <= 16);
}

static void a_range_of_anything_has_room(void **state)
{
    (void)state;
    static const double ranges[][2] = {{INFINITY, -INFINITY}, {0, 0}, {5, 5}, {-3, -3}, {1e16, 1e16}, {1, 2}, {NAN, 1}};
    for (size_t n = 0; n < sizeof ranges / sizeof *ranges; n++) {
        emi_axis axis = {0};
        emi_axis_fit(&axis, ranges[n][0], ranges[n][1], 0.04);
        assert_true(isfinite(axis.from) && isfinite(axis.to) && axis.from < axis.to);
    }
}

/* Between the title at the left and the end of the picture, and beside each other; `type` is as wide as letters get. */
static void check_places(emi_axis x, emi_axis y)
{
    static const double type = 12.5, title = 14;
    emi_html html = {0};
    x.title = y.title = "title";
    emi_chart chart = {.to = &html, .x = x, .y = y};
    emi_chart_begin(&chart, "words");
    emi_chart_end(&chart);
    html.text = emi_realloc(html.text, html.size + 1);
    html.text[html.size] = 0;
    double before = 0;
    for (const char *at = html.text; (at = strstr(at, "<text class=\"")); at++) {
        char class[16], text[32];
        double place;
        if (sscanf(at, "<text class=\"%15[a-z]\" x=\"%lf\" y=\"%*f\">%31[^<]", class, &place, text) != 3) continue;
        double width = emi_text_width(text, 32, type), left = strcmp(class, "end") ? place - width / 2 : place - width;
        int fits = left >= (strcmp(class, "end") ? before : title) && left + width <= EMI_CHART_WIDTH + 0.1;
        if (!fits) fail_msg("%s at %g has no room", text, place);
        if (strcmp(class, "end") != 0) before = left + width;
    }
    emi_free(html.text);
}

static void numbers_have_room(void **state)
{
    (void)state;
    static const double ranges[][2] = {{-2e5, 2e5},      {-2e4, 2e4}, {-1.7e150, 1.3e150}, {1e6 - 3, 1e6 + 3},
                                       {-3e-7, 1.1e-6},  {0, 99999},  {-1e-200, 1e-201},   {123456789, 123456791},
                                       {-0.0021, 0.0047}};
    for (size_t n = 0; n < sizeof ranges / sizeof *ranges; n++)
        for (size_t m = 0; m < sizeof ranges / sizeof *ranges; m++)
            check_places((emi_axis){.from = ranges[n][0], .to = ranges[n][1]},
                         (emi_axis){.from = ranges[m][0], .to = ranges[m][1]});
}

/* Places that mean nothing have none. */
static void a_bare_axis_has_no_numbers(void **state)
{
    (void)state;
    assert_int_equal(ticks_of((emi_axis){.from = 0, .to = 1, .bare = 1}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_has_a_few_numbers), cmocka_unit_test(numbers_without_digits_for_a_step_end),
        cmocka_unit_test(a_range_of_anything_has_room),  cmocka_unit_test(numbers_have_room),
        cmocka_unit_test(a_bare_axis_has_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
