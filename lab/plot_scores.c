/* Two components are a scatter plot; one is a histogram or, with labels, a strip for each class.
 *
 * A picture shows no more than one point for each of its spots, which are about as large as a point.  So its size has a
 * limit whatever the number of rows, and every row has a point on it or at it.  Where rows meet, chance decides whose
 * colour is seen; the more rows there are, the less can be seen through the point. */
#include "base/error.h"
#include "base/utf8.h"
#include "lab/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPOTS_ACROSS = 150, SPOTS_UP = 120, SPOTS = SPOTS_ACROSS * SPOTS_UP, MANY_ROWS = 3000 };
enum { AXES_WIDTH = 560, AXES_HEIGHT = 460, LEFT = 100, RIGHT = 24, BOTTOM = 62, TOP = 46, NAME_ROOM = 4 * 20 + 4 };

#define NO_LABEL "no label"

typedef struct spot {
    double x, y;
    size_t row, rows; /* the row that is seen, of so many */
} spot;

typedef struct range {
    double least, most;
} range;

typedef struct scatter {
    const score_plot *of;
    const labels *labels; /* as in `of` */
    range x, y;           /* with the same margin at both ends */
    spot *spots;          /* [SPOTS] */
} scatter;

/* ---- where the rows are -------------------------------------------------------------------------------------- */

/* The same for the same row in every run. */
static uint64_t chance(size_t row)
{
    uint64_t z = (uint64_t)row + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static double jitter(size_t row)
{
    return 0.64 * ((double)(chance(row) >> 11) / 9007199254740992.0 - 0.5);
}

/* Of one component, the place upwards says what the row is called; classes are strips, the first on top. */
static double upward(const scatter *s, size_t row)
{
    const score_plot *of = s->of;
    if (of->columns == 2) return of->scores[2 * row + 1];
    return s->labels->count ? jitter(row) - labels_class(s->labels, row) : labels_number(s->labels, row);
}

/* Finite, and so are differences of two. */
static int has_place(double value)
{
    return fabs(value) < 1e307;
}

static void take(range *r, double value)
{
    if (!has_place(value)) return;
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
}

static range with_margin(range r)
{
    if (!(r.least <= r.most)) r = (range){-1, 1};
    double margin = 0.04 * (r.most - r.least);
    if (!(margin > 0)) margin = r.least != 0 ? fabs(r.least) / 2 : 1;
    return (range){r.least - margin, r.most + margin};
}

static size_t place(const range *r, double value, int spots)
{
    int n = (int)(spots * ((value - r->least) / (r->most - r->least)));
    return (size_t)(n < 0 ? 0 : n >= spots ? spots - 1 : n);
}

static void find_spots(scatter *s)
{
    const score_plot *of = s->of;
    s->x = s->y = (range){INFINITY, -INFINITY};
    for (size_t row = 0; row < of->rows; row++) {
        take(&s->x, of->scores[(size_t)of->columns * row]);
        take(&s->y, upward(s, row));
    }
    s->x = with_margin(s->x);
    s->y = with_margin(s->y);
    for (size_t row = 0; row < of->rows; row++) {
        double x = of->scores[(size_t)of->columns * row], y = upward(s, row);
        if (!has_place(x) || !has_place(y)) continue;
        spot *at = &s->spots[place(&s->y, y, SPOTS_UP) * SPOTS_ACROSS + place(&s->x, x, SPOTS_ACROSS)];
        if (at->rows++ == 0 || chance(row) > chance(at->row)) at->x = x, at->y = y, at->row = row;
    }
}

/* ---- the points ------------------------------------------------------------------------------------------------- */

/* gnuplot's: 0 is opaque. */
static unsigned transparency(const scatter *s, const spot *at)
{
    if (s->of->rows <= MANY_ROWS) return 0x40;
    return at->rows == 1 ? 0x90 : at->rows == 2 ? 0x68 : at->rows <= 4 ? 0x40 : 0x10;
}

/* The colour of what has no class is the last. */
static int colour_of(const scatter *s, const spot *at)
{
    if (!s->labels) return 1;
    int class = labels_class(s->labels, at->row);
    return class == s->labels->count ? CLASSES_MAX + 1 : class + 1;
}

/* Those with a number on the scale, or all others. */
static void fill_points(fill *panel, const scatter *s, const char *name, int with_number)
{
    int scale = s->labels && s->labels->count == 0;
    FILE *out = fill_stream(panel, name);
    for (size_t i = 0; out && i < SPOTS; i++) {
        const spot *at = &s->spots[i];
        if (at->rows == 0) continue;
        double number = scale ? labels_number(s->labels, at->row) : NAN;
        if (isnan(number) == with_number) continue;
        if (with_number)
            (void)fprintf(out, "%.6g %.6g %.9g\n", at->x, at->y, number);
        else
            (void)fprintf(out, "%.6g %.6g %d %u\n", at->x, at->y, colour_of(s, at), transparency(s, at) << 24);
    }
    if (out) (void)fclose(out);
}

static double point_size(size_t rows)
{
    return rows <= 300 ? 0.75 : rows <= MANY_ROWS ? 0.5 : 0.36;
}

/* ---- legend, axes ------------------------------------------------------------------------------------------------- */

/* A text that is too long loses its end, but no half of a letter.  Returns the room it takes, in ordinary letters: W and M,
 * and those of Asian scripts, take two. */
static int shorten(char out[NAME_ROOM], const char *text)
{
    enum { LETTERS = 20, DOTS = 3, ASIAN = 0x2000 };
    const char *end = text;
    int room = 0;
    while (*end && room < LETTERS && end - text < NAME_ROOM - DOTS - EMI_UTF8_MOST) {
        uint32_t letter = emi_utf8_next(&end);
        room += letter >= ASIAN || (letter < 0x80 && strchr("WM@%", (int)letter)) ? 2 : 1;
    }
    (void)snprintf(out, NAME_ROOM, "%.*s%s", (int)(end - text), text, *end ? "..." : "");
    return *end ? room + DOTS : room;
}

/* In pixels, for the longest name and its sign; numbers have a bar. */
static int legend_width(const labels *l)
{
    enum { SIGN = 44, LETTER = 9, BAR = 136 };
    char name[NAME_ROOM];
    if (!l) return 0;
    if (l->count == 0) return BAR;
    int longest = shorten(name, l->missing ? NO_LABEL : "");
    for (int c = -1; c < l->count; c++) {
        int letters = shorten(name, c < 0 ? l->name : l->classes[c]);
        if (letters > longest) longest = letters;
    }
    return SIGN + LETTER * longest;
}

static void fill_class(fill *panel, const char *name, int n)
{
    char text[NAME_ROOM];
    fill *item = fill_add(panel, "classes");
    (void)shorten(text, name);
    fill_text(item, "name", "%s", text);
    fill_text(item, "n", "%d", n);
}

static void fill_classes(fill *panel, const labels *l, double beside)
{
    char name[NAME_ROOM];
    (void)shorten(name, l->name);
    fill_text(panel, "classes_name", "%s", name);
    fill_text(panel, "beside", "%.6f", beside);
    for (int c = 0; c < l->count; c++) fill_class(panel, l->classes[c], c + 1);
    if (l->missing) fill_class(panel, NO_LABEL, CLASSES_MAX + 1);
}

/* Numbers of many digits would not leave room for anything else. */
static void fill_format(fill *panel, const char *name, const range *r)
{
    double largest = fmax(fabs(r->least), fabs(r->most));
    int digits = largest < 1e99 && largest > 1e-99 ? 2 : 1;
    if (largest >= 1e5 || largest < 1e-2) fill_text(panel, name, "%%.%dte%%T", digits);
}

static void fill_scale(fill *panel, const labels *l, double left, double height)
{
    fill_text(panel, "scale_name", "%s", l->name);
    fill_text(panel, "scale_from", "%.9g", l->least);
    fill_text(panel, "scale_to", "%.9g", l->most > l->least ? l->most : l->least + 1);
    fill_text(panel, "bar_left", "%.6f", left);
    fill_text(panel, "bar_height", "%.6f", height);
    fill_format(panel, "scale_format", &(range){l->least, l->most});
}

static void fill_component(fill *panel, const char *name, int component, const score_plot *of)
{
    fill_text(panel, name, "component %d%s (%.3g%% of the variance)", component, of->whitened ? ", whitened" : "",
              100 * of->shares[component - 1]);
}

static void fill_ranges(fill *panel, const range *x, const range *y)
{
    fill_text(panel, "x_from", "%.9g", x->least);
    fill_text(panel, "x_to", "%.9g", x->most);
    fill_text(panel, "y_from", "%.9g", y->least);
    fill_text(panel, "y_to", "%.9g", y->most);
    fill_format(panel, "x_format", x);
    fill_format(panel, "y_format", y);
}

/* ---- pictures -------------------------------------------------------------------------------------------------------- */

static em_status fill_scatter(fill *panel, const score_plot *of, double beside, double height, em_error *err)
{
    const labels *l = of->labels;
    scatter s = {.of = of, .labels = l, .spots = calloc(SPOTS, sizeof *s.spots)};
    if (!s.spots) return emi_fail_memory(err, "--plot");
    find_spots(&s);
    fill_ranges(panel, &s.x, &s.y);
    fill_points(panel, &s, "points", 0);
    fill_points(panel, &s, "numbers", 1);
    fill_text(panel, "size", "%g", point_size(of->rows));
    if (of->columns == 2)
        fill_component(panel, "ylabel", 2, of);
    else if (l->count)
        fill_flag(panel, "strips", 1);
    else
        fill_text(panel, "ylabel", "%s", l->name);
    if (l && l->count)
        fill_classes(panel, l, beside);
    else if (l)
        fill_scale(panel, l, beside + 0.005, height);
    free(s.spots);
    return EM_OK;
}

static void fill_histogram(fill *panel, const score_plot *of)
{
    enum { BARS_MOST = 100 };
    size_t bars[BARS_MOST] = {0};
    range x = {INFINITY, -INFINITY}, rows = {0, 1};
    int count = (int)fmin(fmax(2 * cbrt((double)of->rows), 5), BARS_MOST); /* Rice's rule */
    for (size_t row = 0; row < of->rows; row++) take(&x, of->scores[row]);
    x = with_margin(x);
    for (size_t row = 0; row < of->rows; row++)
        if (has_place(of->scores[row])) bars[place(&x, of->scores[row], count)]++;
    double width = (x.most - x.least) / count;
    FILE *out = fill_stream(panel, "bars");
    for (int b = 0; out && b < count; b++) {
        (void)fprintf(out, "%.9g %zu\n", x.least + (b + 0.5) * width, bars[b]);
        rows.most = fmax(rows.most, 1.04 * (double)bars[b]);
    }
    if (out) (void)fclose(out);
    fill_ranges(panel, &x, &rows);
    fill_text(panel, "ylabel", "rows");
    fill_text(panel, "width", "%.9g", 0.94 * width);
}

em_status plot_scores(const canvas *to, const score_plot *of, em_error *err)
{
    em_status status = EM_OK;
    fill *with = NULL;
    int width = LEFT + AXES_WIDTH + RIGHT + legend_width(of->labels), height = BOTTOM + AXES_HEIGHT + TOP;
    double right = (double)(LEFT + AXES_WIDTH) / width, bottom = (double)BOTTOM / height,
           top = 1 - (double)TOP / height;
    TRY(fill_open(&with, err));
    fill *panel = fill_add(with, "panels");
    plot_place(panel, (double)LEFT / width, right, bottom, top);
    fill_flag(panel, "is_scores", 1);
    fill_text(panel, "title", "scores of %zu row%s", of->rows, of->rows == 1 ? "" : "s");
    fill_component(panel, "xlabel", 1, of);
    if (of->columns == 1 && !of->labels)
        fill_histogram(panel, of);
    else
        TRY(fill_scatter(panel, of, right + 0.02, top - bottom, err));
    TRY(gnuplot_draw(to, "plots/picture.gp", width, height, with, err));
done:
    fill_free(&with);
    return status;
}
