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

/* Against what the trace is drawn, and what of it: error where a truth is known; on a single node nothing is
 * sent, and the iterations are all there is to count. */
typedef struct curve {
    const em_trace_row *rows;
    size_t count;
    int with_error, with_units;
} curve;

static curve curve_of(const em_model *model)
{
    curve c = {0};
    c.rows = em_model_trace(model, &c.count);
    c.with_error = c.count > 0 && !isnan(c.rows[c.count - 1].error);
    c.with_units = c.count > 0 && c.rows[c.count - 1].units > 0;
    return c;
}

/* As many points as a picture can show.  Returns how many there were. */
static size_t put_points(FILE *script, const curve *c)
{
    enum { POINTS_MAX = 2000 };
    size_t points = 0, stride = c->count / POINTS_MAX + 1;
    (void)fprintf(script, "$trace << end\n");
    for (size_t i = 0; i < c->count; i += i + stride < c->count || i == c->count - 1 ? stride : c->count - 1 - i) {
        const em_trace_row *row = &c->rows[i];
        double value = c->with_error ? row->error : row->residual;
        /* A logarithmic axis has no place for what is exactly 0. */
        if (!(value > 0) || isinf(value)) continue;
        points++;
        (void)fprintf(script, "%.9g %.9g\n", c->with_units ? row->units : (double)row->iteration, value);
    }
    (void)fprintf(script, "end\n");
    return points;
}

em_status plot_trace(em_output *output, const em_model *model, em_error *err)
{
    const em_info *info = em_model_info(model);
    curve c = curve_of(model);
    FILE *script = gnuplot_script(800, 480, err);
    if (!script) return err->code;
    size_t points = put_points(script, &c);
    (void)fprintf(script,
                  "set title '%s, %ld iteration%s'\n"
                  "set logscale y\n"
                  "set format y '1e%%T'\n"
                  "set xlabel '%s'\n"
                  "set ylabel '%s'\n"
                  "set xrange [0:%s]\n"
                  "set yrange [%s]\n"
                  "unset key\n"
                  "plot $trace with %s linecolor '" BLUE "' linewidth 2 pointtype 7 pointsize 0.5\n",
                  info->method, info->iterations, info->iterations == 1 ? "" : "s",
                  c.with_units ? "units sent (one: every node sends a d x K matrix to each neighbour)" : "iterations",
                  c.with_error ? "error" : "residual", points ? "*" : "1", points ? "*:*" : "1e-16:1",
                  points > 100 ? "lines" : "linespoints");
    return gnuplot_draw(script, output, err);
}
