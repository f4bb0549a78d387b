/* What the pages of lab/pages are filled in with. */
#include "base/error.h"
#include "lab/paper/paper.h"
#include "lab/template.h"

#include <ctype.h>
#include <math.h>

/* A verdict is told by a sign and in words; its colour adds nothing that these do not say. */
static const struct {
    const char *text, *sign, *style;
} verdicts[] = {
    [HOLDS] = {"holds", "✓", "holds"},
    [FAILS] = {"does not hold", "✗", "fails"},
    [PARTLY] = {"holds in part", "◐", "partly"},
    [NOT_RUN] = {"not run", "–", "soft"},
};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

const char *verdict_text(verdict v)
{
    return verdicts[v].text;
}

static void fill_verdict(fill *with, verdict v)
{
    fill_texts(with, {"verdict", verdicts[v].text}, {"sign", verdicts[v].sign}, {"style", verdicts[v].style});
}

/* ---- claims --------------------------------------------------------------------------------------------------- */

static void fill_claim(fill *with, const claim *c)
{
    fill_texts(with, {"key", c->key}, {"figure", c->figure}, {"sentence", c->sentence}, {"remark", c->remark});
    fill_verdict(with, c->verdict);
    for (int i = 0; i < c->evidence_count; i++) {
        fill *item = fill_add(with, "evidence");
        fill_texts(item, {"where", c->evidence[i].where}, {"measured", c->evidence[i].text});
        fill_flag(item, "holds", c->evidence[i].holds);
        fill_verdict(item, c->evidence[i].holds ? HOLDS : FAILS);
    }
}

static void fill_claims(fill *with, const reproduction *r)
{
    int counts[VERDICTS] = {0};
    for (int i = 0; i < r->claim_count; i++) {
        fill_claim(fill_add(with, "claims"), &r->claims[i]);
        counts[r->claims[i].verdict]++;
    }
    for (int v = 0; v < VERDICTS; v++) {
        if (!counts[v]) continue;
        fill *item = fill_add(with, "counts");
        fill_verdict(item, (verdict)v);
        fill_numbers(item, {"count", counts[v]});
    }
}

/* ---- figures -------------------------------------------------------------------------------------------------- */

/* Without digits that mean nothing; a dash for what there is not. */
static void fill_amount(fill *with, const char *name, double value)
{
    fill_text(with, name, !isfinite(value) ? "-" : value < 100 ? "%.3g" : "%.0f", value);
}

static void fill_curve(fill *with, const picture *p, const curve *c)
{
    double end = curve_end(c), unit = paper_axes[p->along].unit;
    fill_texts(with, {"label", c->label}, {"note", c->note ? c->note : curve_ran(c) ? "" : "did not run"});
    fill_text(with, "table", "%s-%s.csv", p->about->key, c->key);
    fill_flag(with, "ran", curve_ran(c));
    fill_numbers(with, {"runs", c->runs});
    fill_text(with, "end", isfinite(end) ? "%.2g" : "-", end);
    fill_amount(with, "first_goal", curve_reaches(c, 1e-2, p->along) / unit);
    fill_amount(with, "second_goal", curve_reaches(c, 1e-3, p->along) / unit);
    /* In words for those who cannot see it. */
    if (isfinite(end))
        fill_text(with, "words", "%s ends at %.2g", c->label, end);
    else if (c->note)
        fill_text(with, "words", "%s: %s", c->label, c->note);
    else
        fill_text(with, "words", "%s %s", c->label, curve_ran(c) ? "has no final error" : "did not run");
}

static void fill_picture(fill *with, const picture *p, const char *svg)
{
    fill_texts(with, {"svg", svg}, {"file", p->file}, {"setup", p->about->title}, {"axis", paper_axes[p->along].words},
               {"noun", paper_axes[p->along].noun});
    for (int i = 0; i < p->about->curve_count; i++)
        if (picture_shows(p, &p->about->curves[i])) fill_curve(fill_add(with, "curves"), p, &p->about->curves[i]);
}

static void fill_figures(fill *with, const reproduction *r, const char *const *pictures)
{
    for (int i = 0; i < r->figure_count; i++) {
        const figure *f = &r->figures[i];
        fill *item = fill_add(with, "figures");
        fill_texts(item, {"key", f->key}, {"title", f->title}, {"caption", f->caption},
                   {"origin", f->ours ? "Not in the paper." : "The paper's."});
        /* Each set-up against two axes: its two pictures stand side by side. */
        fill_flag(item, "pairs", f->picture_count > 1 && f->pictures[0].about == f->pictures[1].about);
        for (int p = 0; p < f->picture_count; p++)
            fill_picture(fill_add(item, "pictures"), &f->pictures[p], *pictures++);
    }
}

/* Between backquotes, in which nothing else means anything. */
static void fill_command(fill *with, const char *command)
{
    for (; *command; command++)
        fill_more(with, "quoted_command", "%c", *command == '`' || iscntrl((unsigned char)*command) ? ' ' : *command);
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

em_status page_write(FILE *out, const char *page, const reproduction *r, const char *const *pictures, em_error *err)
{
    char file[64];
    fill *with = fill_new();
    fill_command(with, r->command);
    fill_texts(with, {"command", r->command}, {"version", em_version()}, {"plural", r->trials == 1 ? "" : "s"});
    fill_numbers(with, {"trials", r->trials});
    fill_text(with, "seed", "%llu", (unsigned long long)r->seed);
    fill_flag(with, "quick", r->quick);
    fill_claims(with, r);
    if (pictures) fill_figures(with, r, pictures);
    for (int i = 0; i < r->setup_count; i++) {
        const setup *s = &r->setups[i];
        fill_texts(fill_add(with, "setups"), {"key", s->key}, {"title", s->title}, {"about", s->about});
    }
    (void)snprintf(file, sizeof file, "pages/%s", page);
    em_status status = template_put(out, file, with, err);
    fill_free(&with);
    return status;
}
