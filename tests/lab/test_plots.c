/* The pictures of models, networks and comparisons. */
#include "fit/options.h"
#include "lab/plot.h"
#include "lab/tables/generate.h"
#include "support/check.h"
#include "support/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    canvas to = svg_canvas();
    return svg_drawn(&to, plot_scree(&to, model, &err), &err);
}

static char *fit_picture(const em_model *model)
{
    em_error err = {0};
    canvas to = svg_canvas();
    return svg_drawn(&to, plot_fit(&to, model, &err), &err);
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
    canvas to = svg_canvas();
    char *svg = svg_drawn(&to, plot_comparison(&to, both, 3, axes, 2, &err), &err);
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
        canvas to = svg_canvas();
        char *svg = svg_drawn(&to, plot_graph(&to, graph, cases[i].topology, &err), &err),
             *first = strstr(svg, ") scale(");
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
    };
    const struct CMUnitTest without_gnuplot[] = {cmocka_unit_test(names_say_what_a_picture_is)};
    char program[GNUPLOT_PATH_MAX];
    int failed = cmocka_run_group_tests(without_gnuplot, NULL, NULL);
    if (failed || gnuplot_find(program)) return failed ? failed : cmocka_run_group_tests(tests, NULL, NULL);
    print_message("skipped: gnuplot is not installed\n");
    return 77;
}
