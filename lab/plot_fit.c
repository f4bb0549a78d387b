/* What a model has found, and how: variances, and the traces of fits. */
#include "lab/plot.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* ---- scree -------------------------------------------------------------------------------------------------- */

/* As many ticks as there is room for, at round numbers. */
static int tick_step(int count)
{
    static const int steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    enum { TICKS = 12, STEPS = sizeof steps / sizeof *steps };
    int s = 0;
    while (s + 1 < STEPS && count > TICKS * steps[s]) s++;
    return steps[s];
}

/* The largest share, and the sum of all; a fit that diverged may have any. */
static void fill_shares(fill *panel, const em_model *model, double *largest, double *sum)
{
    const double *ratio = em_model_explained_variance_ratio(model);
    FILE *out = fill_stream(panel, "shares");
    *largest = *sum = 0;
    for (int k = 0; out && k < em_model_components_count(model); k++) {
        if (!isfinite(ratio[k])) continue;
        *largest = fmax(*largest, 100 * ratio[k]);
        *sum += 100 * ratio[k];
        (void)fprintf(out, "%d %.9g %.9g\n", k + 1, 100 * ratio[k], *sum);
    }
    if (out) (void)fclose(out);
}

/* To a decimal, but all of it only where it is all. */
static double rounded(double percent)
{
    double near = round(10 * percent) / 10;
    return near == 100 && percent < 100 - 1e-9 ? 99.9 : near;
}

/* One component, or two, stand as narrow bars in the middle. */
static void fill_scree(fill *panel, const em_model *model)
{
    enum { BARS_LEAST = 6, DOTS_MOST = 60 };
    int count = em_model_components_count(model);
    double largest, sum, half = 0.5 * (count > BARS_LEAST ? count : BARS_LEAST) + 0.2;
    fill_shares(panel, model, &largest, &sum);
    fill_flag(panel, "is_scree", 1);
    fill_text(panel, "title", "%g%% of the variance in %d component%s", rounded(sum), count, count == 1 ? "" : "s");
    fill_text(panel, "first", "%g", 0.5 * (count + 1) - half);
    fill_text(panel, "last", "%g", 0.5 * (count + 1) + half);
    fill_text(panel, "largest", "%.9g", largest > 0 ? 1.06 * largest : 1);
    fill_text(panel, "sum", "%.9g", fmax(100, sum));
    fill_text(panel, "step", "%d", tick_step(count));
    fill_text(panel, "count", "%d", count);
    fill_text(panel, "style", "%s", count > DOTS_MOST ? "lines" : "linespoints");
    fill_text(panel, "size", "%g", count > DOTS_MOST / 4 ? 0.5 : 0.9);
    fill_flag(panel, "any", sum > 0);
}

em_status plot_scree(const canvas *to, const em_model *model, em_error *err)
{
    em_status status = EM_OK;
    fill *with = NULL;
    TRY(fill_open(&with, err));
    fill_scree(fill_add(with, "panels"), model);
    TRY(gnuplot_draw(to, "plots/picture.gp", 800, 480, with, err));
done:
    fill_free(&with);
    return status;
}

/* ---- traces ----------------------------------------------------------------------------------------------------- */

static const char *const axis_titles[] = {
    [ALONG_ITERATIONS] = "iterations",
    [ALONG_UNITS] = "units sent (d x K matrices to each neighbour)",
    [ALONG_ROUNDS] = "rounds of messages",
    [ALONG_SECONDS] = "seconds in the iterations",
};

static double position(const em_trace_row *row, trace_axis along)
{
    switch (along) {
    case ALONG_ITERATIONS: return (double)row->iteration;
    case ALONG_UNITS: return row->units;
    case ALONG_ROUNDS: return (double)row->rounds;
    default: return row->seconds;
    }
}

static em_status take_trace(plot_curve *out, const trace_curve *of, trace_axis along, int with_error, em_error *err)
{
    size_t rows = of->model ? em_model_trace_rows(of->model) : 0;
    *out = (plot_curve){.title = of->model ? of->name : NULL, .count = rows};
    out->points = emi_calloc(rows + 1, sizeof *out->points);
    if (!out->points) return emi_fail_memory(err, "--plot");
    for (size_t i = 0; i < rows; i++) {
        const em_trace_row *row = em_model_trace_row(of->model, i);
        out->points[i] = (plot_point){.x = position(row, along), .y = with_error ? row->error : row->residual};
    }
    return EM_OK;
}

static void panel_free(plot_panel *panel)
{
    for (int c = 0; panel->curves && c < panel->count; c++) emi_free(panel->curves[c].points);
    emi_free(panel->curves);
    *panel = (plot_panel){0};
}

/* To be released by panel_free, also after a failure. */
static em_status take_traces(plot_panel *panel, const trace_curve *curves, int count, trace_axis along, em_error *err)
{
    em_status status = EM_OK;
    int with_error = 0;
    for (int c = 0; c < count; c++) with_error |= curves[c].model && !isnan(em_model_info(curves[c].model)->error);
    *panel = (plot_panel){.axes = {.xlabel = axis_titles[along],
                                   .xformat = "%g",
                                   .ylabel = with_error ? "error (mean squared sine of the angles)" : "residual",
                                   .ysize = 13,
                                   .log_x = -1,
                                   .dots = 1000},
                          .count = count,
                          .curves = emi_calloc((size_t)count, sizeof *panel->curves)};
    if (!panel->curves) return emi_fail_memory(err, "--plot");
    for (int c = 0; c < count; c++) TRY(take_trace(&panel->curves[c], &curves[c], along, with_error, err));
done:
    return status;
}

em_status plot_comparison(const canvas *to, const trace_curve *curves, int count, const trace_axis *axes,
                          int axis_count, em_error *err)
{
    enum { AXES_MOST = 2 };
    static const plot_frame frame = {.left = 90, .right = 45, .title = 40, .labels = 64, .height = 400, .columns = 6};
    em_status status = EM_OK;
    plot_panel panels[AXES_MOST] = {{.count = 0}};
    char title[64] = "";
    for (int c = 0; c < count && !*title; c++) {
        const em_info *info = curves[c].model ? em_model_info(curves[c].model) : NULL;
        if (info)
            (void)snprintf(title, sizeof title, "%d component%s over %d node%s", info->components,
                           info->components == 1 ? "" : "s", info->nodes, info->nodes == 1 ? "" : "s");
    }
    for (int a = 0; a < axis_count; a++) TRY(take_traces(&panels[a], curves, count, axes[a], err));
    TRY(plot_panels(to, &frame, title, panels, axis_count, err));
done:
    for (int a = 0; a < AXES_MOST; a++) panel_free(&panels[a]);
    return status;
}

/* ---- the fit ------------------------------------------------------------------------------------------------- */

/* Is there more than a few points to draw? */
static int is_a_curve(const plot_panel *panel)
{
    enum { FEW = 5 };
    int points = 0;
    for (size_t i = 0; i < panel->curves[0].count; i++) points += isfinite(panel->curves[0].points[i].y);
    return points > FEW;
}

em_status plot_fit(const canvas *to, const em_model *model, em_error *err)
{
    em_status status = EM_OK;
    fill *with = NULL;
    const em_info *info = em_model_info(model);
    const trace_curve curve = {.name = info->method, .model = model};
    /* On a single node nothing is sent, and the iterations are all there is to count. */
    size_t rows = em_model_trace_rows(model);
    trace_axis along = rows && em_model_trace_row(model, rows - 1)->units > 0 ? ALONG_UNITS : ALONG_ITERATIONS;
    plot_panel trace = {.count = 0};
    TRY(take_traces(&trace, &curve, 1, along, err));
    if (!is_a_curve(&trace)) {
        status = plot_scree(to, model, err);
        goto done;
    }
    TRY(fill_open(&with, err));
    fill_flag(with, "several", 1);
    fill *left = fill_add(with, "panels"), *right = fill_add(with, "panels");
    plot_place(left, 0.075, 0.435, 0.155, 0.9);
    fill_scree(left, model);
    plot_place(right, 0.6, 0.965, 0.155, 0.9);
    fill_text(right, "title", "%s, %ld iterations", info->method, info->iterations);
    plot_curves(right, &trace);
    TRY(gnuplot_draw(to, "plots/picture.gp", 1120, 440, with, err));
done:
    fill_free(&with);
    panel_free(&trace);
    return status;
}
