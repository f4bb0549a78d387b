/* Two components are a scatter plot; one is a histogram or, with labels, a strip for each class.
 *
 * A picture shows no more than one point for each of its spots, which are about as large as a point.  So its size has a
 * limit whatever the number of rows, and every row has a point on it or at it.  Where rows meet, chance decides whose
 * colour is seen; the more rows there are, the less can be seen through the point. */
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lab/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the rows are called ----------------------------------------------------------------------------------- */

/* NaN: it is none. */
static double number_of(const char *text)
{
    double value = NAN;
    (void)emi_text_double(text, &value);
    return value;
}

static int by_name(const void *a, const void *b)
{
    return emi_text_order(*(const char *const *)a, *(const char *const *)b);
}

static int find_class(const labels *l, const char *text)
{
    int c = 0;
    while (c < l->count && strcmp(l->classes[c], text) != 0) c++;
    return c;
}

em_status labels_sort_out(labels *l, em_error *err)
{
    int numbers = 1, many = 0;
    l->count = l->missing = 0;
    l->least = INFINITY;
    l->most = -INFINITY;
    for (size_t row = 0; row < l->rows; row++) {
        const char *text = l->of(l->from, row);
        if (emi_text_is_missing(text, strlen(text))) {
            l->missing = 1;
            continue;
        }
        double value = number_of(text);
        if (isnan(value)) numbers = 0;
        l->least = fmin(l->least, value);
        l->most = fmax(l->most, value);
        if (many || find_class(l, text) < l->count) continue;
        many = l->count == CLASSES_MAX;
        if (!many) l->classes[l->count++] = text;
    }
    if (l->count == 0)
        return emi_fail(err, EM_EDATA, "--label: '%s' is empty in every row; try another column", l->name);
    if (many && !numbers)
        return emi_fail(
            err, EM_EDATA,
            "--label: '%s' has more than %d different texts, too many for a legend; try a column of classes, or "
            "of numbers",
            l->name, CLASSES_MAX);
    if (many) l->count = 0;
    qsort(l->classes, (size_t)l->count, sizeof *l->classes, by_name);
    return EM_OK;
}

int labels_class(const labels *l, size_t row)
{
    return find_class(l, l->of(l->from, row));
}

double labels_number(const labels *l, size_t row)
{
    return number_of(l->of(l->from, row));
}

/* ---- where they are ---------------------------------------------------------------------------------------------- */

enum { SPOTS_ACROSS = 150, SPOTS_UP = 120, SPOTS = SPOTS_ACROSS * SPOTS_UP, MANY_ROWS = 3000 };
enum { AXES_WIDTH = 560, AXES_HEIGHT = 460, LEFT = 100, RIGHT = 24, BOTTOM = 62, TOP = 46 };

typedef struct spot {
    double x, y;
    size_t row, rows; /* the row that is seen, of so many */
} spot;

typedef struct range {
    double least, most;
} range;

typedef struct scatter {
    const score_plot *of;
    range x, y;  /* with the same margin at both ends */
    spot *spots; /* [SPOTS] */
} scatter;

/* The same for the same row in every run. */
static uint64_t chance(size_t row)
{
    return emi_random_bits(&(emi_random){row});
}

/* Of one component, the place upwards says what the row is called; classes are strips, the first on top. */
static double upward(const scatter *s, size_t row)
{
    const score_plot *of = s->of;
    if (of->columns == 2) return of->scores[2 * row + 1];
    if (!s->of->labels) return 0;
    if (!s->of->labels->count) return labels_number(s->of->labels, row);
    return 0.64 * (emi_random_uniform(&(emi_random){row}) - 0.5) - labels_class(s->of->labels, row);
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
    if (!s->of->labels) return 1;
    int class = labels_class(s->of->labels, at->row);
    return class == s->of->labels->count ? CLASSES_MAX + 1 : class + 1;
}

/* Those with a number on the scale, and all others. */
static void fill_points(fill *panel, const scatter *s)
{
    int scale = s->of->labels && s->of->labels->count == 0;
    for (const spot *at = s->spots; at < s->spots + SPOTS; at++) {
        double number = scale && at->rows ? labels_number(s->of->labels, at->row) : NAN;
        if (!isnan(number))
            fill_more(panel, "numbers", "%.6g %.6g %.9g\n", at->x, at->y, number);
        else if (at->rows)
            fill_more(panel, "points", "%.6g %.6g %d %u\n", at->x, at->y, colour_of(s, at), transparency(s, at) << 24);
    }
}

/* ---- legend, axes ------------------------------------------------------------------------------------------------- */

/* A text that is too long loses its end, but no half of a letter.  Returns the room it takes, in ordinary letters: W and M,
 * and those of Asian scripts, take two. */
static int fill_name(fill *with, const char *key, const char *text)
{
    enum { LETTERS = 20, DOTS = 3, ASIAN = 0x2000 };
    const char *end = text;
    int room = 0;
    while (*end && room < LETTERS) {
        uint32_t letter = emi_utf8_next(&end);
        room += letter >= ASIAN || (letter < 0x80 && strchr("WM@%", (int)letter)) ? 2 : 1;
    }
    fill_text(with, key, "%.*s%s", (int)(end - text), text, *end ? "..." : "");
    return *end ? room + DOTS : room;
}

/* Classes have a name and a sign each; numbers have a bar.  Returns the width, in pixels. */
static int fill_legend(fill *panel, const labels *l)
{
    enum { SIGN = 44, LETTER = 9, BAR = 136 };
    if (!l) return 0;
    if (!l->count) {
        fill_text(panel, "scale_name", "%s", l->name);
        fill_numbers(panel, {"scale_least", l->least}, {"scale_most", l->most});
        return BAR;
    }
    int longest = fill_name(panel, "classes_name", l->name);
    for (int c = 0; c < l->count + l->missing; c++) {
        fill *item = fill_add(panel, "classes");
        int letters = fill_name(item, "name", c < l->count ? l->classes[c] : "no label");
        if (letters > longest) longest = letters;
        fill_numbers(item, {"n", c < l->count ? c + 1 : CLASSES_MAX + 1});
    }
    return SIGN + LETTER * longest;
}

static void fill_component(fill *panel, const char *name, int component, const score_plot *of)
{
    fill_text(panel, name, "component %d%s (%.3g%% of the variance)", component, of->whitened ? ", whitened" : "",
              100 * of->shares[component - 1]);
}

static void fill_ranges(fill *panel, const range *x, const range *y)
{
    fill_numbers(panel, {"x_from", x->least}, {"x_to", x->most}, {"y_from", y->least}, {"y_to", y->most});
}

/* ---- pictures -------------------------------------------------------------------------------------------------------- */

static void fill_scatter(fill *panel, const score_plot *of)
{
    const labels *l = of->labels;
    scatter s = {.of = of, .spots = calloc(SPOTS, sizeof *s.spots)};
    if (!s.spots) {
        fill_fail(panel);
        return;
    }
    find_spots(&s);
    fill_ranges(panel, &s.x, &s.y);
    fill_points(panel, &s);
    free(s.spots);
    if (of->columns == 2)
        fill_component(panel, "ylabel", 2, of);
    else if (!l->count)
        fill_text(panel, "ylabel", "%s", l->name);
    fill_flag(panel, "strips", of->columns == 1 && l->count);
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
    for (int b = 0; b < count; b++) {
        fill_more(panel, "bars", "%.9g %zu\n", x.least + (b + 0.5) * width, bars[b]);
        rows.most = fmax(rows.most, 1.04 * (double)bars[b]);
    }
    fill_ranges(panel, &x, &rows);
    fill_text(panel, "ylabel", "rows");
    fill_numbers(panel, {"width", 0.94 * width});
}

em_status plot_scores(const canvas *to, const score_plot *of, em_error *err)
{
    fill *with = fill_new(), *panel = fill_add(with, "panels");
    int width = LEFT + AXES_WIDTH + RIGHT + fill_legend(panel, of->labels), height = BOTTOM + AXES_HEIGHT + TOP;
    fill_place(panel, (double)LEFT / width, (double)(LEFT + AXES_WIDTH) / width, (double)BOTTOM / height,
               1 - (double)TOP / height);
    fill_numbers(panel, {"count", (double)of->rows});
    fill_flag(panel, "is_scores", 1);
    fill_text(panel, "title", "scores of %zu row%s", of->rows, of->rows == 1 ? "" : "s");
    fill_component(panel, "xlabel", 1, of);
    if (of->columns == 1 && !of->labels)
        fill_histogram(panel, of);
    else
        fill_scatter(panel, of);
    return gnuplot_draw(to, width, height, with, err);
}
