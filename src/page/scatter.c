/* Rows as points along two components, coloured by what they are called.  Classes differ by colour and by form, so that they can be
 * told apart on grey paper too, and in a mixture that puts none before the others. */
#include "base/error.h"
#include "base/random.h"
#include "page/chart.h"
#include "page/parts.h"
#include "page/points.h"

#include <math.h>
#include <stdio.h>

enum { LAYERS = 8, NAMED = 12, CROWD = 8, NAME_LETTERS = 16, NAME_GAP = 6, NAME_HEIGHT = 14 };

typedef struct scatter {
    emi_chart chart;
    const emi_points *points;
    const emi_classes *classes;
    int across, up; /* the components, from 0; of one component `up` is the same, and points lie in strips */
} scatter;

static double x_of(const scatter *s, size_t n)
{
    return s->points->scores[n * (size_t)s->points->columns + (size_t)s->across];
}

/* In a strip of its class, where there is one component: anywhere, the same every time. */
static double y_of(const scatter *s, size_t n)
{
    if (s->up != s->across) return s->points->scores[n * (size_t)s->points->columns + (size_t)s->up];
    return 0.7 * (emi_random_uniform(&(emi_random){n}) - 0.5) - s->classes->of[n];
}

static int has_place(const scatter *s, size_t n)
{
    return fabs(x_of(s, n)) < 1e300 && fabs(y_of(s, n)) < 1e300;
}

static void fit_axes(scatter *s)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (size_t n = 0; n < s->points->count; n++) {
        if (!has_place(s, n)) continue;
        least[0] = fmin(least[0], x_of(s, n)), most[0] = fmax(most[0], x_of(s, n));
        least[1] = fmin(least[1], y_of(s, n)), most[1] = fmax(most[1], y_of(s, n));
    }
    emi_axis_fit(&s->chart.x, least[0], most[0], 0.04);
    emi_axis_fit(&s->chart.y, least[1], most[1], 0.04);
}

/* The style of a class: "c3 square", of a scale "s3"; what has no class is grey. */
static void put_class(emi_html *to, const emi_classes *c, int class)
{
    if (class && class >= c->count)
        emi_put(to, "none");
    else if (c->is_scale)
        emi_put(to, "s%d", class);
    else
        emi_put(to, "c%d%s", class % 8, (class + class / 8) % 2 ? " square" : "");
}

/* Points are lines of almost no length, which have round or square ends: a few letters each.  Of none at all they would be nothing on paper,
 * where PDF paints square ends along a direction alone. */
static void put_points(const scatter *s, int class, size_t layer)
{
    int begun = 0;
    emi_html *to = s->chart.to;
    for (size_t n = layer; n < s->points->count; n += LAYERS) {
        if (s->classes->of[n] != class || !has_place(s, n)) continue;
        if (!begun++) {
            emi_put(to, "<path class=\"");
            put_class(to, s->classes, class);
            emi_put(to, "\" d=\"");
        }
        emi_put(to, "M%.1f %.1fh.01", emi_axis_at(&s->chart.x, x_of(s, n)), emi_axis_at(&s->chart.y, y_of(s, n)));
    }
    if (begun) emi_put(to, "\"/>");
}

/* The middle of a class; 0 where it has few points, each of which may be far from there. */
static int find_middle(const scatter *s, int class, double *x, double *y)
{
    double count = 0;
    *x = *y = 0;
    for (size_t n = 0; n < s->points->count; n++) {
        if (s->classes->of[n] != class || !has_place(s, n)) continue;
        *x += emi_axis_at(&s->chart.x, x_of(s, n));
        *y += emi_axis_at(&s->chart.y, y_of(s, n));
        count++;
    }
    *x /= count, *y /= count;
    return count >= CROWD;
}

/* A name in the picture, as wide as it is thought to be, around its middle. */
typedef struct name_box {
    double x, y, width;
} name_box;

static int is_hidden(const name_box *one, const name_box *others, int count)
{
    int hidden = 0;
    for (int n = 0; n < count; n++)
        hidden |= fabs(one->x - others[n].x) < (one->width + others[n].width) / 2 + NAME_GAP &&
                  fabs(one->y - others[n].y) < NAME_HEIGHT;
    return hidden;
}

/* The names of a few classes at the middle of their points, or a line or two above or below where another one is.  One that finds no
 * room is left out, as the legend has it. */
static void put_names(const scatter *s)
{
    static const int lines[] = {0, 15, -15, 30, -30};
    static const double type_size = 13; /* of the style, and bold */
    name_box placed[NAMED];
    int count = 0;
    const emi_classes *c = s->classes;
    const emi_axis *x = &s->chart.x, *y = &s->chart.y;
    for (int class = 0; class < c->count && c->count <= NAMED && !c->is_scale; class ++) {
        name_box *l = &placed[count];
        double middle;
        int hidden = 1;
        if (!find_middle(s, class, &l->x, &middle)) continue;
        l->width = emi_text_width(c->names[class], NAME_LETTERS, type_size);
        l->x = fmax(fmin(l->x, x->most - l->width / 2), x->least + l->width / 2);
        for (size_t line = 0; hidden && line < sizeof lines / sizeof *lines; line++) {
            l->y = middle + lines[line];
            hidden = l->y < y->most || l->y > y->least || is_hidden(l, placed, count);
        }
        if (hidden) continue;
        emi_put(s->chart.to, "<text class=\"middle halo\" x=\"%.1f\" y=\"%.1f\">", l->x, l->y + 4);
        emi_put_cut_middle(s->chart.to, c->names[class], NAME_LETTERS);
        emi_put(s->chart.to, "</text>");
        count++;
    }
}

static void put_picture(scatter *s, const em_model *model)
{
    char across[80], up[80], words[200];
    const double *ratio = em_model_explained_variance_ratio(model);
    emi_html *to = s->chart.to;
    size_t count = s->points->count;
    (void)snprintf(across, sizeof across, "component %d (%.0f%% of the variance)", s->across + 1,
                   100 * ratio[s->across]);
    (void)snprintf(up, sizeof up, "component %d (%.0f%%)", s->up + 1, 100 * ratio[s->up]);
    s->chart.x.title = across;
    if (s->up != s->across) {
        s->chart.y.title = up;
        (void)snprintf(words, sizeof words, "%zu rows as points, along components %d and %d", count, s->across + 1,
                       s->up + 1);
    } else {
        s->chart.y.bare = 1; /* chance, and the class */
        (void)snprintf(words, sizeof words, "%zu rows as points, along component %d", count, s->across + 1);
    }
    fit_axes(s);
    emi_put(to, "<figure>");
    emi_chart_begin(&s->chart, words);
    emi_put(to, "<g class=\"points %s\">", count <= 300 ? "few" : count <= 2000 ? "some" : "many");
    for (size_t layer = 0; layer < LAYERS; layer++)
        for (int class = s->classes->count + 1; class >= 0; class --) put_points(s, class, layer);
    emi_put(to, "</g>");
    put_names(s);
    emi_chart_end(&s->chart);
    emi_put(to, "</figure>\n");
}

/* ---- the legend ------------------------------------------------------------------------------------------------------- */

static void put_sign(emi_html *to, const emi_classes *c, int class)
{
    emi_put(to, "<svg class=\"sign points few\" viewBox=\"2 2 8 8\" aria-hidden=\"true\"><path class=\"");
    put_class(to, c, class);
    emi_put(to, "\" d=\"M6 6h.01\"/></svg> ");
}

/* Of a scale. */
static void put_step(emi_html *to, double from, double step)
{
    char texts[2][EMI_REAL_ROOM];
    emi_put(to, "%s to %s", emi_real_text(texts[0], from, step, 3), emi_real_text(texts[1], from + step, step, 3));
}

static void put_legend(emi_html *to, const char *label, const emi_classes *c)
{
    if (!c->count && !c->nameless) return;
    emi_put(to, "<ul class=\"legend\"><li><strong>");
    emi_put_name(to, label, EMI_NAME_LETTERS);
    emi_put(to, "</strong></li>");
    for (int class = 0; class < c->count; class ++) {
        double step = (c->most - c->least) / c->count;
        emi_put(to, "<li>");
        put_sign(to, c, class);
        if (c->is_scale)
            put_step(to, c->least + class * step, step);
        else
            emi_put_name(to, c->names[class], EMI_NAME_LETTERS);
        emi_put(to, " <small>%zu</small></li>", c->sizes[class]);
    }
    for (int rest = 0; rest < 2; rest++) {
        size_t points = rest ? c->nameless : c->others;
        if (!points) continue;
        emi_put(to, "<li>");
        put_sign(to, c, c->count + rest);
        if (rest)
            emi_put(to, "no label");
        else
            emi_put(to, "%zu others", c->kinds);
        emi_put(to, " <small>%zu</small></li>", points);
    }
    emi_put(to, "</ul>\n");
}

/* Those that would be drawn if they had any variance. */
static void put_undrawn(emi_html *to, const em_model *model, int drawn)
{
    int K = em_model_components_count(model), last = K < EMI_POINT_COLUMNS ? K : EMI_POINT_COLUMNS;
    if (last == drawn) return;
    if (last == drawn + 1)
        emi_put(to, " Component %d is not drawn: it has no variance that could be told from rounding.", last);
    else
        emi_put(to, " Components %d to %d are not drawn: they have no variance that could be told from rounding.",
                drawn + 1, last);
}

static void put_words(emi_html *to, const em_page *page, const emi_points *p)
{
    uint64_t all = em_model_samples(page->model);
    emi_put(to, p->columns > 1
                    ? "<p>Each point is a row; rows that are alike lie close together. "
                    : "<p>Each point is a row. Where it lies from left to right is all that it tells; how high it is "
                      "drawn tells nothing, and keeps points from hiding each other. ");
    if (p->count < p->rows) {
        emi_put(to, "Of ");
        emi_put_number_of(to, p->rows, "row");
        emi_put(to, " these are ");
        emi_put_count(to, p->count);
        emi_put(to, ", chosen by chance.");
    } else {
        emi_put(to, "These are ");
        emi_put_number_of(to, p->count, "row");
        emi_put(to, ".");
    }
    if (p->rows < all)
        emi_put(to, " They are those of this %s; others are elsewhere.", page->own_node ? "site" : "process");
    if (p->missing) {
        emi_put(to, " ");
        emi_put_number_of(to, p->missing, "missing value");
        emi_put(to, " in them count as the mean of the feature.");
    }
    put_undrawn(to, page->model, p->columns);
    emi_put(to, "</p>\n");
}

em_status emi_page_scores(emi_html *to, const em_page *page, em_error *err)
{
    em_status status = EM_OK;
    emi_points points = {0};
    emi_classes classes = {0};
    if (!page->table_count) {
        emi_put(to, "<p class=\"soft\">Rows are not on this page: they are private, and are drawn only when somebody "
                    "asks for it, where the "
                    "data is.</p>\n");
        return EM_OK;
    }
    TRY(emi_points_find(&points, page, err));
    TRY(emi_classes_find(&classes, &points, err));
    put_words(to, page, &points);
    emi_put(to, "<div class=\"together\">\n");
    put_legend(to, page->label, &classes);
    emi_put(to, "<div class=\"pictures\" id=\"scores\">");
    for (int k = 0; k < points.columns; k += 2) {
        /* Of three components the last is drawn against the first. */
        scatter s = {
            .chart = {.to = to}, .points = &points, .classes = &classes, .across = k + 1 < points.columns ? k : 0};
        s.up = k + 1 < points.columns ? k + 1 : k;
        put_picture(&s, page->model);
    }
    emi_put(to, "</div></div>\n");
done:
    emi_classes_free(&classes);
    emi_points_free(&points);
    return status;
}
