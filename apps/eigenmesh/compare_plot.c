/* The error of every method against what it cost. */
#include "compare.h"
#include "gnuplot.h"
#include "message.h"
#include "palette.h"

#include <math.h>
#include <stdlib.h>

static const char *const axis_labels[COMPARE_AXES] = {
    [AXIS_UNITS] = "units sent (one: every node sends a d x K matrix to each neighbour)",
    [AXIS_ROUNDS] = "rounds of messages",
    [AXIS_SECONDS] = "seconds in the iterations",
};

/* With nothing that a logarithm can show, the axes alone. */
#define NO_CURVES "set xrange [0:1]\nset yrange [1e-16:1]\nplot NaN notitle\n"

static double position(const em_trace_row *row, compare_axis axis)
{
    switch (axis) {
    case AXIS_UNITS: return row->units;
    case AXIS_ROUNDS: return (double)row->rounds;
    default: return row->seconds;
    }
}

/* A picture's two axes, fitted to all curves. */
typedef struct frame {
    compare_axis axis;
    double width;   /* where the longest curve ends */
    int with_error; /* else the residual */
    int log_x;      /* then what cost nothing yet has no place */
} frame;

static double height(const frame *f, const em_trace_row *row)
{
    return f->with_error ? row->error : row->residual;
}

/* Where it ended, on this axis; 0 where it did not run. */
static double end_of(const em_model *model, compare_axis axis)
{
    size_t rows = 0;
    const em_trace_row *trace = model ? em_model_trace(model, &rows) : NULL;
    return rows ? position(&trace[rows - 1], axis) : 0;
}

static frame frame_of(const comparison *c, compare_axis axis)
{
    enum { WIDE = 20 };
    double least = INFINITY;
    frame f = {.axis = axis};
    for (int i = 0; i < c->count; i++) {
        const em_model *model = c->contenders[i].model;
        double end = end_of(model, axis);
        if (model && !isnan(em_model_info(model)->error)) f.with_error = 1;
        if (end <= 0) continue;
        least = fmin(least, end);
        f.width = fmax(f.width, end);
    }
    f.log_x = f.width > WIDE * least;
    return f;
}

/* Rows that a picture of this size can tell apart, and always the last.  Returns how many. */
static size_t put_curve(FILE *script, const frame *f, const em_model *model, int index)
{
    enum { DOTS = 1000 };
    size_t count = 0, points = 0;
    const em_trace_row *row = em_model_trace(model, &count);
    double next = 0;
    (void)fprintf(script, "$curve%d << end\n", index);
    for (size_t i = 0; i < count; i++) {
        double x = position(&row[i], f->axis), y = height(f, &row[i]);
        if (!(y > 0) || isinf(y) || (f->log_x && !(x > 0))) continue;
        if (x < next && i + 1 < count) continue;
        next = f->log_x ? x * (1 + 5.0 / DOTS) : x + f->width / DOTS;
        points++;
        (void)fprintf(script, "%.9g %.9g\n", x, y);
    }
    (void)fprintf(script, "end\n");
    return points;
}

static void put_frame(FILE *script, const frame *f, const em_info *info)
{
    if (info)
        (void)fprintf(script, "set title '%d component%s over %d node%s'\n", info->components,
                      info->components == 1 ? "" : "s", info->nodes, info->nodes == 1 ? "" : "s");
    (void)fprintf(script,
                  "set logscale y\n"
                  "set format y '1e%%T'\n"
                  "unset mytics\n"
                  "set xlabel '%s'\n"
                  "set ylabel '%s'\n"
                  "set key outside right center samplen 7 spacing 1.4 textcolor '#303030'\n",
                  axis_labels[f->axis],
                  f->with_error ? "error (mean squared sine of the angles to the truth)" : "residual");
    if (f->log_x)
        (void)fprintf(script, "set logscale x\nset format x '%%g'\n");
    else
        (void)fprintf(script, "set xrange [0:*]\n");
}

static void put_curves(FILE *script, const comparison *c, const frame *f, size_t *points)
{
    int drawn = 0;
    for (int i = 0; i < c->count; i++)
        if (c->contenders[i].model) points[i] = put_curve(script, f, c->contenders[i].model, i);
    for (int i = 0; i < c->count; i++) {
        if (!points[i]) continue;
        (void)fputs(drawn++ ? ", " : "plot ", script);
        (void)fprintf(script, "$curve%d title '%s' ", i, c->contenders[i].name);
        palette_curve(script, i, points[i]);
    }
    (void)fputs(drawn ? "\n" : NO_CURVES, script);
}

em_status compare_plot(em_output *output, const comparison *c, compare_axis axis, em_error *err)
{
    em_status status = EM_OK;
    frame f = frame_of(c, axis);
    const em_model *any = comparison_any(c);
    FILE *script = NULL;
    size_t *points = calloc((size_t)c->count, sizeof *points);
    if (!points) TRY(refuse_memory(err, "--output"));
    script = gnuplot_script(900, 500, err);
    if (!script) TRY(err->code);
    put_frame(script, &f, any ? em_model_info(any) : NULL);
    put_curves(script, c, &f, points);
    TRY(gnuplot_draw(script, output, err));
done:
    free(points);
    return status;
}
