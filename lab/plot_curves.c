/* Curves on a logarithmic scale. */
#include "lab/plot.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* A mean squared sine below the square of what doubles resolve says nothing more, and an error of 0 has no logarithm: both
 * are drawn here. */
#define LEAST_SHOWN 1e-16

void plot_place(fill *panel, double left, double right, double bottom, double top)
{
    fill_text(panel, "left", "%.6f", left);
    fill_text(panel, "right", "%.6f", right);
    fill_text(panel, "bottom", "%.6f", bottom);
    fill_text(panel, "top", "%.6f", top);
}

/* ---- the range, fitted to all that is shown ----------------------------------------------------------- */

typedef struct range {
    int log_x;          /* then what cost nothing yet has no place */
    double left, right; /* where the first point is, and the last */
    double bottom, top;
} range;

static int has_place(const range *r, const plot_point *p)
{
    return isfinite(p->x) && isfinite(p->y) && p->y >= 0 && (p->x > 0 || !r->log_x);
}

static double shown(const plot_axes *axes, double y)
{
    y = fmax(y, LEAST_SHOWN);
    return axes->top > 0 ? fmin(y, axes->top) : y;
}

static int is_wide(const plot_panel *of)
{
    enum { WIDE = 20 };
    double shortest = INFINITY, longest = 0;
    for (int c = 0; c < of->count; c++) {
        double end = of->curves[c].count ? of->curves[c].points[of->curves[c].count - 1].x : 0;
        if (end > 0) shortest = fmin(shortest, end), longest = fmax(longest, end);
    }
    return longest > WIDE * shortest;
}

static range range_of(const plot_panel *of)
{
    const plot_axes *axes = &of->axes;
    double least = axes->top > 0 ? 0.1 : INFINITY, most = 0;
    range r = {.log_x = axes->log_x < 0 ? is_wide(of) : axes->log_x, .left = INFINITY};
    for (int c = 0; c < of->count; c++)
        for (size_t i = 0; i < of->curves[c].count; i++) {
            const plot_point *p = &of->curves[c].points[i];
            if (!has_place(&r, p)) continue;
            r.left = fmin(r.left, p->x);
            r.right = fmax(r.right, p->x);
            least = fmin(least, shown(axes, of->curves[c].band ? fmin(p->least, p->y) : p->y));
            most = fmax(most, shown(axes, p->y));
        }
    if (!r.log_x) r.left = 0;
    if (isinf(r.left)) r.left = 1;
    if (!(r.right > r.left)) r.right = r.left > 0 ? 10 * r.left : 1;
    if (isinf(least)) least = LEAST_SHOWN, most = 1;
    r.bottom = fmax(pow(10, floor(log10(least))), LEAST_SHOWN);
    r.top = axes->top > 0 ? axes->top : fmax(pow(10, ceil(log10(most))), 10 * r.bottom);
    return r;
}

/* From 0 to 1 over the axes. */
static double across(const range *r, double x)
{
    return r->log_x ? log(x / r->left) / log(r->right / r->left) : (x - r->left) / (r->right - r->left);
}

static double up(const range *r, double y)
{
    return log(y / r->bottom) / log(r->top / r->bottom);
}

/* ---- the curves -------------------------------------------------------------------------------------------- */

/* Rows that a picture of this size can tell apart, and always the last.  Returns how many. */
static size_t put_points(FILE *out, const range *r, const plot_axes *axes, const plot_curve *c)
{
    const double far = 1.0 / axes->dots, near = far / 2, high = 1.0 / 40;
    double last_x = -1, last_y = 0;
    size_t points = 0;
    for (size_t i = 0; i < c->count; i++) {
        const plot_point *p = &c->points[i];
        if (!has_place(r, p)) continue;
        double y = shown(axes, p->y), right = across(r, p->x) - last_x, steep = fabs(up(r, y) - last_y);
        if (!(right >= far || (right >= near && steep >= high) || i + 1 == c->count)) continue;
        last_x += right;
        last_y = up(r, y);
        points++;
        (void)fprintf(out, "%.9g %.4g", p->x, y);
        if (c->band) (void)fprintf(out, " %.4g %.4g", shown(axes, p->least), shown(axes, p->most));
        (void)fputc('\n', out);
    }
    return points;
}

static void fill_curve(fill *item, int n, const range *r, const plot_axes *axes, const plot_curve *c)
{
    enum { COLOURS = 12, MARKS = 8 }; /* along a curve */
    size_t points = 0;
    FILE *out = fill_stream(item, "points");
    if (out) {
        points = put_points(out, r, axes, c);
        (void)fclose(out);
    }
    fill_text(item, "n", "%d", n % COLOURS + 1);
    fill_text(item, "title", "%s", c->title ? c->title : "");
    fill_text(item, "every", "%zu", points / MARKS + 1);
    fill_flag(item, "band", c->band && points > 1);
}

void plot_curves(fill *panel, const plot_panel *of)
{
    const plot_axes *axes = &of->axes;
    range r = range_of(of);
    fill_flag(panel, "is_curves", 1);
    fill_text(panel, "xlabel", "%s", axes->xlabel);
    fill_text(panel, "ylabel", "%s", axes->ylabel);
    if (axes->ysize) fill_text(panel, "ysize", "%d", axes->ysize);
    fill_text(panel, "xformat", "%s", axes->xformat);
    fill_text(panel, "from", "%.9g", r.left);
    fill_text(panel, "to", "%.9g", r.right);
    fill_text(panel, "least", "%.9g", r.bottom);
    fill_text(panel, "most", "%.9g", r.top);
    fill_flag(panel, "log_x", r.log_x);
    for (int c = 0; c < of->count; c++) fill_curve(fill_add(panel, "curves"), c, &r, axes, &of->curves[c]);
}

/* ---- panels --------------------------------------------------------------------------------------------------- */

/* The legend has as many columns as the titles leave room for. */
typedef struct legend {
    int rows, height;
    size_t longest;
} legend;

static legend legend_of(const plot_panel *of, int width, int columns_most)
{
    enum { LETTER = 8, SAMPLE = 66, LINE = 20, MARGIN = 6 };
    size_t longest = 0;
    for (int c = 0; c < of->count; c++) {
        size_t length = of->curves[c].title ? strlen(of->curves[c].title) : 0;
        if (length > longest) longest = length;
    }
    int columns = width / (LETTER * (int)longest + SAMPLE);
    if (columns > columns_most) columns = columns_most;
    if (columns < 1) columns = 1;
    int rows = (of->count + columns - 1) / columns;
    return (legend){.rows = rows, .height = LINE * rows + MARGIN, .longest = longest};
}

/* gnuplot does not know how wide letters are in an SVG, and leaves a quarter too much where there are many. */
static void fill_legend(fill *panel, const legend *l, int picture_height)
{
    enum { FEW = 16 };
    fill_text(panel, "rows", "%d", l->rows ? l->rows : 1);
    fill_text(panel, "height", "%.6f", (double)l->height / picture_height);
    fill_text(panel, "narrow", "%zu", l->longest > FEW ? l->longest / 4 : 0);
}

em_status plot_panels(const canvas *to, const plot_frame *frame, const char *title, const plot_panel *panels, int count,
                      em_error *err)
{
    enum { EACH = 580 };
    em_status status = EM_OK;
    fill *with = NULL;
    legend names = legend_of(&panels[0], count * EACH, frame->columns);
    double width = count * EACH, height = frame->height + names.height;
    TRY(fill_open(&with, err));
    fill_flag(with, "several", count > 1);
    fill_text(with, "title", "%s", title);
    for (int i = 0; i < count; i++) {
        fill *panel = fill_add(with, "panels");
        plot_place(panel, (i * EACH + frame->left) / width, ((i + 1) * EACH - frame->right) / width,
                   (frame->labels + names.height) / height, 1 - frame->title / height);
        if (i == 0) fill_legend(panel, &names, (int)height);
        plot_curves(panel, &panels[i]);
    }
    TRY(gnuplot_draw(to, "plots/picture.gp", (int)width, (int)height, with, err));
done:
    fill_free(&with);
    return status;
}
