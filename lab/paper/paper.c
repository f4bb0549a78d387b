/* Which set-ups figures.txt has for what is asked, which pictures they make, and under which names. */
#include "lab/paper/paper.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

const char *const paper_pages[PAPER_PAGES] = {"claims.md", "claims.json", "index.html"};

const axis_names paper_axes[AXES] = {
    [AXIS_ITERATIONS] = {"iterations", "Iterations", "iterations", "iterations", 1},
    [AXIS_UNITS] = {"units", "Communications cost (units: d x K matrices to each neighbour)", "communications cost",
                    "units", 1},
    [AXIS_BYTES] = {"bytes", "Bytes sent", "bytes sent", "MB", 1e6},
};

static int is_kind(const record *of, const char *kind)
{
    return strcmp(of->kind, kind) == 0;
}

/* ---- set-ups ------------------------------------------------------------------------------------------------ */

static int is_figure(const records *plans, const char *name)
{
    int found = strcmp(name, "all") == 0;
    for (int i = 0; i < plans->count; i++)
        found |= is_kind(&plans->list[i], "setup") && strcmp(record_text(&plans->list[i], "figure"), name) == 0;
    return found;
}

/* KEY = PLACE; METHOD OPTIONS; LABEL: the key and the label of each. */
static em_status list_curves(setup *s, const records *plans, em_error *err)
{
    const record *curves = records_find(plans, "curves", record_text(s->plan, "curves"));
    if (!curves) return emi_fail(err, EM_EDATA, "%s: figures.txt has no curves for it; try adding them", s->key);
    s->curves = calloc((size_t)curves->count + 1, sizeof *s->curves);
    if (!s->curves) return emi_fail_memory(err, s->key);
    s->curve_count = curves->count;
    for (int c = 0; c < curves->count; c++) {
        char *label = strrchr(curves->fields[c].value, ';');
        if (!label)
            return emi_fail(err, EM_EDATA, "%s: no PLACE; METHOD; LABEL; try mending it", curves->fields[c].name);
        s->curves[c] = (curve){.key = curves->fields[c].name, .label = label + 1 + strspn(label + 1, " ")};
    }
    return EM_OK;
}

static em_status list_setups(reproduction *r, const char *const *figures, int count, em_error *err)
{
    em_status status = EM_OK;
    for (int f = 0; f < count; f++)
        if (!is_figure(&r->plans, figures[f]))
            return emi_fail(err, EM_EINVAL, "%s: is no figure; try fig1a, fig1b, fig2, fig3, fig4, fig5 or all",
                            figures[f]);
    r->setups = calloc((size_t)r->plans.count + 1, sizeof *r->setups);
    if (!r->setups) TRY(emi_fail_memory(err, "reproduce"));
    for (int i = 0; i < r->plans.count; i++) {
        const record *plan = &r->plans.list[i];
        int wanted = 0;
        for (int f = 0; f < count && is_kind(plan, "setup"); f++)
            wanted |= strcmp(figures[f], "all") == 0 || strcmp(figures[f], record_text(plan, "figure")) == 0;
        if (!wanted) continue;
        setup *s = &r->setups[r->setup_count++];
        *s = (setup){.plan = plan, .key = plan->key, .title = record_text(plan, "title")};
        TRY(list_curves(s, &r->plans, err));
    }
done:
    return status;
}

/* ---- figures -------------------------------------------------------------------------------------------------- */

/* "fig3-er-0.8-units.svg", or "fig3-er-0.8-sent-units.svg" of those with the suffix -sent. */
static void add_picture(figure *f, const record *of, const setup *s, axis along)
{
    picture *p = &f->pictures[f->picture_count++];
    *p =
        (picture){.about = s, .along = along, .keys = record_text(of, "curves"), .log_x = *record_text(of, "log") != 0};
    (void)snprintf(p->file, sizeof p->file, "%s%s-%s.svg", s->key, record_text(of, "suffix"), paper_axes[along].key);
}

static em_status lay_out(reproduction *r, const record *of, em_error *err)
{
    figure *f = &r->figures[r->figure_count];
    *f = (figure){.key = of->key,
                  .title = record_text(of, "title"),
                  .caption = record_text(of, "caption"),
                  .ours = *record_text(of, "ours") != 0,
                  .pictures = calloc((size_t)r->setup_count * AXES + 1, sizeof *f->pictures)};
    if (!f->pictures) return emi_fail_memory(err, of->key);
    for (int s = 0; s < r->setup_count; s++)
        for (int a = 0; a < AXES && words_match(record_text(of, "setups"), r->setups[s].key); a++)
            if (words_match(record_text(of, "axes"), paper_axes[a].key)) add_picture(f, of, &r->setups[s], (axis)a);
    if (f->picture_count)
        r->figure_count++;
    else
        free(f->pictures);
    return EM_OK;
}

em_status paper_open(reproduction *r, const char *const *figures, int count, em_error *err)
{
    em_status status = EM_OK;
    TRY(records_open(&r->plans, "paper/figures.txt", err));
    TRY(list_setups(r, figures, count, err));
    r->figures = calloc((size_t)r->plans.count + 1, sizeof *r->figures);
    if (!r->figures) TRY(emi_fail_memory(err, "reproduce"));
    for (int i = 0; i < r->plans.count; i++)
        if (is_kind(&r->plans.list[i], "picture")) TRY(lay_out(r, &r->plans.list[i], err));
done:
    return status;
}

void paper_close(reproduction *r)
{
    for (int f = 0; f < r->figure_count; f++) free(r->figures[f].pictures);
    free(r->figures);
    for (int s = 0; s < r->setup_count; s++) {
        for (int c = 0; c < r->setups[s].curve_count; c++) free(r->setups[s].curves[c].note);
        free(r->setups[s].curves);
        lab_results_free(&r->setups[s].results);
    }
    free(r->setups);
    claims_free(r);
    records_free(&r->plans);
}

const char *paper_file(const reproduction *r, int index, char name[PAPER_NAME])
{
    for (int s = 0; s < r->setup_count; index -= r->setups[s++].curve_count)
        if (index < r->setups[s].curve_count) {
            (void)snprintf(name, PAPER_NAME, "%s-%s.csv", r->setups[s].key, r->setups[s].curves[index].key);
            return name;
        }
    for (int f = 0; f < r->figure_count; index -= r->figures[f++].picture_count)
        if (index < r->figures[f].picture_count) return r->figures[f].pictures[index].file;
    return index < PAPER_PAGES ? paper_pages[index] : NULL;
}
