#include "lab/plot_curves.h"
#include "lab/palette.h"

#include <math.h>

/* A mean squared sine below the square of what doubles resolve says nothing more, and an error of 0 has no logarithm:
 * both are drawn here. */
#define LEAST_SHOWN 1e-16

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

double trace_end(const em_model *model, trace_axis along)
{
    size_t rows = 0;
    const em_trace_row *trace = model ? em_model_trace(model, &rows) : NULL;
    return rows ? position(&trace[rows - 1], along) : 0;
}

/* ---- the frame, fitted to all curves ------------------------------------------------------------------- */

typedef struct frame {
    trace_axis along;
    int with_error;     /* else the residual */
    int log_x;          /* then what cost nothing yet has no place */
    double left, right; /* where the first point is, and where the longest curve ends */
    double least, most; /* of what is drawn */
} frame;

/* Where the row is drawn; 0: nowhere. */
static int place(const frame *f, const em_trace_row *row, double *x, double *y)
{
    *x = position(row, f->along);
    *y = f->with_error ? row->error : row->residual;
    if (!(*y >= 0) || isinf(*y) || (f->log_x && !(*x > 0))) return 0;
    *y = fmax(*y, LEAST_SHOWN);
    return 1;
}

static void frame_take(frame *f, const em_model *model)
{
    size_t rows = 0;
    const em_trace_row *trace = model ? em_model_trace(model, &rows) : NULL;
    for (size_t i = 0; i < rows; i++) {
        double x, y;
        if (!place(f, &trace[i], &x, &y)) continue;
        f->left = fmin(f->left, x);
        f->least = fmin(f->least, y);
        f->most = fmax(f->most, y);
    }
}

static frame frame_of(const trace_curve *curves, int count, trace_axis along)
{
    enum { WIDE = 20 };
    double shortest = INFINITY;
    frame f = {.along = along, .left = INFINITY, .least = INFINITY, .most = 0};
    for (int i = 0; i < count; i++) {
        double end = trace_end(curves[i].model, along);
        if (curves[i].model && !isnan(em_model_info(curves[i].model)->error)) f.with_error = 1;
        if (end <= 0) continue;
        shortest = fmin(shortest, end);
        f.right = fmax(f.right, end);
    }
    f.log_x = f.right > WIDE * shortest;
    for (int i = 0; i < count; i++) frame_take(&f, curves[i].model);
    if (!f.log_x) f.left = 0;
    if (!(f.right > f.left)) f.right = f.left > 0 ? 10 * f.left : 1;
    if (!(f.most > 0)) f.least = LEAST_SHOWN, f.most = 1;
    return f;
}

static void put_frame(FILE *script, const frame *f)
{
    double bottom = floor(log10(f->least)), top = ceil(log10(f->most));
    (void)fprintf(script,
                  "set logscale y\n"
                  "set format y '1e%%T'\n"
                  "unset mytics\n"
                  "set xlabel '%s'\n"
                  "set ylabel '%s' font ',13' offset inward,0\n"
                  "set xrange [%.9g:%.9g]\n"
                  "set yrange [1e%g:1e%g]\n",
                  axis_titles[f->along], f->with_error ? "error (mean squared sine of the angles)" : "residual",
                  f->left, f->right, bottom, top > bottom ? top : bottom + 1);
    if (f->log_x) (void)fputs("set logscale x\nset format x '%g'\n", script);
}

/* ---- the curves -------------------------------------------------------------------------------------------- */

/* Rows that a picture of this size can tell apart, and always the last.  Returns how many; with no script, that alone. */
static size_t put_rows(FILE *script, const frame *f, const em_model *model)
{
    enum { DOTS = 1000 };
    size_t rows = 0, points = 0;
    const em_trace_row *trace = model ? em_model_trace(model, &rows) : NULL;
    double next = 0, x, y;
    for (size_t i = 0; i < rows; i++) {
        if (!place(f, &trace[i], &x, &y) || (x < next && i + 1 < rows)) continue;
        next = f->log_x ? x * (1 + 5.0 / DOTS) : x + f->right / DOTS;
        points++;
        if (script) (void)fprintf(script, "%.9g %.4g\n", x, y);
    }
    return points;
}

int trace_is_a_curve(const em_model *model, trace_axis along)
{
    enum { FEW = 5 };
    const trace_curve curve = {.model = model};
    frame f = frame_of(&curve, 1, along);
    return put_rows(NULL, &f, model) > FEW;
}

/* What ran has a place in the legend, whether or not it has points. */
void put_curves(FILE *script, const trace_curve *curves, int count, trace_axis along)
{
    const char *between = "plot ";
    frame f = frame_of(curves, count, along);
    put_frame(script, &f);
    for (int i = 0; i < count; i++) {
        (void)fprintf(script, "$curve%d << end\n", i);
        (void)put_rows(script, &f, curves[i].model);
        (void)fputs("end\n", script);
    }
    for (int i = 0; i < count; i++) {
        if (!curves[i].model) continue;
        size_t points = put_rows(NULL, &f, curves[i].model);
        (void)fputs(between, script);
        if (points)
            (void)fprintf(script, "$curve%d", i);
        else
            (void)fputs("NaN", script);
        (void)fprintf(script, " title '%s' ", curves[i].name);
        palette_curve(script, i, points);
        between = ", ";
    }
    (void)fputs(*between == 'p' ? "plot NaN notitle\n" : "\n", script);
}
