/* What a model has found, and how: variances, and the trace of the fit. */
#include "lab/palette.h"
#include "lab/plot.h"
#include "lab/plot_curves.h"

#include <math.h>

#define SHARES     "#3f79ab"
#define CUMULATIVE "#d1603d"

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

/* Returns the largest share, and the sum of all; a fit that diverged may have any. */
static void put_shares(FILE *script, const em_model *model, double *largest, double *sum)
{
    const double *ratio = em_model_explained_variance_ratio(model);
    int count = em_model_components_count(model);
    *largest = *sum = 0;
    (void)fputs("$shares << end\n", script);
    for (int k = 0; k < count; k++) {
        if (!isfinite(ratio[k])) continue;
        *largest = fmax(*largest, 100 * ratio[k]);
        *sum += 100 * ratio[k];
        (void)fprintf(script, "%d %.9g %.9g\n", k + 1, 100 * ratio[k], *sum);
    }
    (void)fputs("end\n", script);
}

/* To a decimal, but all of it only where it is all. */
static double rounded(double percent)
{
    double near = round(10 * percent) / 10;
    return near == 100 && percent < 100 - 1e-9 ? 99.9 : near;
}

/* Settings and plot command.  One component, or two, stand as narrow bars in the middle. */
static void put_scree(FILE *script, const em_model *model)
{
    enum { BARS_LEAST = 6, DOTS_MOST = 60 };
    int count = em_model_components_count(model), step = tick_step(count);
    double largest, sum, half = 0.5 * (count > BARS_LEAST ? count : BARS_LEAST) + 0.2;
    put_shares(script, model, &largest, &sum);
    (void)fprintf(script,
                  "set title '%g%% of the variance in %d component%s'\n"
                  "set border 11\n"
                  "set xlabel 'component'\n"
                  "set ylabel 'share of the variance' font ',13' textcolor '" SHARES "'\n"
                  "set y2label 'cumulative share' font ',13' textcolor '" CUMULATIVE "'\n"
                  "set format y '%%g%%%%'\n"
                  "set y2tics format '%%g%%%%'\n"
                  "set grid noxtics\n"
                  "set xrange [%g:%g]\n"
                  "set yrange [0:%.9g]\n"
                  "set y2range [0:%.9g]\n"
                  "set xtics %d,%d,%d\n"
                  "set boxwidth 0.75\n"
                  "set style fill solid noborder\n"
                  "unset key\n",
                  rounded(sum), count, count == 1 ? "" : "s", 0.5 * (count + 1) - half, 0.5 * (count + 1) + half,
                  largest > 0 ? 1.06 * largest : 1, fmax(100, sum), step, step, count);
    if (sum > 0)
        (void)fprintf(script,
                      "plot $shares using 1:2 with boxes linecolor '" SHARES "', "
                      "$shares using 1:3 axes x1y2 with lines linecolor '#ffffff' linewidth 5, "
                      "$shares using 1:3 axes x1y2 with %s linecolor '" CUMULATIVE
                      "' linewidth 2 pointtype 7 pointsize %g\n",
                      count > DOTS_MOST ? "lines" : "linespoints", count > DOTS_MOST / 4 ? 0.5 : 0.9);
    else
        (void)fputs("plot NaN notitle\n", script);
}

em_status plot_scree(const canvas *to, const em_model *model, em_error *err)
{
    FILE *script = gnuplot_script(to, 800, 480, err);
    if (!script) return err->code;
    put_scree(script, model);
    return gnuplot_draw(script, to, err);
}

/* ---- the fit ------------------------------------------------------------------------------------------------- */

em_status plot_fit(const canvas *to, const em_model *model, em_error *err)
{
    static const panel left = {0.075, 0.435, 0.155, 0.9}, right = {0.6, 0.965, 0.155, 0.9};
    const em_info *info = em_model_info(model);
    /* On a single node nothing is sent, and the iterations are all there is to count. */
    trace_axis along = trace_end(model, ALONG_UNITS) > 0 ? ALONG_UNITS : ALONG_ITERATIONS;
    const trace_curve curve = {.name = info->method, .model = model};
    if (!trace_is_a_curve(model, along)) return plot_scree(to, model, err);
    FILE *script = gnuplot_script(to, 1120, 440, err);
    if (!script) return err->code;
    (void)fputs("set multiplot\n", script);
    gnuplot_panel(script, &left);
    put_scree(script, model);
    gnuplot_panel(script, &right);
    (void)fprintf(script, "unset key\nset title '%s, %ld iterations'\n", info->method, info->iterations);
    put_curves(script, &curve, 1, along);
    (void)fputs("unset multiplot\n", script);
    return gnuplot_draw(script, to, err);
}
