#include "page/chart.h"

#include <math.h>
#include <string.h>

enum { LEFT = 52, RIGHT = 12, RIGHT_AXIS = 56, TOP = 12, BOTTOM = 46 };
enum { GAP = 7, TITLE = 16 }; /* between a number and its axis; what the title at the left takes */
static const double type_size = 12.5, power_size = 8.5; /* sizes of the style */

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

/* The numbers at an axis: of a log axis these are powers. */
typedef struct ticks {
    double first, step;
    int count;
} ticks;

static ticks find_ticks(const emi_axis *axis, int about)
{
    if (axis->bare) return (ticks){0};
    if (axis->log) {
        int first = (int)ceil(log10(axis->from) - 1e-9), last = (int)floor(log10(axis->to) + 1e-9);
        int step = 1 + (last - first) / (about + 1);
        return (ticks){first, step, last >= first ? (last - first) / step + 1 : 0};
    }
    double step = step_for(axis->to - axis->from, about);
    if (axis->whole) step = fmax(step, 1);
    if (!(step > 0) || !isfinite(step)) return (ticks){0};
    /* Counted, as a step may be lost beside a large number. */
    double first = ceil(axis->from / step - 1e-9);
    return (ticks){first, step, (int)fmin(floor(axis->to / step + 1e-9) - first, 3 * about) + 1};
}

static double tick(const emi_axis *axis, const ticks *t, int n)
{
    if (axis->log) return pow(10, t->first + n * t->step);
    return t->first + n == 0 ? 0 : (t->first + n) * t->step;
}

/* What stands at a tick; of a log axis the power. */
static const char *text_of(char room[EMI_REAL_ROOM], const emi_axis *axis, const ticks *t, int n)
{
    double size = fmax(fabs(axis->from), fabs(axis->to)), value = tick(axis, t, n);
    if (axis->log) return emi_real_text(room, log10(value), 1, 1);
    return emi_real_text(room, value, t->step, axis->percent || (size < 1e5 && size >= 1e-3) ? 6 : 3);
}

static double widest(const emi_axis *axis, const ticks *t)
{
    char room[EMI_REAL_ROOM];
    double width = 0;
    for (int n = 0; n < t->count; n++) {
        const char *text = text_of(room, axis, t, n);
        width = fmax(width, emi_text_width(text, EMI_REAL_ROOM, axis->log ? power_size : type_size));
    }
    return width + (axis->log ? emi_text_width("10", 2, type_size) : axis->percent ? type_size : 0);
}

typedef enum side { BELOW, AT_LEFT, AT_RIGHT } side;

/* A line of the grid, and the beginning of its number, which is twice `half` wide and does not leave the picture. */
static void put_line_at(emi_html *to, const emi_chart *chart, side where, double place, double half)
{
    double left = chart->x.least, right = chart->x.most, bottom = chart->y.least;
    if (where == BELOW) {
        emi_put(to, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/>", place, place, TOP,
                bottom + 4);
        emi_put(to, "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">", fmin(place, EMI_CHART_WIDTH - half), bottom + 17);
    } else if (where == AT_LEFT) {
        emi_put(to, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", left - 4, right, place,
                place);
        emi_put(to, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">", left - GAP, place + 4);
    } else {
        emi_put(to, "<text x=\"%.1f\" y=\"%.1f\">", right + GAP, place + 4);
    }
}

static void put_ticks(const emi_chart *chart, const emi_axis *axis, const ticks *t, side where)
{
    char room[EMI_REAL_ROOM];
    emi_html *to = chart->to;
    for (int n = 0; n < t->count; n++) {
        const char *text = text_of(room, axis, t, n);
        put_line_at(to, chart, where, emi_axis_at(axis, tick(axis, t, n)),
                    emi_text_width(text, EMI_REAL_ROOM, type_size) / 2);
        if (axis->log)
            emi_put(to, "10<tspan dy=\"-5\" class=\"power\">%s</tspan></text>", text);
        else
            emi_put(to, "%s%s</text>", text, axis->percent ? "%" : "");
    }
}

static void put_title(emi_html *to, const emi_axis *axis, side where)
{
    static const int x[] = {[AT_LEFT] = TITLE - 3, [AT_RIGHT] = EMI_CHART_WIDTH - 2};
    double middle = (axis->least + axis->most) / 2;
    if (!axis->title) return;
    if (where == BELOW)
        emi_put(to, "<text class=\"middle title\" x=\"%.1f\" y=\"%d\">", middle, EMI_CHART_HEIGHT - 9);
    else
        emi_put(to, "<text class=\"middle title\" transform=\"translate(%d %.1f) rotate(-90)\">", x[where], middle);
    emi_put(to, "%s</text>", axis->title);
}

/* As many numbers below as have room beside each other. */
static ticks find_ticks_below(const emi_axis *axis)
{
    ticks t = {0};
    for (int about = 6; about > 1; about--) {
        t = find_ticks(axis, about);
        if (t.count * (widest(axis, &t) + GAP) <= axis->most - axis->least) break;
    }
    return t;
}

void emi_chart_begin(emi_chart *chart, const char *words)
{
    emi_html *to = chart->to;
    ticks up = find_ticks(&chart->y, 5), across;
    double left = chart->y.bare ? RIGHT : fmax(LEFT, TITLE + widest(&chart->y, &up) + GAP);
    chart->x.least = left, chart->x.most = EMI_CHART_WIDTH - (chart->has_right ? RIGHT_AXIS : RIGHT);
    chart->y.least = EMI_CHART_HEIGHT - BOTTOM, chart->y.most = TOP;
    emi_put(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", EMI_CHART_WIDTH, EMI_CHART_HEIGHT, words);
    across = find_ticks_below(&chart->x);
    put_ticks(chart, &chart->x, &across, BELOW);
    put_ticks(chart, &chart->y, &up, AT_LEFT);
    put_title(to, &chart->x, BELOW);
    put_title(to, &chart->y, AT_LEFT);
}

void emi_chart_right(const emi_chart *chart, emi_axis *right)
{
    right->least = chart->y.least;
    right->most = chart->y.most;
    ticks t = find_ticks(right, 5);
    put_ticks(chart, right, &t, AT_RIGHT);
    put_title(chart->to, right, AT_RIGHT);
}

void emi_chart_end(emi_chart *chart)
{
    emi_put(chart->to, "</svg>\n");
}
