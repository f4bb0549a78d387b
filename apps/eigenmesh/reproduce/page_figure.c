#include "page_figure.h"
#include "html.h"
#include "picture.h"

#include <math.h>

/* Positions on an axis, as a table shows them. */
typedef struct scale {
    const char *name, *noun;
    double unit;
} scale;

static const scale scales[] = {
    [AXIS_ITERATIONS] = {"iterations", "iterations", 1},
    [AXIS_UNITS] = {"communications cost", "units", 1},
    [AXIS_BYTES] = {"bytes sent", "MB", 1e6},
};

static const struct {
    double error;
    const char *text;
} goals[] = {{1e-2, "1e-2"}, {1e-3, "1e-3"}};

enum { GOALS = sizeof goals / sizeof *goals, TEXT = 32 };

/* Without digits that mean nothing; a dash for what there is not. */
static const char *error_text(double value, char out[TEXT])
{
    (void)snprintf(out, TEXT, isfinite(value) ? "%.2g" : "-", value);
    return out;
}

static const char *amount_text(double value, char out[TEXT])
{
    if (!isfinite(value))
        (void)snprintf(out, TEXT, "-");
    else
        (void)snprintf(out, TEXT, value < 100 ? "%.3g" : "%.0f", value);
    return out;
}

/* In words for those who cannot see it. */
static void put_description(FILE *out, const picture *p)
{
    char text[TEXT];
    html_put(out, "%s: average error against %s.", p->about->title, scales[p->along].name);
    for (int i = 0; i < p->about->curve_count; i++) {
        const curve *c = &p->about->curves[i];
        if (!picture_shows(p, c)) continue;
        if (isfinite(curve_end(c)))
            html_put(out, " %s ends at %s.", c->label, error_text(curve_end(c), text));
        else if (c->note)
            html_put(out, " %s: %s.", c->label, c->note);
        else
            html_put(out, " %s %s.", c->label, curve_ran(c) ? "has no final error" : "did not run");
    }
}

static void put_row(FILE *out, const picture *p, const curve *c)
{
    char text[TEXT];
    (void)fputs("<tr><th scope=\"row\">", out);
    if (curve_ran(c))
        html_put(out, "<a href=\"%s-%s.csv\">%s</a>", p->about->key, c->key, c->label);
    else
        html_text(out, c->label);
    if (c->note) html_put(out, " <small>%s</small>", c->note);
    if (!c->note && !curve_ran(c)) (void)fputs(" <small>did not run</small>", out);
    (void)fprintf(out, "</th><td>%d</td><td>%s</td>", c->runs, error_text(curve_end(c), text));
    for (int g = 0; g < GOALS; g++)
        (void)fprintf(out, "<td>%s</td>",
                      amount_text(curve_reaches(c, goals[g].error, p->along) / scales[p->along].unit, text));
    (void)fputs("</tr>\n", out);
}

static void put_numbers(FILE *out, const picture *p)
{
    (void)fputs("<div class=\"wide\"><table class=\"numbers\">\n<thead><tr><th scope=\"col\">curve</th>"
                "<th scope=\"col\">runs</th><th scope=\"col\">final error</th>",
                out);
    for (int g = 0; g < GOALS; g++)
        html_put(out, "<th scope=\"col\">%s to %s</th>", scales[p->along].noun, goals[g].text);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (int i = 0; i < p->about->curve_count; i++)
        if (picture_shows(p, &p->about->curves[i])) put_row(out, p, &p->about->curves[i]);
    (void)fputs("</tbody>\n</table></div>\n", out);
}

static void put_picture(FILE *out, const picture *p, const char *svg)
{
    (void)fputs("<figure>\n<img alt=\"", out);
    put_description(out, p);
    (void)fputs("\" src=\"data:image/svg+xml;base64,", out);
    html_base64(out, svg);
    (void)fputs("\">\n", out);
    html_put(out, "<figcaption>Against %s (<a href=\"%s\">picture alone</a>)</figcaption>\n", scales[p->along].name,
             p->file);
    put_numbers(out, p);
    (void)fputs("</figure>\n", out);
}

/* Each set-up against two axes: its two pictures stand side by side. */
static int in_pairs(const figure *f)
{
    return f->picture_count > 1 && f->pictures[0].about == f->pictures[1].about;
}

void page_figure(FILE *out, const figure *f, const char *const *pictures)
{
    html_put(out,
             "<section class=\"figure\" id=\"figure-%s\">\n<h3>%s</h3>\n<p><span class=\"origin\">%s</span> %s</p>\n",
             f->key, f->title, f->ours ? "Not in the paper." : "The paper's.", f->caption);
    (void)fprintf(out, "<div class=\"pictures%s\">\n", in_pairs(f) ? " pairs" : "");
    for (int i = 0; i < f->picture_count; i++) put_picture(out, &f->pictures[i], pictures[i]);
    (void)fputs("</div>\n</section>\n", out);
}
