/* The error of a set-up's curves, as their mean over the runs and a band from the least to the largest. */
#include "picture.h"
#include "lab/gnuplot.h"
#include "lab/legend.h"
#include "lab/palette.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A logarithm has no place for an error of 0, and no error is larger than 1: what lies beyond is drawn here. */
#define LEAST_SHOWN 1e-16
#define MOST_SHOWN  2.0

/* In the paper's words. */
static const char *axis_label(axis along)
{
    switch (along) {
    case AXIS_ITERATIONS: return "Iterations";
    case AXIS_UNITS: return "Communications cost (units: d x K matrices to each neighbour)";
    case AXIS_BYTES: return "Bytes sent";
    }
    return "";
}

int curve_ran(const curve *c)
{
    return c->runs > 0 && c->count > 0;
}

int picture_shows(const picture *p, const curve *c)
{
    int wanted = p->keys == NULL;
    for (const char *const *key = p->keys; key && *key; key++) wanted |= strcmp(*key, c->key) == 0;
    if (!wanted || p->along == AXIS_ITERATIONS || !curve_ran(c)) return wanted;
    return curve_position(&c->rows[c->count - 1], p->along) > 0;
}

/* ---- the frame, fitted to all that is shown ----------------------------------------------------------- */

typedef struct frame {
    axis along;
    int log_x;
    double left, right, bottom, top;
} frame;

static int has_place(const frame *f, const lab_curve_row *row)
{
    double x = curve_position(row, f->along);
    return isfinite(row->error) && isfinite(x) && (x > 0 || !f->log_x);
}

static double shown(double error)
{
    return fmin(fmax(error, LEAST_SHOWN), MOST_SHOWN);
}

static void frame_take(frame *f, const curve *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const lab_curve_row *row = &c->rows[i];
        if (!has_place(f, row)) continue;
        f->left = fmin(f->left, curve_position(row, f->along));
        f->right = fmax(f->right, curve_position(row, f->along));
        f->bottom = fmin(f->bottom, shown(c->runs > 1 ? fmin(row->least, row->error) : row->error));
    }
}

static frame frame_of(const picture *p)
{
    frame f = {.along = p->along, .log_x = p->log_x, .left = INFINITY, .right = 0, .bottom = 0.1, .top = MOST_SHOWN};
    for (int i = 0; i < p->about->curve_count; i++) {
        const curve *c = &p->about->curves[i];
        if (picture_shows(p, c) && curve_ran(c)) frame_take(&f, c);
    }
    if (!f.log_x) f.left = 0;
    if (isinf(f.left)) f.left = 1;
    if (!(f.right > f.left)) f.right = f.left > 0 ? 10 * f.left : 1;
    f.bottom = fmax(pow(10, floor(log10(f.bottom))), LEAST_SHOWN);
    return f;
}

/* From 0 to 1 over the frame. */
static double across(const frame *f, double x)
{
    return f->log_x ? log(x / f->left) / log(f->right / f->left) : (x - f->left) / (f->right - f->left);
}

static double up(const frame *f, double error)
{
    return log(shown(error) / f->bottom) / log(f->top / f->bottom);
}

static void put_frame(FILE *script, const frame *f)
{
    (void)fprintf(script,
                  "set logscale y\n"
                  "set format y '1e%%T'\n"
                  "unset mytics\n"
                  "set ylabel 'Average error E' offset inward,0\n"
                  "set xlabel '%s'\n"
                  "set format x '%s'\n"
                  "set xrange [%.9g:%.9g]\n"
                  "set yrange [%.9g:%.9g]\n",
                  axis_label(f->along), f->along == AXIS_BYTES ? (f->log_x ? "%.0s %cB" : "%.1s%c") : "%g", f->left,
                  f->right, f->bottom, f->top);
    if (f->log_x) (void)fputs("set logscale x\n", script);
}

/* ---- the curves -------------------------------------------------------------------------------------------- */

typedef struct line {
    const curve *curve;
    size_t points; /* 0: it is in the legend alone */
} line;

/* Rows that a picture of this size can tell apart, and always the last.  Returns how many. */
static size_t put_rows(FILE *script, const frame *f, const curve *c)
{
    const double far = 1.0 / 150, near = 1.0 / 300, high = 1.0 / 40;
    double last_x = -1, last_y = 0;
    size_t points = 0;
    for (size_t i = 0; curve_ran(c) && i < c->count; i++) {
        const lab_curve_row *row = &c->rows[i];
        if (!has_place(f, row)) continue;
        double x = curve_position(row, f->along);
        double right = across(f, x) - last_x, steep = fabs(up(f, row->error) - last_y);
        if (!(right >= far || (right >= near && steep >= high) || i + 1 == c->count)) continue;
        last_x += right;
        last_y = up(f, row->error);
        points++;
        (void)fprintf(script, "%.6g %.4g %.4g %.4g\n", x, shown(row->error), shown(row->least), shown(row->most));
    }
    return points;
}

enum { TITLE_ROOM = 80 };

/* The name, and what there is to say of it, as far as a line goes.  Returns its length. */
static size_t title_of(const curve *c, char title[TITLE_ROOM])
{
    const char *note = curve_ran(c) ? c->note : "did not run";
    int length =
        note ? snprintf(title, TITLE_ROOM, "%s (%s)", c->label, note) : snprintf(title, TITLE_ROOM, "%s", c->label);
    if (length < TITLE_ROOM) return (size_t)length;
    memcpy(title + TITLE_ROOM - 4, "...", 4);
    return TITLE_ROOM - 1;
}

/* The bands lie beneath all curves. */
static void put_curves(FILE *script, const line *lines, int count)
{
    char title[TITLE_ROOM];
    const char *between = "plot ";
    for (int i = 0; i < count; i++) {
        if (lines[i].curve->runs < 2 || lines[i].points < 2) continue;
        (void)fprintf(script, "%s$curve%d using 1:3:4 notitle ", between, i);
        palette_band(script, i);
        between = ", ";
    }
    for (int i = 0; i < count; i++) {
        (void)fputs(between, script);
        if (lines[i].points) {
            (void)fprintf(script, "$curve%d using 1:2 ", i);
            palette_curve(script, i, lines[i].points);
        } else {
            (void)fputs("NaN with lines linetype nodraw", script);
        }
        (void)title_of(lines[i].curve, title);
        (void)fputs(" title ", script);
        gnuplot_quote(script, title);
        between = ", ";
    }
    (void)fputs(count ? "\n" : "plot NaN notitle\n", script);
}

/* ---- the picture ------------------------------------------------------------------------------------------- */

static size_t longest_title(const line *lines, int count)
{
    char title[TITLE_ROOM];
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
        size_t length = title_of(lines[i].curve, title);
        if (length > longest) longest = length;
    }
    return longest;
}

/* The axes take the same room in every picture, whatever the legend takes. */
static FILE *begin(const canvas *to, const picture *p, const line *lines, int count, em_error *err)
{
    enum { WIDTH = 580, TITLE = 36, AXES = 280, LABELS = 60, COLUMNS = 2 };
    legend names = legend_of(count, longest_title(lines, count), WIDTH, COLUMNS);
    int height = TITLE + AXES + LABELS + names.height;
    const panel axes = {.left = 0.15,
                        .right = 0.95,
                        .bottom = (double)(LABELS + names.height) / height,
                        .top = 1 - (double)TITLE / height};
    FILE *script = gnuplot_script(to, WIDTH, height, err);
    if (!script) return NULL;
    gnuplot_panel(script, &axes);
    legend_put(script, &names, height);
    (void)fputs("set title ", script);
    gnuplot_quote(script, p->about->title);
    (void)fputs("\n", script);
    return script;
}

em_status picture_draw(emi_output *output, const picture *p, em_error *err)
{
    em_status status = EM_OK;
    frame f = frame_of(p);
    const canvas to = {output, PICTURE_SVG}; /* the page holds its text */
    FILE *script = NULL;
    int count = 0;
    line *lines = calloc((size_t)p->about->curve_count + 1, sizeof *lines);
    if (!lines) TRY(refuse_memory(err, p->file));
    for (int i = 0; i < p->about->curve_count; i++)
        if (picture_shows(p, &p->about->curves[i])) lines[count++].curve = &p->about->curves[i];
    script = begin(&to, p, lines, count, err);
    if (!script) TRY(err->code);
    put_frame(script, &f);
    for (int i = 0; i < count; i++) {
        (void)fprintf(script, "$curve%d << end\n", i);
        lines[i].points = put_rows(script, &f, lines[i].curve);
        (void)fputs("end\n", script);
    }
    put_curves(script, lines, count);
    TRY(gnuplot_draw(script, &to, err));
done:
    free(lines);
    return status;
}
