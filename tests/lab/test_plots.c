/* The pictures of models, scores, networks and comparisons, and what colours their points. */
#include "fit/options.h"
#include "lab/plot.h"
#include "lab/tables/generate.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *path; /* where the picture goes */

static canvas to_picture(void)
{
    em_error err = {0};
    canvas to = {.kind = PICTURE_SVG};
    assert_ok(emi_output_open(&to.output, path, &err), &err);
    return to;
}

/* Put it in place, and look at it; the caller frees it. */
static char *drawn(canvas *to, em_status status, em_error *err)
{
    assert_ok(status, err);
    assert_ok(emi_output_commit(&to->output, err), err);
    char *svg = svg_read(path);
    assert_texts_inside(svg);
    return svg;
}

/* ---- fits ------------------------------------------------------------------------------------------------- */

static em_model *fitted(const char *method, int d, int K, int nodes, long iterations, int with_truth)
{
    em_error err = {0};
    em_data *data = NULL;
    em_shards *shards = NULL;
    em_graph *graph = NULL;
    em_mesh *mesh = NULL;
    em_model *model = NULL;
    em_options options = emi_options_default();
    options.method = method;
    options.components = K;
    if (iterations) options.iterations = iterations;
    options.trace = EMI_TRACE_ALL;
    options.truth_compute = with_truth;
    assert_ok(lab_generate(&data, (size_t)d, 500, (size_t)K, 0.5, 1, &err), &err);
    assert_ok(em_shards_split(&shards, data, nodes, "contiguous", 0, &err), &err);
    assert_ok(em_graph_create(&graph, "complete", nodes, 0, &err), &err);
    assert_ok(em_mesh_open(&mesh, "local", graph, 1, &err), &err);
    assert_ok(em_fit(&model, &options, mesh, shards, &err), &err);
    em_mesh_close(&mesh);
    em_graph_free(&graph);
    em_shards_free(&shards);
    em_data_free(&data);
    return model;
}

static char *scree(const em_model *model)
{
    em_error err = {0};
    canvas to = to_picture();
    return drawn(&to, plot_scree(&to, model, &err), &err);
}

static char *fit_picture(const em_model *model)
{
    em_error err = {0};
    canvas to = to_picture();
    return drawn(&to, plot_fit(&to, model, &err), &err);
}

/* One component or two hundred: every one has its bar, and there are a dozen numbers at most. */
static void draws_screes(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 10, 200};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        em_model *model = fitted("covariance", 210, counts[i], 1, 0, 0);
        char *svg = scree(model), title[64];
        double sum = 0;
        for (int k = 0; k < counts[i]; k++) sum += 100 * em_model_explained_variance_ratio(model)[k];
        (void)snprintf(title, sizeof title, ">%g%% of the variance in %d component%s<", round(10 * sum) / 10, counts[i],
                       counts[i] == 1 ? "" : "s");
        assert_says(svg, title);
        assert_says(svg, ">share of the variance<");
        assert_says(svg, ">cumulative share<");
        assert_says(svg, ">100%<");
        assert_int_equal(svg_count(svg, "<polygon fill"), counts[i]);
        free(svg);
        em_model_free(&model);
    }
}

/* A curve is drawn where there is one to see: never a line through two points. */
static void draws_the_way_there(void **state)
{
    (void)state;
    em_model *exact = fitted("covariance", 12, 3, 5, 0, 1), *slow = fitted("dsa", 12, 3, 5, 40, 0);
    em_model *known = fitted("deepca", 12, 3, 5, 60, 1), *alone = fitted("gha", 12, 3, 1, 40, 0);
    char *svg = fit_picture(exact);
    assert_silent(svg, ">units sent");
    assert_silent(svg, ">iterations<");
    assert_silent(svg, ">error");
    free(svg);
    svg = fit_picture(slow);
    assert_says(svg, ">dsa, 40 iterations<");
    assert_says(svg, ">residual<");
    assert_says(svg, ">units sent (d x K matrices to each neighbour)<");
    free(svg);
    svg = fit_picture(known);
    assert_says(svg, ">error (mean squared sine of the angles)<");
    free(svg);
    svg = fit_picture(alone);
    assert_says(svg, ">iterations<");
    free(svg);
    em_model_free(&exact);
    em_model_free(&slow);
    em_model_free(&known);
    em_model_free(&alone);
}

/* Exact methods end at errors of 1e-30; the axis does not. */
static void error_axes_have_a_floor(void **state)
{
    (void)state;
    em_error err = {0};
    static const trace_axis axes[] = {ALONG_UNITS, ALONG_SECONDS};
    em_model *best = fitted("covariance", 12, 3, 5, 0, 1), *slow = fitted("dsa", 12, 3, 5, 40, 1);
    assert_true(em_model_info(best)->error < 1e-20);
    const trace_curve both[] = {{"covariance", best}, {"dsa", slow}, {"lost", NULL}};
    canvas to = to_picture();
    char *svg = drawn(&to, plot_comparison(&to, both, 3, axes, 2, &err), &err);
    assert_says(svg, ">1e-16<");
    assert_silent(svg, ">1e-18<");
    assert_silent(svg, ">1e-20<");
    assert_int_equal(svg_count(svg, ">covariance<"), 1); /* one legend for both panels */
    assert_int_equal(svg_count(svg, ">dsa<"), 1);
    assert_silent(svg, ">lost<");
    assert_says(svg, ">seconds in the iterations<");
    free(svg);
    em_model_free(&best);
    em_model_free(&slow);
}

/* ---- networks ------------------------------------------------------------------------------------------------ */

static void sizes_hubs(void **state)
{
    (void)state;
    em_error err = {0};
    static const struct {
        const char *topology;
        int nodes, sizes; /* 1: all alike */
    } cases[] = {{"scalefree:2", 200, 2}, {"cycle", 200, 1}, {"star", 30, 1}, {"torus:3x4", 12, 1}, {"complete", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        em_graph *graph = NULL;
        assert_ok(em_graph_create(&graph, cases[i].topology, cases[i].nodes, 0, &err), &err);
        canvas to = to_picture();
        char *svg = drawn(&to, plot_graph(&to, graph, cases[i].topology, &err), &err), *first = strstr(svg, ") scale(");
        assert_non_null(first);
        char size[16] = "";
        (void)snprintf(size, sizeof size, "%.12s", first);
        int points = svg_count(svg, ") scale("), alike = svg_count(svg, size);
        assert_int_equal(points, cases[i].nodes);
        assert_int_equal(alike == points, cases[i].sizes == 1);
        free(svg);
        em_graph_free(&graph);
    }
}

/* ---- scores --------------------------------------------------------------------------------------------------- */

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
    canvas to = to_picture();
    return drawn(&to, plot_scores(&to, s, &err), &err);
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

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void names_say_what_a_picture_is(void **state)
{
    (void)state;
    em_error err = {0};
    static const char *const wrong[] = {"plot", ".svg", "svg", "plot.jpg", "plot.svg.gz", "plot.", "/dev/stdout"};
    assert_int_equal(gnuplot_kind("a.svg"), PICTURE_SVG);
    assert_int_equal(gnuplot_kind("a.b.PNG"), PICTURE_PNG);
    assert_int_equal(gnuplot_kind("svg/a.pdf"), PICTURE_PDF);
    assert_int_equal(gnuplot_kind("-"), PICTURE_SVG);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(gnuplot_require_for("--plot", wrong[i], &err), EM_EINVAL, ".svg, .png or .pdf", &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_screes),
        cmocka_unit_test(draws_the_way_there),
        cmocka_unit_test(error_axes_have_a_floor),
        cmocka_unit_test(sizes_hubs),
        cmocka_unit_test(draws_scores),
        cmocka_unit_test(draws_scores_on_a_scale),
        cmocka_unit_test(draws_one_component),
        cmocka_unit_test(stays_small),
        cmocka_unit_test(draws_what_is_odd),
        cmocka_unit_test(hostile_labels_stay_texts),
    };
    const struct CMUnitTest without_gnuplot[] = {
        cmocka_unit_test(sorts_labels),
        cmocka_unit_test(tells_numbers_from_too_many_classes),
        cmocka_unit_test(names_say_what_a_picture_is),
    };
    int failed = cmocka_run_group_tests(without_gnuplot, NULL, NULL);
    char program[GNUPLOT_PATH_MAX];
    path = scratch("plot.svg");
    if (failed || gnuplot_find(program)) return failed ? failed : cmocka_run_group_tests(tests, NULL, NULL);
    print_message("skipped: gnuplot is not installed\n");
    return 77;
}
