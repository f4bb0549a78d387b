/* The claims, for people who read Markdown and for programs. */
#include "json.h"
#include "paper.h"

#include <ctype.h>
#include <string.h>

const char *verdict_text(verdict v)
{
    switch (v) {
    case HOLDS: return "holds";
    case FAILS: return "does not hold";
    case PARTLY: return "holds in part";
    case NOT_RUN: return "not run";
    }
    return "unknown";
}

/* A text stays on its line, and nothing in it is taken for Markdown. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_<[|~", *text)) (void)fputc('\\', out);
        (void)fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    }
}

static void put_table(FILE *out, const reproduction *r)
{
    (void)fputs("| Figure | Claim | Verdict |\n|---|---|---|\n", out);
    for (int i = 0; i < r->claim_count; i++) {
        const claim *c = &r->claims[i];
        (void)fputs("| ", out);
        put_text(out, c->figure);
        (void)fputs(" | ", out);
        put_text(out, c->sentence);
        (void)fprintf(out, " | %s |\n", verdict_text(c->verdict));
    }
}

static void put_claim(FILE *out, const claim *c)
{
    (void)fputs("\n## ", out);
    put_text(out, c->key);
    (void)fputs("\n\n", out);
    put_text(out, c->figure);
    (void)fputs(": ", out);
    put_text(out, c->sentence);
    (void)fprintf(out, "\n\nVerdict: **%s**.\n", verdict_text(c->verdict));
    if (c->remark) {
        (void)fputc('\n', out);
        put_text(out, c->remark);
        (void)fputc('\n', out);
    }
    if (c->evidence_count) (void)fputc('\n', out);
    for (int i = 0; i < c->evidence_count; i++) {
        (void)fprintf(out, "- %s, ", verdict_text(c->evidence[i].holds ? HOLDS : FAILS));
        put_text(out, c->evidence[i].where);
        (void)fputs(": ", out);
        put_text(out, c->evidence[i].text);
        (void)fputc('\n', out);
    }
}

void page_claims_markdown(FILE *out, const reproduction *r)
{
    (void)fputs("# What the paper claims, and what was measured\n\nMade by `", out);
    for (const char *c = r->command; *c; c++) (void)fputc(*c == '`' || iscntrl((unsigned char)*c) ? ' ' : *c, out);
    (void)fprintf(out, "` with eigenmesh %s: %d trial%s%s, seed %llu.\n\n", em_version(), r->trials,
                  r->trials == 1 ? "" : "s", r->quick ? " of fewer iterations (quick)" : "",
                  (unsigned long long)r->seed);
    if (!r->claim_count) (void)fputs("No claim was judged.\n", out);
    if (r->claim_count) put_table(out, r);
    for (int i = 0; i < r->claim_count; i++) put_claim(out, &r->claims[i]);
}

static void put_evidence(json *j, const claim *c)
{
    json_open(j, "evidence", '[');
    for (int i = 0; i < c->evidence_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "where", c->evidence[i].where);
        json_text(j, "measured", c->evidence[i].text);
        json_flag(j, "holds", c->evidence[i].holds);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void page_claims_json(FILE *out, const reproduction *r)
{
    json j;
    json_begin(&j, out);
    json_open(&j, NULL, '[');
    for (int i = 0; i < r->claim_count; i++) {
        const claim *c = &r->claims[i];
        json_open(&j, NULL, '{');
        json_text(&j, "key", c->key);
        json_text(&j, "figure", c->figure);
        json_text(&j, "claim", c->sentence);
        json_text(&j, "verdict", verdict_text(c->verdict));
        json_text(&j, "remark", c->remark);
        put_evidence(&j, c);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_end(&j);
}
