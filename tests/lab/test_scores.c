/* The pictures of scores, and what colours their points. */
#include "lab/plot.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *from_list(const void *list, size_t row)
{
    return ((const char *const *)list)[row];
}

static em_status sort_out(labels *l, const char *const *list, size_t rows, em_error *err)
{
    *l = (labels){.name = "kind", .rows = rows, .of = from_list, .from = list};
    return labels_sort_out(l, err);
}

static void sorts_labels(void **state)
{
    (void)state;
    em_error err = {0};
    labels l;
    static const char *const words[] = {"b", "", "a", "b", "NA", "c"}, *const digits[] = {"10", "9", "2", "9"};
    assert_ok(sort_out(&l, words, 6, &err), &err);
    assert_int_equal(l.count, 3);
    assert_int_equal(l.missing, 1);
    assert_string_equal(l.classes[0], "a");
    assert_int_equal(labels_class(&l, 3), 1);
    assert_int_equal(labels_class(&l, 4), l.count); /* has none */
    assert_ok(sort_out(&l, digits, 4, &err), &err);
    assert_string_equal(l.classes[0], "2");
    assert_string_equal(l.classes[2], "10"); /* by number, not by text */
    static const char *const none[] = {"", "?", "nan"};
    assert_fails(sort_out(&l, none, 3, &err), EM_EDATA, "is empty in every row", &err);
}

static void tells_numbers_from_too_many_classes(void **state)
{
    (void)state;
    em_error err = {0};
    labels l;
    enum { MANY = CLASSES_MAX + 1 };
    char texts[MANY][16];
    const char *list[MANY];
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%d.5", i - 3);
        list[i] = texts[i];
    }
    assert_ok(sort_out(&l, list, MANY, &err), &err);
    assert_int_equal(l.count, 0);
    assert_close(l.least, -3.5, 0);
    assert_close(l.most, 9.5, 0);
    assert_close(labels_number(&l, 4), 1.5, 0);
    list[5] = "NA";
    assert_ok(sort_out(&l, list, MANY - 1, &err), &err);
    assert_int_equal(l.count, CLASSES_MAX - 1); /* that many are classes */
    assert_true(isnan(labels_number(&l, 5)));
    list[5] = "five";
    assert_fails(sort_out(&l, list, MANY, &err), EM_EDATA, "more than 12 different texts", &err);
}

static char *scores(const score_plot *s)
{
    em_error err = {0};
    canvas to = svg_canvas();
    return svg_drawn(&to, plot_scores(&to, s, &err), &err);
}

static void draws_scores(void **state)
{
    (void)state;
    em_error err = {0};
    enum { ROWS = 40 };
    double values[2 * ROWS];
    const char *list[ROWS];
    labels l;
    matrix_fill(values, 2 * ROWS, 1);
    for (int i = 0; i < ROWS; i++) list[i] = i == 7 ? "" : i % 2 ? "setosa" : "it's <odd> & co";
    score_plot s = {.rows = ROWS, .scores = values, .columns = 2, .shares = {0.5, 0.25}};
    char *svg = scores(&s);
    assert_says(svg, ">scores of 40 rows<");
    assert_says(svg, ">component 1 (50% of the variance)<");
    assert_says(svg, ">component 2 (25% of the variance)<");
    assert_int_equal(svg_count(svg, ") scale("), ROWS);
    free(svg);
    assert_ok(sort_out(&l, list, ROWS, &err), &err);
    s.labels = &l;
    s.whitened = 1;
    svg = scores(&s);
    assert_says(svg, ">kind<");
    assert_says(svg, ">setosa<");
    assert_says(svg, ">it\u2019s &lt;odd");
    assert_says(svg, ">no label<");
    assert_says(svg, ">component 1, whitened (50% of the variance)<");
    assert_int_equal(svg_count(svg, ") scale("), ROWS + 3); /* and the legend's */
    assert_int_equal(svg_count(svg, " color='rgb(176, 176, 176)'"), 2);
    free(svg);
}

static void draws_scores_on_a_scale(void **state)
{
    (void)state;
    em_error err = {0};
    enum { ROWS = 50 };
    double values[2 * ROWS];
    char texts[ROWS][16];
    const char *list[ROWS];
    labels l;
    matrix_fill(values, 2 * ROWS, 2);
    for (int i = 0; i < ROWS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%d", 1000 * i);
        list[i] = i == 3 ? "NA" : texts[i];
    }
    assert_ok(sort_out(&l, list, ROWS, &err), &err);
    for (int columns = 1; columns <= 2; columns++) {
        const score_plot s = {.rows = ROWS, .scores = values, .columns = columns, .labels = &l};
        char *svg = scores(&s);
        assert_says(svg, ">kind<");
        assert_says(svg, " 20000<");
        /* Against the number itself, what has none has no place. */
        assert_int_equal(svg_count(svg, ") scale("), columns == 1 ? ROWS - 1 : ROWS);
        free(svg);
    }
}

static void draws_one_component(void **state)
{
    (void)state;
    em_error err = {0};
    enum { ROWS = 64 };
    double values[ROWS];
    const char *list[ROWS];
    labels l;
    for (int i = 0; i < ROWS; i++) {
        values[i] = i;
        list[i] = i % 2 ? "a" : "b";
    }
    score_plot s = {.rows = ROWS, .scores = values, .columns = 1, .shares = {1}};
    char *svg = scores(&s);
    assert_says(svg, ">rows<");
    assert_true(svg_count(svg, "<polygon fill") >= 5);
    assert_int_equal(svg_count(svg, ") scale("), 0);
    free(svg);
    assert_ok(sort_out(&l, list, ROWS, &err), &err);
    s.labels = &l;
    svg = scores(&s);
    assert_int_equal(svg_count(svg, ") scale("), ROWS + 2);
    free(svg);
}

/* However many rows there are, a picture stays small; those that lie apart are all there. */
static void stays_small(void **state)
{
    (void)state;
    enum { ROWS = 200000, PICTURE_MAX = 2500000 };
    double *values = calloc(2 * ROWS, sizeof *values);
    assert_non_null(values);
    matrix_fill(values, 2 * ROWS, 4);
    values[0] = values[1] = 50; /* far away, and still in the picture */
    const score_plot s = {.rows = ROWS, .scores = values, .columns = 2};
    char *svg = scores(&s);
    assert_int_equal(svg_count(svg, ") scale(") > 10, 1);
    assert_int_equal(svg_count(svg, ") scale(") < 100, 1); /* all others are in a corner */
    free(svg);
    values[0] = values[1] = 0;
    svg = scores(&s);
    assert_true(svg_count(svg, ") scale(") > 10000);
    if (strlen(svg) > PICTURE_MAX) fail_msg("%zu bytes", strlen(svg));
    free(svg);
    free(values);
}

/* One row, equal rows, numbers of any size: a picture all the same. */
static void draws_what_is_odd(void **state)
{
    (void)state;
    static const double sizes[] = {0, 1, 1e-300, 123456, 1e300, 1.7e308, INFINITY, NAN};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int columns = 1; columns <= 2; columns++)
            for (size_t rows = 1; rows <= 3; rows++) {
                double v = sizes[i];
                const double values[] = {v, -v, v / 2, v, -v, v / 3};
                const score_plot s = {.rows = rows, .scores = values, .columns = columns, .shares = {1, NAN}};
                free(scores(&s));
            }
}

/* Labels are others' texts: nothing in them can leave the string, or make an SVG that no program opens. */
static void hostile_labels_stay_texts(void **state)
{
    (void)state;
    em_error err = {0};
    static const char *const list[] = {"'; system 'id' #",
                                       "`id`",
                                       "\xff\xfe",
                                       "\xed\xa0\x80",
                                       "a\nb",
                                       "]]></text>",
                                       "a name that is far too long for any legend, and goes on",
                                       "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                                       "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
                                       "\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"};
    enum { ROWS = sizeof list / sizeof *list };
    double values[2 * ROWS];
    labels l;
    matrix_fill(values, 2 * ROWS, 5);
    assert_ok(sort_out(&l, list, ROWS, &err), &err);
    const score_plot s = {.rows = ROWS, .scores = values, .columns = 2, .labels = &l};
    char *svg = scores(&s);
    assert_says(svg, ">\u2019; system \u2019id\u2019 #<");
    assert_says(svg, ">`id`<");
    assert_says(svg, ">?\?<");
    assert_says(svg, ">?\?\?<");
    assert_says(svg, ">a b<");
    assert_says(svg, ">] ]>&lt;/text");
    assert_says(svg, ">a name that is far t...<");
    assert_silent(svg, "for any legend");
    assert_says(svg, "\xc3\xa9...<");
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_scores),        cmocka_unit_test(draws_scores_on_a_scale),
        cmocka_unit_test(draws_one_component), cmocka_unit_test(stays_small),
        cmocka_unit_test(draws_what_is_odd),   cmocka_unit_test(hostile_labels_stay_texts),
    };
    const struct CMUnitTest without_gnuplot[] = {
        cmocka_unit_test(sorts_labels),
        cmocka_unit_test(tells_numbers_from_too_many_classes),
    };
    char program[GNUPLOT_PATH_MAX];
    int failed = cmocka_run_group_tests(without_gnuplot, NULL, NULL);
    if (failed || gnuplot_find(program)) return failed ? failed : cmocka_run_group_tests(tests, NULL, NULL);
    print_message("skipped: gnuplot is not installed\n");
    return 77;
}
