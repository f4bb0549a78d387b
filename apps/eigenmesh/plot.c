#include "plot.h"
#include "gnuplot.h"

#include <math.h>

#define BLUE   "#20639b"
#define ORANGE "#d1603d"

em_status plot_scree(em_output *output, const em_model *model, em_error *err)
{
    const double *variance = em_model_explained_variance(model);
    const double *ratio = em_model_explained_variance_ratio(model);
    int count = em_model_components_count(model);
    double cumulative = 0;
    FILE *script = gnuplot_script(800, 480, err);
    if (!script) return err->code;
    (void)fprintf(script, "$scree << end\n");
    for (int k = 0; k < count; k++) {
        cumulative += ratio[k];
        (void)fprintf(script, "%d %.9g %.9g\n", k + 1, variance[k], 100 * cumulative);
    }
    (void)fprintf(script,
                  "end\n"
                  "set title 'Variance explained by %d component%s'\n"
                  "set border 11\n"
                  "set xlabel 'component'\n"
                  "set ylabel 'variance' textcolor '" BLUE "'\n"
                  "set y2label 'cumulative share' textcolor '" ORANGE "'\n"
                  "set y2tics format '%%g%%%%'\n"
                  "set grid noxtics\n"
                  "set xrange [0.4:%g]\n"
                  "set yrange [0:*]\n"
                  "set y2range [0:100]\n"
                  "set xtics %d,%d\n"
                  "set boxwidth 0.7\n"
                  "set style fill solid 0.85 noborder\n"
                  "unset key\n"
                  "plot $scree using 1:2 with boxes linecolor '" BLUE "', \\\n"
                  "     $scree using 1:3 axes x1y2 with linespoints linecolor '" ORANGE
                  "' linewidth 2 pointtype 7 pointsize %g\n",
                  count, count == 1 ? "" : "s", count + 0.6, count > 20 ? 0 : 1,
                  count > 20 ? (count / 100 + 1) * 10 : 1, count > 60 ? 0.2 : 0.6);
    return gnuplot_draw(script, output, err);
}

static double measure_of(const em_trace_row *row, int with_error)
{
    return with_error ? row->error : row->residual;
}

em_status plot_trace(em_output *output, const em_model *model, em_error *err)
{
    size_t rows = 0;
    const em_trace_row *trace = em_model_trace(model, &rows);
    int with_error = rows > 0 && !isnan(trace[rows - 1].error);
    /* On a single node nothing is sent, and the iterations are all there is to count. */
    int with_units = rows > 0 && trace[rows - 1].units > 0;
    const char *measure = with_error ? "error" : "residual";
    double floor = INFINITY;
    FILE *script = gnuplot_script(800, 480, err);
    if (!script) return err->code;
    (void)fprintf(script, "$trace << end\n");
    for (size_t i = 0; i < rows; i++) {
        double value = measure_of(&trace[i], with_error);
        /* A logarithmic axis has no place for what is exactly 0. */
        if (!(value > 0) || isinf(value)) continue;
        floor = fmin(floor, value);
        (void)fprintf(script, "%.9g %.9g\n", with_units ? trace[i].units : (double)trace[i].iteration, value);
    }
    if (isinf(floor)) (void)fprintf(script, "0 1\n"); /* nothing to show: an empty frame */
    (void)fprintf(script, "end\nset title '%s: %s after %ld iterations'\n", em_model_info(model)->method, measure,
                  em_model_info(model)->iterations);
    (void)fprintf(script,
                  "set logscale y\n"
                  "set format y '1e%%T'\n"
                  "set xlabel '%s'\n"
                  "set ylabel '%s'\n"
                  "set xrange [0:*]\n"
                  "unset key\n"
                  "plot $trace with %s linecolor '" BLUE "' linewidth 2 pointtype 7 pointsize 0.5\n",
                  with_units ? "units sent (one: every node sends a d x K matrix to each neighbour)" : "iterations",
                  measure, rows > 100 ? "lines" : "linespoints");
    return gnuplot_draw(script, output, err);
}
