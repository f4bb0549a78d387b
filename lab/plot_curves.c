/* Curves on a logarithmic scale. */
#include "lab/plot.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* A mean squared sine below the square of what doubles resolve says nothing more, and an error of 0 has no logarithm: both
 * are drawn here. */
#define LEAST_SHOWN 1e-16

/* ---- the range, fitted to all that is shown ----------------------------------------------------------- */

typedef struct range {
    const plot_axes *axes;
    int log_x;          /* then what cost nothing yet has no place */
    double left, right; /* where the first point is, and the last */
    double bottom, top;
} range;

static double shown(const plot_axes *axes, double y)
{
    y = fmax(y, LEAST_SHOWN);
    return axes->top > 0 ? fmin(y, axes->top) : y;
}

/* A curve's point as it is drawn; 0: it has no place. */
static int place(const range *r, const plot_curve *c, size_t index, plot_point *p)
{
    *p = r->axes->at(c->from, index, r->axes->along);
    int has_place = isfinite(p->x) && isfinite(p->y) && p->y >= 0 && (p->x > 0 || !r->log_x);
    p->least = shown(r->axes, c->band ? p->least : p->y);
    p->most = shown(r->axes, c->band ? p->most : p->y);
    p->y = shown(r->axes, p->y);
    return has_place;
}

static int is_wide(const plot_axes *axes, const plot_curve *curves, int count)
{
    enum { WIDE = 20 };
    double shortest = INFINITY, longest = 0;
    for (int c = 0; c < count; c++) {
        double end = curves[c].count ? axes->at(curves[c].from, curves[c].count - 1, axes->along).x : 0;
        if (end > 0) shortest = fmin(shortest, end), longest = fmax(longest, end);
    }
    return longest > WIDE * shortest;
}

static range range_of(const plot_axes *axes, const plot_curve *curves, int count)
{
    double least = axes->top > 0 ? 0.1 : INFINITY, most = 0;
    range r = {.axes = axes, .left = INFINITY};
    plot_point p;
    r.log_x = axes->log_x < 0 ? is_wide(axes, curves, count) : axes->log_x;
    for (int c = 0; c < count; c++)
        for (size_t i = 0; i < curves[c].count; i++) {
            if (!place(&r, &curves[c], i, &p)) continue;
            r.left = fmin(r.left, p.x);
            r.right = fmax(r.right, p.x);
            least = fmin(least, fmin(p.least, p.y));
            most = fmax(most, p.y);
        }
    if (!r.log_x) r.left = 0;
    if (isinf(r.left)) r.left = 1;
    if (!(r.right > r.left)) r.right = r.left > 0 ? 10 * r.left : 1;
    if (isinf(least)) least = LEAST_SHOWN, most = 1;
    r.bottom = fmax(pow(10, floor(log10(least))), LEAST_SHOWN);
    r.top = axes->top > 0 ? axes->top : fmax(pow(10, ceil(log10(most))), 10 * r.bottom);
    return r;
}

/* ---- the curves -------------------------------------------------------------------------------------------- */

/* Rows that a picture of this size can tell apart, and always the last. */
static void fill_curve(fill *item, int n, const range *r, const plot_curve *c)
{
    enum { COLOURS = 12, MARKS = 8 }; /* along a curve */
    const double far = 1.0 / r->axes->dots, near = far / 2, high = 1.0 / 40;
    double last_x = -1, last_y = 0;
    int points = 0;
    plot_point p;
    for (size_t i = 0; i < c->count; i++) {
        if (!place(r, c, i, &p)) continue;
        double x = r->log_x ? log(p.x / r->left) / log(r->right / r->left) : (p.x - r->left) / (r->right - r->left);
        double y = log(p.y / r->bottom) / log(r->top / r->bottom), right = x - last_x;
        if (right < far && (right < near || fabs(y - last_y) < high) && i + 1 < c->count) continue;
        last_x = x;
        last_y = y;
        points++;
        fill_more(item, "points", "%.9g %.4g %.4g %.4g\n", p.x, p.y, p.least, p.most);
    }
    fill_text(item, "title", "%s", c->title);
    int every = points / MARKS + 1;
    fill_numbers(item, {"n", n % COLOURS + 1}, {"every", every});
    fill_flag(item, "band", c->band && points > 1);
}

void fill_curves(fill *panel, const plot_axes *axes, const plot_curve *curves, int count)
{
    range r = range_of(axes, curves, count);
    fill_flag(panel, "is_curves", 1);
    fill_texts(panel, {"xlabel", axes->xlabel}, {"ylabel", axes->ylabel}, {"xformat", axes->xformat});
    if (axes->ysize) fill_numbers(panel, {"ysize", axes->ysize});
    fill_numbers(panel, {"from", r.left}, {"to", r.right}, {"least", r.bottom}, {"most", r.top});
    fill_flag(panel, "log_x", r.log_x);
    for (int c = 0; c < count; c++) fill_curve(fill_add(panel, "curves"), c, &r, &curves[c]);
}

/* A hundredth of a pixel is enough. */
void fill_place(fill *panel, double left, double right, double bottom, double top)
{
    const double values[] = {left, right, bottom, top};
    static const char *const names[] = {"left", "right", "bottom", "top"};
    for (int i = 0; i < 4; i++) fill_text(panel, names[i], "%.6f", values[i]);
}

/* ---- panels --------------------------------------------------------------------------------------------------- */

/* The legend has as many columns as the titles leave room for.  gnuplot does not know how wide letters are in an SVG, and
 * leaves a quarter too much where there are many.  Returns its height. */
static int fill_legend(fill *panel, const plot_curve *curves, int count, int width, const plot_frame *frame)
{
    enum { LETTER = 8, SAMPLE = 66, LINE = 20, MARGIN = 6, FEW = 16 };
    int longest = 0;
    for (int c = 0; c < count; c++) {
        int length = (int)strlen(curves[c].title);
        if (length > longest) longest = length;
    }
    int columns = width / (LETTER * longest + SAMPLE);
    if (columns > frame->columns) columns = frame->columns;
    if (columns < 1) columns = 1;
    int rows = (count + columns - 1) / columns, height = LINE * rows + MARGIN;
    int narrow = longest > FEW ? longest / 4 : 0;
    fill_numbers(panel, {"rows", rows ? rows : 1}, {"narrow", narrow});
    fill_text(panel, "height", "%.6f", (double)height / (frame->height + height));
    return height;
}

em_status plot_panels(const canvas *to, const plot_frame *frame, const char *title, const plot_curve *curves,
                      int curve_count, const plot_axes *axes, int axes_count, em_error *err)
{
    enum { EACH = 580 };
    fill *with = fill_new();
    int width = axes_count * EACH, legend = 0;
    double wide = width;
    fill_flag(with, "several", axes_count > 1);
    fill_text(with, "title", "%s", title);
    for (int i = 0; i < axes_count; i++) {
        fill *panel = fill_add(with, "panels");
        if (i == 0) legend = fill_legend(panel, curves, curve_count, width, frame);
        double high = frame->height + legend;
        fill_place(panel, (i * EACH + frame->left) / wide, ((i + 1) * EACH - frame->right) / wide,
                   (frame->labels + legend) / high, 1 - frame->title / high);
        fill_curves(panel, &axes[i], curves, curve_count);
    }
    return gnuplot_draw(to, width, frame->height + legend, with, err);
}
