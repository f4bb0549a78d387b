#include "page/chart.h"

#include <math.h>
#include <string.h>

enum { LEFT = 52, RIGHT = 12, RIGHT_AXIS = 56, TOP = 12, BOTTOM = 46 };

void emi_axis_fit(emi_axis *axis, double least, double most, double margin)
{
    if (!(least <= most)) least = -1, most = 1;
    double width = most - least;
    if (!(width > 0)) width = least != 0 ? fabs(least) : 1;
    axis->from = least - margin * width;
    axis->to = most + margin * width;
    if (axis->from >= axis->to) axis->from = least - fabs(least), axis->to = most + fabs(most);
}

double emi_axis_at(const emi_axis *axis, double value)
{
    double from = axis->from, to = axis->to;
    if (axis->log) value = log10(value), from = log10(from), to = log10(to);
    double place = (value - from) / (to - from);
    return axis->least + fmin(fmax(place, 0), 1) * (axis->most - axis->least);
}

/* 1, 2 or 5 times a power of ten, for about so many steps over the range. */
static double step_for(double range, int steps)
{
    double rough = range / steps, power = pow(10, floor(log10(rough))), times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void put_number(emi_html *to, const emi_axis *axis, double value)
{
    double size = fmax(fabs(axis->from), fabs(axis->to));
    if (axis->log)
        emi_put(to, "10<tspan dy=\"-5\" class=\"power\">%.0f</tspan>", log10(value));
    else if (axis->percent)
        emi_put(to, "%.6g%%", value);
    else if (size >= 1e5 || size < 1e-3)
        emi_put(to, "%.3g", value);
    else
        emi_put(to, "%.6g", value);
}

typedef enum side { BELOW, AT_LEFT, AT_RIGHT } side;

/* across: where the other axis ends. */
static void put_tick(emi_html *to, const emi_axis *axis, side where, double across, double value)
{
    double place = emi_axis_at(axis, value);
    if (where == BELOW) {
        emi_put(to, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%d\"/>", place, place, across,
                EMI_CHART_HEIGHT - BOTTOM + 4);
        emi_put(to, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">", place, EMI_CHART_HEIGHT - BOTTOM + 17);
    } else if (where == AT_LEFT) {
        emi_put(to, "<line class=\"grid\" x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT - 4, across, place,
                place);
        emi_put(to, "<text class=\"end\" x=\"%d\" y=\"%.1f\">", LEFT - 7, place + 4);
    } else {
        emi_put(to, "<text x=\"%.1f\" y=\"%.1f\">", across + 7, place + 4);
    }
    put_number(to, axis, value);
    emi_put(to, "</text>");
}

static void put_ticks(emi_html *to, const emi_axis *axis, side where, double across, int about)
{
    if (axis->log) {
        int first = (int)ceil(log10(axis->from) - 1e-9), last = (int)floor(log10(axis->to) + 1e-9);
        int step = 1 + (last - first) / (about + 1);
        for (int power = first; power <= last; power += step) put_tick(to, axis, where, across, pow(10, power));
        return;
    }
    double step = step_for(axis->to - axis->from, about);
    if (axis->whole) step = fmax(step, 1);
    if (!(step > 0) || !isfinite(step)) return;
    /* Counted, as a step may be lost beside a large number. */
    double first = ceil(axis->from / step - 1e-9);
    int steps = (int)fmin(floor(axis->to / step + 1e-9) - first, 3 * about);
    for (int n = 0; n <= steps; n++) put_tick(to, axis, where, across, first + n == 0 ? 0 : (first + n) * step);
}

static void put_title(emi_html *to, const emi_axis *axis, side where)
{
    static const int x[] = {[AT_LEFT] = 11, [AT_RIGHT] = EMI_CHART_WIDTH - 2};
    double middle = (axis->least + axis->most) / 2;
    if (!axis->title) return;
    if (where == BELOW)
        emi_put(to, "<text class=\"middle title\" x=\"%.1f\" y=\"%d\">", middle, EMI_CHART_HEIGHT - 9);
    else
        emi_put(to, "<text class=\"middle title\" transform=\"translate(%d %.1f) rotate(-90)\">", x[where], middle);
    emi_put(to, "%s</text>", axis->title);
}

void emi_chart_begin(emi_chart *chart, const char *words)
{
    emi_html *to = chart->to;
    chart->x.least = LEFT, chart->x.most = EMI_CHART_WIDTH - (chart->has_right ? RIGHT_AXIS : RIGHT);
    chart->y.least = EMI_CHART_HEIGHT - BOTTOM, chart->y.most = TOP;
    emi_put(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", EMI_CHART_WIDTH, EMI_CHART_HEIGHT, words);
    put_ticks(to, &chart->x, BELOW, TOP, 6);
    put_ticks(to, &chart->y, AT_LEFT, chart->x.most, 5);
    put_title(to, &chart->x, BELOW);
    put_title(to, &chart->y, AT_LEFT);
}

void emi_chart_right(const emi_chart *chart, emi_axis *right)
{
    right->least = chart->y.least;
    right->most = chart->y.most;
    put_ticks(chart->to, right, AT_RIGHT, chart->x.most, 5);
    put_title(chart->to, right, AT_RIGHT);
}

void emi_chart_end(emi_chart *chart)
{
    emi_put(chart->to, "</svg>\n");
}
