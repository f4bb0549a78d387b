#include "figures.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 128 };

static const plan *plan_of(const setup *s)
{
    const plan *p = paper_plans;
    while (strcmp(p->key, s->key) != 0) p++;
    return p;
}

/* Is the set-up one of those that the sheet shows?  What a sheet names is its alone. */
static int shows(const sheet *of, const setup *s)
{
    if (strcmp(plan_of(s)->figure, of->figure) != 0) return 0;
    if (of->only) return strstr(s->key, of->only) != NULL;
    for (const sheet *other = paper_sheets; other->key; other++)
        if (other->only && strcmp(other->figure, of->figure) == 0 && strstr(s->key, other->only)) return 0;
    return 1;
}

static const char *axis_name(axis along)
{
    switch (along) {
    case AXIS_UNITS: return "units";
    case AXIS_BYTES: return "bytes";
    default: return "iterations";
    }
}

/* "fig3-er-0.8-units.svg", or "fig3-er-0.8-sent-units.svg" of the sheet fig3-sent. */
static em_status name_picture(picture *p, const sheet *of, const setup *s, axis along, em_error *err)
{
    *p = (picture){.about = s, .along = along, .keys = of->keys, .log_x = of->log_x};
    p->file = malloc(NAME_ROOM);
    if (!p->file) return refuse_memory(err, of->key);
    const char *kind = of->only ? "" : of->key + strlen(of->figure);
    (void)snprintf(p->file, NAME_ROOM, "%s%s-%s.svg", s->key, kind, axis_name(along));
    return EM_OK;
}

static em_status lay_out(reproduction *r, figure *f, const sheet *of, em_error *err)
{
    em_status status = EM_OK;
    *f = (figure){.key = of->key, .title = of->title, .caption = of->caption, .ours = of->ours};
    f->pictures = calloc((size_t)r->setup_count * (size_t)of->axis_count + 1, sizeof *f->pictures);
    if (!f->pictures) TRY(refuse_memory(err, of->key));
    for (int s = 0; s < r->setup_count; s++)
        for (int a = 0; a < of->axis_count && shows(of, &r->setups[s]); a++)
            TRY(name_picture(&f->pictures[f->picture_count++], of, &r->setups[s], of->axes[a], err));
done:
    return status;
}

static int is_shown(const reproduction *r, const sheet *of)
{
    for (int s = 0; s < r->setup_count; s++)
        if (shows(of, &r->setups[s])) return 1;
    return 0;
}

em_status figures_lay_out(reproduction *r, em_error *err)
{
    em_status status = EM_OK;
    int count = 0;
    while (paper_sheets[count].key) count++;
    r->figures = calloc((size_t)count + 1, sizeof *r->figures);
    if (!r->figures) TRY(refuse_memory(err, "reproduce"));
    for (const sheet *of = paper_sheets; of->key; of++)
        if (is_shown(r, of)) TRY(lay_out(r, &r->figures[r->figure_count++], of, err));
done:
    return status;
}

void figures_free(reproduction *r)
{
    for (int f = 0; f < r->figure_count; f++) {
        for (int p = 0; p < r->figures[f].picture_count; p++) free(r->figures[f].pictures[p].file);
        free(r->figures[f].pictures);
    }
    free(r->figures);
    r->figures = NULL;
    r->figure_count = 0;
}
