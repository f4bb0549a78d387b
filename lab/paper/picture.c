/* What can be read off a curve, the curve as a table, and curves as a picture: the mean of the error over the runs, and a band
 * from the least to the largest. */
#include "base/error.h"
#include "base/text.h"
#include "lab/paper/paper.h"
#include "lab/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double curve_position(const lab_curve_row *row, axis along)
{
    return along == AXIS_UNITS ? row->units : along == AXIS_BYTES ? row->bytes : (double)row->iteration;
}

int curve_ran(const curve *c)
{
    return c->runs > 0 && c->count > 0;
}

double curve_end(const curve *c)
{
    if (!c || !c->count) return NAN;
    size_t first = c->count - (c->count + 9) / 10;
    double sum = 0;
    for (size_t t = first; t < c->count; t++) sum += c->rows[t].error;
    return sum / (double)(c->count - first);
}

double curve_reaches(const curve *c, double error, axis along)
{
    for (size_t t = 0; c && t < c->count; t++)
        if (c->rows[t].error <= error) return curve_position(&c->rows[t], along);
    return INFINITY;
}

void curve_write(FILE *out, const curve *c)
{
    char text[EMI_NUMBER_TEXT + 1];
    (void)fputs("iteration,rounds,bytes,units,error,least,most\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const lab_curve_row *row = &c->rows[i];
        const double values[] = {row->rounds, row->bytes, row->units, row->error, row->least, row->most};
        (void)fprintf(out, "%ld", row->iteration);
        /* A number that does not apply leaves its column empty. */
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            text[emi_text_of_double(text, values[v])] = 0;
            (void)fprintf(out, ",%s", isnan(values[v]) ? "" : text);
        }
        (void)fputc('\n', out);
    }
}

/* ---- pictures ------------------------------------------------------------------------------------------------ */

int picture_shows(const picture *p, const curve *c)
{
    int wanted = !p->keys || !*p->keys || words_match(p->keys, c->key);
    if (!wanted || p->along == AXIS_ITERATIONS || !curve_ran(c)) return wanted;
    return curve_position(&c->rows[c->count - 1], p->along) > 0;
}

static plot_point point_at(const void *of, size_t index, int along)
{
    const lab_curve_row *row = &((const curve *)of)->rows[index];
    return (plot_point){curve_position(row, (axis)along), row->error, row->least, row->most};
}

/* With its name, and what there is to say of it, as far as a line goes. */
static plot_curve take_curve(const curve *c)
{
    plot_curve out = {.from = c, .count = curve_ran(c) ? c->count : 0, .band = c->runs > 1};
    const char *note = curve_ran(c) ? c->note : "did not run";
    int length = snprintf(out.title, sizeof out.title, "%s%s%s%s", c->label, note ? " (" : "", note ? note : "",
                          note ? ")" : "");
    if (length >= (int)sizeof out.title) memcpy(out.title + sizeof out.title - 4, "...", 4);
    return out;
}

/* In the paper's words.  No error is larger than 1.  The axes take the same room in every picture, whatever the legend
 * takes. */
em_status picture_draw(emi_output *output, const picture *p, em_error *err)
{
    static const plot_frame frame = {.left = 87, .right = 29, .title = 36, .labels = 60, .height = 376, .columns = 2};
    const plot_axes axes = {.at = point_at,
                            .along = (int)p->along,
                            .xlabel = paper_axes[p->along].title,
                            .xformat = p->along != AXIS_BYTES ? "%g"
                                       : p->log_x             ? "%.0s %cB"
                                                              : "%.1s%c",
                            .ylabel = "Average error E",
                            .log_x = p->log_x,
                            .top = 2,
                            .dots = 150};
    const canvas to = {output, PICTURE_SVG}; /* the page holds its text */
    int count = 0;
    plot_curve *curves = calloc((size_t)p->about->curve_count + 1, sizeof *curves);
    if (!curves) return emi_fail_memory(err, p->file);
    for (int i = 0; i < p->about->curve_count; i++)
        if (picture_shows(p, &p->about->curves[i])) curves[count++] = take_curve(&p->about->curves[i]);
    em_status status = plot_panels(&to, &frame, p->about->title, curves, count, &axes, 1, err);
    free(curves);
    return status;
}
