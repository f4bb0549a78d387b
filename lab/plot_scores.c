/* Two components are a scatter plot; one is a histogram or, with labels, a strip for each class.
 *
 * A picture shows no more than one point for each of its spots, which are about as large as a point.  So its size has a
 * limit whatever the number of rows, and every row has a point on it or at it.  Where rows meet, chance decides whose
 * colour is seen; the more rows there are, the less can be seen through the point. */
#include "lab/plot_scores.h"
#include "base/error.h"
#include "lab/palette.h"

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

static unsigned colour(const scatter *s, const spot *at)
{
    int class = s->labels ? labels_class(s->labels, at->row) : 0;
    unsigned rgb = s->labels && class == s->labels->count ? PALETTE_NONE : palette_rgb(class);
    return transparency(s, at) << 24 | rgb;
}

/* x, y, and a colour or, where labels are numbers, the number: then one block has those with a number, the other those
 * without. */
static void put_points(FILE *script, const scatter *s, const char *block, int with_number)
{
    int scale = s->labels && s->labels->count == 0;
    (void)fprintf(script, "$%s << end\n", block);
    for (size_t i = 0; i < SPOTS; i++) {
        const spot *at = &s->spots[i];
        if (at->rows == 0) continue;
        double number = scale ? labels_number(s->labels, at->row) : 0;
        if (isnan(number) == with_number) continue;
        if (scale && with_number)
            (void)fprintf(script, "%.6g %.6g %.9g\n", at->x, at->y, number);
        else
            (void)fprintf(script, "%.6g %.6g %u\n", at->x, at->y,
                          scale ? transparency(s, at) << 24 | PALETTE_NONE : colour(s, at));
    }
    (void)fputs("end\n", script);
}

static double point_size(size_t rows)
{
    return rows <= 300 ? 0.75 : rows <= MANY_ROWS ? 0.5 : 0.36;
}

/* ---- legend, axes ------------------------------------------------------------------------------------------------- */

static int continues_a_letter(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Room for a letter, in those of an ordinary one: W and M, and those of Asian scripts, which UTF-8 has as three bytes or
 * more, take two. */
static int room_of(char first)
{
    return (unsigned char)first >= 0xe2 || strchr("WM@%", first) ? 2 : 1;
}

/* A text that is too long loses its end, but no half of a letter.  Returns the room it takes, in letters. */
static int shorten(char out[NAME_ROOM], const char *text)
{
    enum { LETTERS = 20, DOTS = 3 };
    const char *end = text;
    int room = 0;
    for (; *end && end - text < NAME_ROOM - DOTS - 1; end++) {
        if (continues_a_letter(*end)) continue;
        if (room >= LETTERS) break;
        room += room_of(*end);
    }
    while (end > text && continues_a_letter(*end)) end--;
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

static void put_sign(FILE *script, const char *name, unsigned rgb)
{
    char text[NAME_ROOM];
    (void)shorten(text, name);
    (void)fprintf(script, ", NaN with points pointtype 7 pointsize 0.8 linecolor '#%06x' title ", rgb);
    gnuplot_quote(script, text);
}

static void put_key(FILE *script, const labels *l, double left, double top)
{
    char name[NAME_ROOM];
    if (!l || l->count == 0) {
        (void)fputs("unset key\n", script);
        return;
    }
    (void)shorten(name, l->name);
    (void)fprintf(script,
                  "set key at screen %.6f, %.6f left top vertical Left reverse samplen 1 spacing 1.15 font ',13' "
                  "textcolor '#303030' title ",
                  left, top);
    gnuplot_quote(script, name);
    (void)fputs("\n", script);
}

/* Numbers of many digits would not leave room for anything else. */
static void put_numbers(FILE *script, const char *axis, const range *r)
{
    double largest = fmax(fabs(r->least), fabs(r->most));
    int digits = largest < 1e99 && largest > 1e-99 ? 2 : 1;
    if (largest >= 1e5 || largest < 1e-2) (void)fprintf(script, "set format %s '%%.%dte%%T'\n", axis, digits);
}

static void put_scale(FILE *script, const labels *l, double left, double bottom, double top)
{
    if (!l || l->count > 0) return;
    (void)fprintf(script,
                  "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
                  "set cbrange [%.9g:%.9g]\n"
                  "set colorbox user origin screen %.6f, %.6f size screen 0.025, %.6f\n"
                  "set cblabel ",
                  l->least, l->most > l->least ? l->most : l->least + 1, left, bottom, top - bottom);
    gnuplot_quote(script, l->name);
    (void)fputs(" font ',13'\n", script);
    put_numbers(script, "cb", &(range){l->least, l->most});
}

/* That of the y axis keeps its place, however long the numbers are. */
static void put_axis_title(FILE *script, char axis, const char *title)
{
    (void)fputs(axis == 'x' ? "set xlabel " : "set label 1 ", script);
    gnuplot_quote(script, title);
    (void)fputs(axis == 'x' ? "\n" : " at screen 0.027, graph 0.5 center rotate by 90 font ',13'\n", script);
}

static void put_component(FILE *script, char axis, int component, const score_plot *of)
{
    char title[96];
    (void)snprintf(title, sizeof title, "component %d%s (%.3g%% of the variance)", component,
                   of->whitened ? ", whitened" : "", 100 * of->shares[component - 1]);
    put_axis_title(script, axis, title);
}

static void put_upward(FILE *script, const scatter *s)
{
    if (s->of->columns == 2) {
        put_component(script, 'y', 2, s->of);
    } else if (s->labels->count) {
        (void)fputs("unset ytics\nset border 1\n", script);
    } else {
        put_axis_title(script, 'y', s->labels->name);
    }
}

static void put_ranges(FILE *script, const range *x, const range *y)
{
    (void)fprintf(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x->least, x->most, y->least, y->most);
    put_numbers(script, "x", x);
    put_numbers(script, "y", y);
}

static FILE *begin(const canvas *to, const score_plot *of, panel *axes, em_error *err)
{
    int width = LEFT + AXES_WIDTH + RIGHT + legend_width(of->labels), height = BOTTOM + AXES_HEIGHT + TOP;
    *axes = (panel){.left = (double)LEFT / width,
                    .right = (double)(LEFT + AXES_WIDTH) / width,
                    .bottom = (double)BOTTOM / height,
                    .top = 1 - (double)TOP / height};
    FILE *script = gnuplot_script(to, width, height, err);
    if (!script) return NULL;
    gnuplot_panel(script, axes);
    (void)fprintf(script, "set title 'scores of %zu row%s'\n", of->rows, of->rows == 1 ? "" : "s");
    put_component(script, 'x', 1, of);
    return script;
}

/* ---- pictures -------------------------------------------------------------------------------------------------------- */

static void put_scatter(FILE *script, const scatter *s, const panel *axes)
{
    const labels *l = s->labels;
    double size = point_size(s->of->rows), beside = axes->right + 0.02;
    int scale = l && l->count == 0;
    put_upward(script, s);
    put_key(script, l, beside, axes->top);
    put_scale(script, l, beside + 0.005, axes->bottom, axes->top);
    put_ranges(script, &s->x, &s->y);
    put_points(script, s, "points", 1);
    if (scale) put_points(script, s, "others", 0);
    (void)fputs("plot NaN notitle", script); /* the others may have no point at all */
    if (scale && l->missing)
        (void)fprintf(
            script, ", $others using 1:2:3 with points pointtype 7 pointsize %g linecolor rgb variable notitle", size);
    (void)fprintf(script, ", $points using 1:2:3 with points pointtype 7 pointsize %g linecolor %s notitle", size,
                  scale ? "palette" : "rgb variable");
    for (int c = 0; l && c < l->count; c++) put_sign(script, l->classes[c], palette_rgb(c));
    if (l && l->count && l->missing) put_sign(script, NO_LABEL, PALETTE_NONE);
    (void)fputs("\n", script);
}

static em_status plot_scatter(const canvas *to, const score_plot *of, em_error *err)
{
    em_status status = EM_OK;
    panel axes;
    FILE *script = NULL;
    scatter s = {.of = of, .labels = of->labels, .spots = calloc(SPOTS, sizeof *s.spots)};
    if (!s.spots) TRY(emi_fail_memory(err, "--plot"));
    find_spots(&s);
    script = begin(to, of, &axes, err);
    if (!script) TRY(err->code);
    put_scatter(script, &s, &axes);
    TRY(gnuplot_draw(script, to, err));
done:
    free(s.spots);
    return status;
}

static em_status plot_histogram(const canvas *to, const score_plot *of, em_error *err)
{
    enum { BARS_MOST = 100 };
    size_t bars[BARS_MOST] = {0};
    range x = {INFINITY, -INFINITY}, rows = {0, 1};
    panel axes;
    int count = (int)fmin(fmax(2 * cbrt((double)of->rows), 5), BARS_MOST); /* Rice's rule */
    for (size_t row = 0; row < of->rows; row++) take(&x, of->scores[row]);
    x = with_margin(x);
    for (size_t row = 0; row < of->rows; row++)
        if (has_place(of->scores[row])) bars[place(&x, of->scores[row], count)]++;
    FILE *script = begin(to, of, &axes, err);
    if (!script) return err->code;
    double width = (x.most - x.least) / count;
    (void)fputs("$bars << end\n", script);
    for (int b = 0; b < count; b++) {
        (void)fprintf(script, "%.9g %zu\n", x.least + (b + 0.5) * width, bars[b]);
        rows.most = fmax(rows.most, 1.04 * (double)bars[b]);
    }
    (void)fputs("end\n", script);
    put_ranges(script, &x, &rows);
    put_axis_title(script, 'y', "rows");
    (void)fprintf(script,
                  "set grid noxtics\nunset key\n"
                  "set boxwidth %.9g\nset style fill solid noborder\n"
                  "plot $bars with boxes linecolor '#%06x'\n",
                  0.94 * width, palette_rgb(0));
    return gnuplot_draw(script, to, err);
}

em_status plot_scores(const canvas *to, const score_plot *s, em_error *err)
{
    return s->columns == 1 && !s->labels ? plot_histogram(to, s, err) : plot_scatter(to, s, err);
}
