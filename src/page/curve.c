/* How the answer was come by: the method, and how near each iteration was. */
#include "page/chart.h"
#include "page/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What there is to draw: the model's trace, or the steps that somebody has noted. */
typedef enum measure { ERROR, RESIDUAL, CHANGE } measure;

typedef struct curve {
    const em_page *page;
    measure of;
    size_t count;
} curve;

static int is_drawn(double value)
{
    return isfinite(value) && value > 0;
}

static void point_at(const curve *c, size_t n, double *iteration, double *value)
{
    if (c->of == CHANGE) {
        *iteration = (double)c->page->steps[n].iteration;
        *value = c->page->steps[n].change;
    } else {
        const em_trace_row *row = em_model_trace_row(c->page->model, n);
        *iteration = (double)row->iteration;
        *value = c->of == ERROR ? row->error : row->residual;
    }
}

static size_t count_drawn(const curve *c)
{
    size_t drawn = 0;
    double x, y;
    for (size_t n = 0; n < c->count; n++) {
        point_at(c, n, &x, &y);
        drawn += is_drawn(y) != 0;
    }
    return drawn;
}

static curve choose(const em_page *page)
{
    enum { FEW = 2 }; /* points are no curve */
    curve c = {.page = page, .of = ERROR, .count = em_model_trace_rows(page->model)};
    if (count_drawn(&c) <= FEW) c.of = RESIDUAL;
    if (c.of == RESIDUAL && count_drawn(&c) <= FEW) c = (curve){page, CHANGE, page->step_count};
    if (c.of == CHANGE && count_drawn(&c) <= FEW) c.count = 0;
    return c;
}

/* As many points as can be told apart, and the last one. */
static void put_line(const emi_chart *chart, const curve *c)
{
    double x, y, before = -INFINITY;
    char letter = 'M';
    emi_put(chart->to, "<path class=\"line first\" d=\"");
    for (size_t n = 0; n < c->count; n++) {
        point_at(c, n, &x, &y);
        if (!is_drawn(y)) continue;
        double place = emi_axis_at(&chart->x, x);
        if (place - before < 0.4 && n + 1 < c->count) continue;
        before = place;
        emi_put(chart->to, "%c%.1f %.1f", letter, place, emi_axis_at(&chart->y, y));
        letter = 'L';
    }
    emi_put(chart->to, "\"/>");
}

/* The tolerance, where it is of the same kind as what is drawn: of residuals only where the method promises them. */
static double goal_of(const curve *c)
{
    const em_info *info = em_model_info(c->page->model);
    if (c->of == CHANGE) return info->tolerance;
    for (int m = 0; c->of == RESIDUAL && em_method(m); m++)
        if (strcmp(em_method(m)->name, info->method) == 0 && em_method(m)->residual) return info->tolerance;
    return 0;
}

static void put_goal(const emi_chart *chart, const curve *c)
{
    double tolerance = goal_of(c);
    if (!(tolerance > 0) || tolerance < chart->y.from || tolerance > chart->y.to) return;
    double place = emi_axis_at(&chart->y, tolerance);
    emi_put(chart->to,
            "<line class=\"goal\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"end\" x=\"%.1f\" "
            "y=\"%.1f\">asked for</text>",
            chart->x.least, chart->x.most, place, place, chart->x.most, place - 4);
}

static void draw(emi_html *to, const curve *c)
{
    static const char *const titles[] = {
        [ERROR] = "error", [RESIDUAL] = "mean residual", [CHANGE] = "change, as the method sees it"};
    double least = INFINITY, most = 0, first = INFINITY, last = 0, x, y, tolerance = goal_of(c);
    for (size_t n = 0; n < c->count; n++) {
        point_at(c, n, &x, &y);
        if (!is_drawn(y)) continue;
        least = fmin(least, y), most = fmax(most, y);
        first = fmin(first, x), last = fmax(last, x);
    }
    if (tolerance > 0) least = fmin(least, fmax(tolerance, least / 1e6));
    emi_chart chart = {.to = to,
                       .x = {.from = first, .to = last > first ? last : first + 1, .whole = 1, .title = "iteration"},
                       .y = {.from = fmax(pow(10, floor(log10(least))), 1e-300),
                             .to = pow(10, ceil(log10(most))),
                             .log = 1,
                             .title = titles[c->of]}};
    if (!(chart.y.from < chart.y.to)) chart.y.to = 10 * chart.y.from;
    emi_put(to, "<figure>");
    emi_chart_begin(&chart, "How far the answer was from exact after each iteration");
    put_goal(&chart, c);
    put_line(&chart, c);
    emi_chart_end(&chart);
    emi_put(to,
            "<figcaption>%s after each iteration. Lower is more accurate; the scale is in powers of "
            "ten.</figcaption></figure>\n",
            c->of == ERROR      ? "The error against the exact components"
            : c->of == RESIDUAL ? "What is missing for the components to be exact"
                                : "What decides when to stop");
}

static const char *summary_of(const char *method)
{
    for (int m = 0; em_method(m); m++)
        if (strcmp(em_method(m)->name, method) == 0) return em_method(m)->summary;
    return "";
}

void emi_page_method(emi_html *to, const em_page *page)
{
    const em_info *info = em_model_info(page->model);
    curve c = choose(page);
    emi_put(to, "<dl class=\"facts\">\n<dt>Method</dt><dd><span id=\"method\">%s</span>: %s</dd>\n", info->method,
            summary_of(info->method));
    if (*info->choice) emi_put(to, "<dt>Chosen</dt><dd>by itself: %s</dd>\n", info->choice);
    emi_put(to, "<dt>Iterations</dt><dd id=\"iterations\">%ld</dd>\n<dt>Time</dt><dd>", info->iterations);
    emi_put_seconds(to, info->seconds_setup);
    emi_put(to, " before the iterations, ");
    emi_put_seconds(to, info->seconds);
    emi_put(to, " in them</dd>\n");
    if (isfinite(info->step)) emi_put(to, "<dt>Step</dt><dd>%.4g</dd>\n", info->step);
    if (*info->precision) emi_put(to, "<dt>Precision</dt><dd>products in %s precision</dd>\n", info->precision);
    emi_put(to, "</dl>\n");
    if (c.count)
        draw(to, &c);
    else if (info->iterations <= 2)
        emi_put(to, "<p class=\"soft\">So few iterations make no curve.</p>\n");
    else if (em_model_trace_rows(page->model) + page->step_count)
        emi_put(
            to,
            "<p class=\"soft\">Fewer than three of these iterations have a number that tells how near they came: that "
            "makes no curve.</p>\n");
    else
        emi_put(to, "<p class=\"soft\">How near each iteration came %s</p>\n",
                emi_page_is_own(page) ? "was not noted." : "was not kept: the page of the fit itself has it.");
}
