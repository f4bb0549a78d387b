/* The error of a set-up's curves, as their mean over the runs and a band from the least to the largest. */
#include "base/error.h"
#include "lab/paper/paper.h"
#include "lab/plot.h"

#include <stdlib.h>
#include <string.h>

enum { TITLE_ROOM = 80 };

int picture_shows(const picture *p, const curve *c)
{
    int wanted = !p->keys || !*p->keys || words_have(p->keys, c->key);
    if (!wanted || p->along == AXIS_ITERATIONS || !curve_ran(c)) return wanted;
    return curve_position(&c->rows[c->count - 1], p->along) > 0;
}

/* The name, and what there is to say of it, as far as a line goes. */
static void name_curve(const curve *c, char title[TITLE_ROOM])
{
    const char *note = curve_ran(c) ? c->note : "did not run";
    int length =
        note ? snprintf(title, TITLE_ROOM, "%s (%s)", c->label, note) : snprintf(title, TITLE_ROOM, "%s", c->label);
    if (length >= TITLE_ROOM) memcpy(title + TITLE_ROOM - 4, "...", 4);
}

static em_status take_curve(plot_curve *out, const curve *c, axis along, char title[TITLE_ROOM], em_error *err)
{
    size_t count = curve_ran(c) ? c->count : 0;
    name_curve(c, title);
    *out = (plot_curve){.title = title, .count = count, .band = c->runs > 1};
    out->points = calloc(count + 1, sizeof *out->points);
    if (!out->points) return emi_fail_memory(err, c->label);
    for (size_t t = 0; t < count; t++)
        out->points[t] = (plot_point){.x = curve_position(&c->rows[t], along),
                                      .y = c->rows[t].error,
                                      .least = c->rows[t].least,
                                      .most = c->rows[t].most};
    return EM_OK;
}

/* In the paper's words.  No error is larger than 1. */
static plot_axes axes_of(const picture *p)
{
    static const char *const titles[] = {[AXIS_ITERATIONS] = "Iterations",
                                         [AXIS_UNITS] = "Communications cost (units: d x K matrices to each neighbour)",
                                         [AXIS_BYTES] = "Bytes sent"};
    const char *format = p->along != AXIS_BYTES ? "%g" : p->log_x ? "%.0s %cB" : "%.1s%c";
    return (plot_axes){.xlabel = titles[p->along],
                       .xformat = format,
                       .ylabel = "Average error E",
                       .log_x = p->log_x,
                       .top = 2,
                       .dots = 150};
}

/* The axes take the same room in every picture, whatever the legend takes. */
em_status picture_draw(emi_output *output, const picture *p, em_error *err)
{
    static const plot_frame frame = {.left = 87, .right = 29, .title = 36, .labels = 60, .height = 376, .columns = 2};
    em_status status = EM_OK;
    const canvas to = {output, PICTURE_SVG}; /* the page holds its text */
    size_t count = (size_t)p->about->curve_count + 1;
    char(*titles)[TITLE_ROOM] = calloc(count, sizeof *titles);
    plot_panel panel = {.axes = axes_of(p), .curves = calloc(count, sizeof *panel.curves)};
    if (!titles || !panel.curves) TRY(emi_fail_memory(err, p->file));
    for (int i = 0; i < p->about->curve_count; i++) {
        if (!picture_shows(p, &p->about->curves[i])) continue;
        TRY(take_curve(&panel.curves[panel.count], &p->about->curves[i], p->along, titles[panel.count], err));
        panel.count++;
    }
    TRY(plot_panels(&to, &frame, p->about->title, &panel, 1, err));
done:
    for (int c = 0; panel.curves && c < panel.count; c++) free(panel.curves[c].points);
    free(panel.curves);
    free(titles);
    return status;
}
