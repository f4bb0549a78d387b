/* The methods' curves as pictures. */
#include "compare.h"
#include "lab/legend.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

static size_t longest_name(const comparison *c)
{
    size_t longest = 0;
    for (int i = 0; i < c->count; i++) {
        size_t length = strlen(c->contenders[i].name);
        if (length > longest) longest = length;
    }
    return longest;
}

static void put_title(FILE *script, const em_info *info)
{
    if (info)
        (void)fprintf(script, "set title '%d component%s over %d node%s'\n", info->components,
                      info->components == 1 ? "" : "s", info->nodes, info->nodes == 1 ? "" : "s");
}

/* One panel an axis, side by side, and one legend for all. */
static void put_panels(FILE *script, const comparison *c, const trace_curve *curves, const trace_axis *axes, int count,
                       const legend *names, int width, int height)
{
    enum { LEFT = 90, RIGHT = 45, TITLE = 40, LABELS = 64 }; /* half a number may hang over at the right */
    const em_model *any = comparison_any(c);
    double each = (double)width / count;
    (void)fputs("set multiplot\n", script);
    for (int i = 0; i < count; i++) {
        const panel place = {.left = (i * each + LEFT) / width,
                             .right = ((i + 1) * each - RIGHT) / width,
                             .bottom = (double)(LABELS + names->height) / height,
                             .top = 1 - (double)TITLE / height};
        gnuplot_panel(script, &place);
        put_title(script, any ? em_model_info(any) : NULL);
        if (i == 0)
            legend_put(script, names, height);
        else
            (void)fputs("unset key\n", script);
        put_curves(script, curves, c->count, axes[i]);
    }
    (void)fputs("unset multiplot\n", script);
}

em_status compare_plot(const canvas *to, const comparison *c, const trace_axis *axes, int count, em_error *err)
{
    enum { WIDTH = 580, PANEL = 400, COLUMNS = 6 };
    em_status status = EM_OK;
    legend names = legend_of(c->count, longest_name(c), count * WIDTH, COLUMNS);
    int height = PANEL + names.height;
    FILE *script = NULL;
    trace_curve *curves = calloc((size_t)c->count, sizeof *curves);
    if (!curves) TRY(refuse_memory(err, "compare"));
    for (int i = 0; i < c->count; i++)
        curves[i] = (trace_curve){.name = c->contenders[i].name, .model = c->contenders[i].model};
    script = gnuplot_script(to, count * WIDTH, height, err);
    if (!script) TRY(err->code);
    put_panels(script, c, curves, axes, count, &names, count * WIDTH, height);
    TRY(gnuplot_draw(script, to, err));
done:
    free(curves);
    return status;
}
