/* index.html: one page with all of it, which needs nothing beside it but the tables that it links to. */
#include "html.h"
#include "page_figure.h"
#include "paper.h"

/* A verdict is told by a sign and in words; its colour adds nothing that these do not say. */
static const struct {
    const char *sign, *style;
} looks[] = {
    [HOLDS] = {"✓", "holds"},
    [FAILS] = {"✗", "fails"},
    [PARTLY] = {"◐", "partly"},
    [NOT_RUN] = {"–", "soft"},
};

enum { VERDICTS = sizeof looks / sizeof *looks };

static void put_verdict(FILE *out, verdict v)
{
    html_put(out, "<span class=\"verdict %s\">%s %s</span>", looks[v].style, looks[v].sign, verdict_text(v));
}

static void put_head(FILE *out)
{
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>Distributed PCA: the paper's experiments, run again</title>\n"
                  "<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n<body>\n",
                  page_style);
}

static void put_origin(FILE *out, const reproduction *r)
{
    (void)fputs("<header>\n<h1>Distributed PCA: the paper's experiments, run again</h1>\n"
                "<p>Section V of A. Gang and W. U. Bajwa, <cite>A linearly convergent algorithm for distributed "
                "principal component analysis</cite>, Signal Processing 193, 2022: each of its figures as measured "
                "here, each of its claims with the numbers that bear it out or do not, and beside the figures what the "
                "paper does not have. Curves are means over the runs, with a band from the least error to the largest."
                "</p>\n",
                out);
    html_put(out, "<dl class=\"facts\">\n<dt>Command</dt><dd><code>%s</code></dd>\n", r->command);
    (void)fprintf(out, "<dt>Trials</dt><dd>%d%s</dd>\n<dt>Seed</dt><dd>%llu</dd>\n", r->trials,
                  r->quick ? ", quick: fewer iterations than the paper's, too few for some claims" : "",
                  (unsigned long long)r->seed);
    html_put(out, "<dt>Version</dt><dd>eigenmesh %s</dd>\n</dl>\n</header>\n", em_version());
}

/* ---- claims ---------------------------------------------------------------------------------------------- */

static void put_count(FILE *out, const reproduction *r)
{
    int counts[VERDICTS] = {0};
    const char *between = "<p>";
    for (int i = 0; i < r->claim_count; i++) counts[r->claims[i].verdict]++;
    for (int v = 0; v < VERDICTS; v++) {
        if (!counts[v]) continue;
        (void)fputs(between, out);
        put_verdict(out, (verdict)v);
        (void)fprintf(out, ": %d", counts[v]);
        between = ", ";
    }
    (void)fputs(r->claim_count ? "</p>\n" : "<p>No claim was judged.</p>\n", out);
}

static void put_summary(FILE *out, const reproduction *r)
{
    (void)fputs("<section id=\"summary\">\n<h2>Claims</h2>\n", out);
    put_count(out, r);
    if (r->claim_count)
        (void)fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">claim</th><th scope=\"col\">figure</th>"
                    "<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
                    out);
    for (int i = 0; i < r->claim_count; i++) {
        const claim *c = &r->claims[i];
        html_put(out, "<tr><td><a href=\"#claim-%s\">%s</a></td><td>%s</td><td>", c->key, c->sentence, c->figure);
        put_verdict(out, c->verdict);
        (void)fputs("</td></tr>\n", out);
    }
    (void)fputs(r->claim_count ? "</tbody>\n</table></div>\n</section>\n" : "</section>\n", out);
}

static void put_evidence(FILE *out, const claim *c)
{
    (void)fputs("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">where</th><th scope=\"col\">measured</th>"
                "<th scope=\"col\">there it</th></tr></thead>\n<tbody>\n",
                out);
    for (int i = 0; i < c->evidence_count; i++) {
        html_put(out, "<tr><td>%s</td><td>%s</td><td>", c->evidence[i].where, c->evidence[i].text);
        put_verdict(out, c->evidence[i].holds ? HOLDS : FAILS);
        (void)fputs("</td></tr>\n", out);
    }
    (void)fputs("</tbody>\n</table></div>\n", out);
}

static void put_claims(FILE *out, const reproduction *r)
{
    if (!r->claim_count) return;
    (void)fputs("<section id=\"evidence\">\n<h2>The claims in full</h2>\n", out);
    for (int i = 0; i < r->claim_count; i++) {
        const claim *c = &r->claims[i];
        html_put(out, "<article class=\"claim\" id=\"claim-%s\">\n<h3>%s</h3>\n<p>%s: ", c->key, c->sentence,
                 c->figure);
        put_verdict(out, c->verdict);
        (void)fputs(".", out);
        if (c->remark) html_put(out, " %s", c->remark);
        (void)fputs("</p>\n", out);
        if (c->evidence_count) put_evidence(out, c);
        (void)fputs("</article>\n", out);
    }
    (void)fputs("</section>\n", out);
}

/* ---- figures and set-ups ---------------------------------------------------------------------------------- */

static void put_figures(FILE *out, const reproduction *r, const char *const *pictures)
{
    (void)fputs("<section id=\"figures\">\n<h2>Figures</h2>\n", out);
    if (!r->figure_count) (void)fputs("<p>No figure was run.</p>\n", out);
    if (r->figure_count)
        (void)fputs("<p>The final error is the mean of the last tenth of a curve. Errors below 1e-18 are drawn there. "
                    "The name of a curve leads to its table, as CSV.</p>\n<nav><ul>\n",
                    out);
    for (int i = 0; i < r->figure_count; i++)
        html_put(out, "<li><a href=\"#figure-%s\">%s</a></li>\n", r->figures[i].key, r->figures[i].title);
    if (r->figure_count) (void)fputs("</ul></nav>\n", out);
    for (int i = 0; i < r->figure_count; i++) {
        page_figure(out, &r->figures[i], pictures);
        pictures += r->figures[i].picture_count;
    }
    (void)fputs("</section>\n", out);
}

static void put_setups(FILE *out, const reproduction *r)
{
    if (!r->setup_count) return;
    (void)fputs("<section id=\"setups\">\n<h2>Set-ups</h2>\n<div class=\"wide\"><table>\n"
                "<thead><tr><th scope=\"col\">set-up</th><th scope=\"col\">network and data</th>"
                "<th scope=\"col\">what was run</th></tr></thead>\n<tbody>\n",
                out);
    for (int i = 0; i < r->setup_count; i++) {
        const setup *s = &r->setups[i];
        html_put(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td></tr>\n", s->key, s->title, s->about);
    }
    (void)fputs("</tbody>\n</table></div>\n</section>\n", out);
}

void page_index(FILE *out, const reproduction *r, const char *const *pictures)
{
    put_head(out);
    put_origin(out, r);
    (void)fputs("<main>\n", out);
    put_summary(out, r);
    put_figures(out, r, pictures);
    put_claims(out, r);
    put_setups(out, r);
    (void)fputs("</main>\n</body>\n</html>\n", out);
}
