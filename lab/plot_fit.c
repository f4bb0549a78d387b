/* What a model has found, and how: variances, and the traces of fits. */
#include "lab/plot.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* ---- scree -------------------------------------------------------------------------------------------------- */

/* Shares of the variance in percent, and their sums; a fit that diverged may have any. */
static void fill_scree(fill *panel, const em_model *model)
{
    const double *ratio = em_model_explained_variance_ratio(model);
    int count = em_model_components_count(model);
    double largest = 0, sum = 0;
    for (int k = 0; k < count; k++) {
        if (!isfinite(ratio[k])) continue;
        largest = fmax(largest, 100 * ratio[k]);
        sum += 100 * ratio[k];
        fill_more(panel, "shares", "%d %.9g %.9g\n", k + 1, 100 * ratio[k], sum);
    }
    /* To a decimal, but all of it only where it is all. */
    double rounded = round(10 * sum) / 10;
    if (rounded == 100 && sum < 100 - 1e-9) rounded = 99.9;
    fill_flag(panel, "is_scree", 1);
    fill_text(panel, "title", "%g%% of the variance in %d component%s", rounded, count, count == 1 ? "" : "s");
    fill_numbers(panel, {"count", count}, {"largest", largest}, {"sum", sum});
}

em_status plot_scree(const canvas *to, const em_model *model, em_error *err)
{
    fill *with = fill_new();
    fill_scree(fill_add(with, "panels"), model);
    return gnuplot_draw(to, 800, 480, with, err);
}

/* ---- traces ----------------------------------------------------------------------------------------------------- */

static const char *const axis_titles[] = {
    [ALONG_ITERATIONS] = "iterations",
    [ALONG_UNITS] = "units sent (d x K matrices to each neighbour)",
    [ALONG_ROUNDS] = "rounds of messages",
    [ALONG_SECONDS] = "seconds in the iterations",
};

static plot_point residual_at(const void *model, size_t index, int along)
{
    const em_trace_row *row = em_model_trace_row(model, index);
    const double x[] = {[ALONG_ITERATIONS] = (double)row->iteration,
                        [ALONG_UNITS] = row->units,
                        [ALONG_ROUNDS] = (double)row->rounds,
                        [ALONG_SECONDS] = row->seconds};
    return (plot_point){.x = x[along], .y = row->residual};
}

static plot_point error_at(const void *model, size_t index, int along)
{
    return (plot_point){.x = residual_at(model, index, along).x, .y = em_model_trace_row(model, index)->error};
}

static plot_curve curve_of(const char *name, const em_model *model)
{
    plot_curve curve = {.from = model, .count = model ? em_model_trace_rows(model) : 0};
    if (model) (void)snprintf(curve.title, sizeof curve.title, "%s", name);
    return curve;
}

static plot_axes axes_along(trace_axis along, int with_error)
{
    return (plot_axes){.at = with_error ? error_at : residual_at,
                       .along = (int)along,
                       .xlabel = axis_titles[along],
                       .xformat = "%g",
                       .ylabel = with_error ? "error (mean squared sine of the angles)" : "residual",
                       .ysize = 13,
                       .log_x = -1,
                       .dots = 1000};
}

em_status plot_comparison(const canvas *to, const trace_curve *curves, int count, const trace_axis *axes,
                          int axis_count, em_error *err)
{
    static const plot_frame frame = {.left = 90, .right = 45, .title = 40, .labels = 64, .height = 400, .columns = 6};
    plot_axes panels[2];
    char title[64] = "";
    int with_error = 0;
    plot_curve *list = emi_calloc((size_t)count, sizeof *list);
    if (!list) return emi_fail_memory(err, "--plot");
    for (int c = 0; c < count; c++) {
        const em_info *info = curves[c].model ? em_model_info(curves[c].model) : NULL;
        list[c] = curve_of(curves[c].name, curves[c].model);
        with_error |= info && !isnan(info->error);
        if (info)
            (void)snprintf(title, sizeof title, "%d component%s over %d node%s", info->components,
                           info->components == 1 ? "" : "s", info->nodes, info->nodes == 1 ? "" : "s");
    }
    for (int a = 0; a < axis_count; a++) panels[a] = axes_along(axes[a], with_error);
    em_status status = plot_panels(to, &frame, title, list, count, panels, axis_count, err);
    emi_free(list);
    return status;
}

/* ---- the fit ------------------------------------------------------------------------------------------------- */

em_status plot_fit(const canvas *to, const em_model *model, em_error *err)
{
    enum { FEW = 5 }; /* points are no curve */
    const em_info *info = em_model_info(model);
    plot_curve curve = curve_of(info->method, model);
    plot_axes axes = axes_along(ALONG_UNITS, !isnan(info->error));
    size_t points = 0;
    for (size_t i = 0; i < curve.count; i++) points += isfinite(axes.at(model, i, axes.along).y) != 0;
    if (points <= FEW) return plot_scree(to, model, err);
    /* On a single node nothing is sent, and the iterations are all there is to count. */
    if (!(axes.at(model, curve.count - 1, axes.along).x > 0)) axes = axes_along(ALONG_ITERATIONS, !isnan(info->error));
    fill *with = fill_new(), *left = fill_add(with, "panels"), *right = fill_add(with, "panels");
    fill_flag(with, "several", 1);
    fill_place(left, 0.075, 0.435, 0.155, 0.9);
    fill_scree(left, model);
    fill_place(right, 0.6, 0.965, 0.155, 0.9);
    fill_text(right, "title", "%s, %ld iterations", info->method, info->iterations);
    fill_curves(right, &axes, &curve, 1);
    return gnuplot_draw(to, 1120, 440, with, err);
}
