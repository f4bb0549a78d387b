/* Curves as tables and as pictures, made up so that all that can go wrong with them does. */
#include "lab/gnuplot.h"
#include "lab/paper/paper.h"
#include "support/check.h"
#include "support/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 16000, PICTURE_MAX = 60000 };

/* Falls tenfold every `decade` iterations to a floor, and sends so many units an iteration. */
static curve falling(const char *key, const char *label, size_t count, double decade, double lowest, double units)
{
    lab_curve_row *rows = calloc(count, sizeof *rows);
    assert_non_null(rows);
    for (size_t t = 0; t < count; t++) {
        double at = (double)t, error = fmax(pow(10, -at / decade), lowest);
        rows[t] = (lab_curve_row){.iteration = (long)t,
                                  .rounds = at,
                                  .bytes = 800 * units * at,
                                  .units = units * at,
                                  .error = error,
                                  .least = error / 3,
                                  .most = error * 3};
    }
    return (curve){.key = key, .label = label, .runs = 10, .count = count, .rows = rows};
}

static void release(const setup *s)
{
    for (int c = 0; c < s->curve_count; c++) free((void *)s->curves[c].rows);
}

/* The SVG; the caller frees it. */
static char *drawn(const picture *p)
{
    em_error err = {0};
    emi_output *output = NULL;
    const char *path = scratch("picture.svg");
    assert_ok(emi_output_open(&output, path, &err), &err);
    assert_ok(picture_draw(output, p, &err), &err);
    assert_ok(emi_output_commit(&output, &err), &err);
    return svg_read(path);
}

/* They alone can be seen through.  One whose edges meet comes in several parts, of one colour. */
static int bands(const char *svg)
{
    enum { COLOUR = 18 }; /* "rgb( 32,  99, 155)" */
    const char *before = "";
    int count = 0;
    for (; (svg = strstr(svg, "' fill-opacity")); svg++) {
        count += strncmp(before, svg - COLOUR, COLOUR) != 0;
        before = svg - COLOUR;
    }
    return count;
}

static void writes_a_table(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    const lab_curve_row rows[] = {{0, 0, 0, 0, 0.5, 0.25, 1}, {1, 50, 1e10, 12.5, 0.1, NAN, INFINITY}};
    const curve c = {.key = "k", .label = "l", .runs = 2, .count = 2, .rows = rows};
    FILE *out = open_memstream(&text, &size);
    curve_write(out, &c);
    (void)fclose(out);
    assert_string_equal(text, "iteration,rounds,bytes,units,error,least,most\n"
                              "0,0,0,0,0.5,0.25,1\n"
                              "1,50,10000000000,12.5,0.1,,inf\n");
    free(text);
}

static void finds_positions(void **state)
{
    (void)state;
    const lab_curve_row row = {.iteration = 3, .rounds = 4, .bytes = 5, .units = 6};
    assert_true(curve_position(&row, AXIS_ITERATIONS) == 3);
    assert_true(curve_position(&row, AXIS_UNITS) == 6);
    assert_true(curve_position(&row, AXIS_BYTES) == 5);
}

static void shows_what_has_a_place(void **state)
{
    (void)state;
    curve curves[] = {falling("dsa", "dsa", 10, 5, 0.1, 1), falling("gha", "gha", 10, 5, 0.1, 0),
                      falling("deepca", "deepca", 10, 5, 0.1, 1)};
    const curve lost = {.key = "lost", .label = "lost"};
    const setup s = {.key = "s", .title = "S", .curve_count = 3, .curves = curves};
    picture p = {.about = &s, .along = AXIS_ITERATIONS, .keys = "dsa gha lost"};
    assert_true(picture_shows(&p, &curves[0]) && picture_shows(&p, &curves[1]) && picture_shows(&p, &lost));
    assert_false(picture_shows(&p, &curves[2]));
    p.along = AXIS_UNITS;
    assert_true(picture_shows(&p, &curves[0]) && picture_shows(&p, &lost));
    assert_false(picture_shows(&p, &curves[1]));
    p.keys = NULL;
    assert_true(picture_shows(&p, &curves[2]));
    release(&s);
}

/* Long curves on every kind of axis: named, labelled, with their bands, and small. */
static void draws_long_curves(void **state)
{
    (void)state;
    char path[GNUPLOT_PATH_MAX];
    if (!gnuplot_find(path)) skip_for("gnuplot is not installed");
    static const char *const labels[] = {
        [AXIS_ITERATIONS] = ">Iterations<",
        [AXIS_UNITS] = ">Communications cost (units: d x K matrices to each neighbour)<",
        [AXIS_BYTES] = ">Bytes sent<",
    };
    curve curves[] = {
        falling("a", "dsa, step 0.01", MANY, 2000, 1e-6, 1),   falling("b", "dsa, step 0.1", MANY, 200, 1e-4, 1),
        falling("c", "seqdistpm, T_c = 50", MANY, 900, 0, 10), falling("d", "deepca", 300, 20, 1e-15, 3),
        falling("e", "fastpca", MANY, 500, 1e-16, 2),          falling("f", "it's <krylov> & co", 12, 1, 1e-16, 3)};
    const setup s = {.key = "s", .title = "Star network, gap 0.8", .curve_count = 6, .curves = curves};
    curves[3].runs = 1; /* has no spread */
    for (int kind = 0; kind < 6; kind++) {
        const picture p = {.about = &s, .along = (axis)(kind / 2), .log_x = kind % 2};
        char *svg = drawn(&p);
        assert_says(svg, ">Star network, gap 0.8<");
        assert_says(svg, ">Average error E<");
        assert_says(svg, labels[p.along]);
        assert_says(svg, ">dsa, step 0.01<");
        assert_says(svg, ">seqdistpm, T_c = 50<");
        assert_says(svg, ">it\u2019s &lt;krylov");
        assert_says(svg, ">1e-16<"); /* where errors of 0 are drawn */
        assert_silent(svg, ">1e-18<");
        assert_texts_inside(svg);
        assert_int_equal(bands(svg), 5);
        if (strlen(svg) > PICTURE_MAX) fail_msg("%zu bytes on axis %d", strlen(svg), kind);
        free(svg);
    }
    release(&s);
}

static void says_what_went_wrong(void **state)
{
    (void)state;
    char path[GNUPLOT_PATH_MAX];
    if (!gnuplot_find(path)) skip_for("gnuplot is not installed");
    char diverged[] = "diverged after 35 iterations", refused[] = "did not run: it was refused; try another";
    curve curves[] = {falling("a", "dsa, step 0.1", 500, 100, 1e-3, 1),
                      falling("b", "dsa, step 9", 36, 10, 1e-3, 1),
                      falling("c", "gha", 500, 100, 1e-3, 0),
                      {.key = "d", .label = "oi", .note = refused},
                      {.key = "e", .label = "deepca"}};
    const setup s = {.key = "s", .title = "S", .curve_count = 5, .curves = curves};
    lab_curve_row *last = (lab_curve_row *)&curves[1].rows[35];
    curves[1].note = diverged;
    last[0].error = NAN;
    last[-1].error = INFINITY;
    last[-2].most = INFINITY;
    const picture p = {.about = &s, .along = AXIS_UNITS, .log_x = 1};
    char *svg = drawn(&p);
    assert_says(svg, ">dsa, step 0.1<");
    assert_says(svg, ">dsa, step 9 (diverged after 35 iterations)<");
    assert_says(svg, ">oi (did not run)<");
    assert_says(svg, ">deepca (did not run)<");
    assert_silent(svg, ">gha<"); /* it sends nothing */
    assert_silent(svg, "nan");
    assert_silent(svg, "inf");
    assert_int_equal(bands(svg), 2);
    assert_texts_inside(svg);
    free(svg);
    release(&s);
}

/* A picture is drawn even where there is nothing to draw. */
static void draws_empty_frames(void **state)
{
    (void)state;
    char path[GNUPLOT_PATH_MAX];
    if (!gnuplot_find(path)) skip_for("gnuplot is not installed");
    const lab_curve_row start = {.error = 1, .least = 1, .most = 1};
    curve curves[] = {{.key = "a", .label = "only its start", .runs = 1, .count = 1, .rows = &start},
                      {.key = "b", .label = "nothing"}};
    for (int kind = 0; kind < 18; kind++) {
        const setup s = {.key = "s", .title = "S", .curve_count = kind / 6, .curves = curves};
        const picture p = {.about = &s, .along = (axis)(kind % 3), .log_x = kind / 3 % 2};
        char *svg = drawn(&p);
        assert_says(svg, ">Average error E<");
        free(svg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_a_table),         cmocka_unit_test(finds_positions),
        cmocka_unit_test(shows_what_has_a_place), cmocka_unit_test(draws_long_curves),
        cmocka_unit_test(says_what_went_wrong),   cmocka_unit_test(draws_empty_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
