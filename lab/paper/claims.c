/* The claims of section V, each judged by the curves: claims.txt has them, and says how it is written. */
#include "base/error.h"
#include "base/text.h"
#include "lab/paper/paper.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be measured of a curve ----------------------------------------------------------------------- */

static const curve *find_curve(const setup *s, const char *key)
{
    int best = strncmp(key, "best:", 5) == 0;
    const curve *found = NULL;
    double fewest = INFINITY;
    for (int c = 0; c < s->curve_count; c++) {
        const curve *one = &s->curves[c];
        if (fnmatch(key + (best ? 5 : 0), one->key, 0) != 0) continue;
        if (!best) return one;
        double units = curve_reaches(one, 0.01, AXIS_UNITS);
        if (units < fewest) fewest = units, found = one;
    }
    return found;
}

typedef enum measure { END, LAST, SENT, NOTED, UNITS, ITERATIONS, AT, MEASURES } measure;

static const struct {
    const char *name, *format; /* NULL: "683", or "never" for what was not reached */
} measures[] = {[END] = {"end(", "%.2g"},     [LAST] = {"last(", "%.2g"}, [SENT] = {"sent(", "%.3g"},
                [NOTED] = {"noted(", "%.0f"}, [UNITS] = {"units(", NULL}, [ITERATIONS] = {"iterations(", "%.0f"},
                [AT] = {"at(", "%.2g"}};

static double measured(measure m, const curve *c, double argument)
{
    const lab_curve_row *last = c && c->count ? &c->rows[c->count - 1] : NULL;
    double error = NAN;
    switch (m) {
    case END: return curve_end(c);
    case LAST: return last ? last->error : NAN;
    case SENT: return last ? last->units : NAN;
    case NOTED: return c && c->note;
    case UNITS: return curve_reaches(c, argument, AXIS_UNITS);
    case ITERATIONS: return curve_reaches(c, argument, AXIS_ITERATIONS);
    default:
        for (size_t t = 0; last && t < c->count && c->rows[t].units <= argument; t++) error = c->rows[t].error;
        return error;
    }
}

/* ---- expressions: numbers, measures, max(A, B), *, comparisons, and, or ------------------------------------------- */

typedef struct reader {
    const char *at;
    const setup *s;
} reader;

static int skip(reader *r, const char *word)
{
    size_t length = strlen(word);
    r->at += strspn(r->at, " ");
    if (strncmp(r->at, word, length) != 0) return 0;
    r->at += length;
    return 1;
}

static const curve *read_curve(reader *r)
{
    char key[64];
    size_t length = strcspn(r->at, ",)");
    (void)snprintf(key, sizeof key, "%.*s", (int)length, r->at);
    r->at += length;
    return find_curve(r->s, key);
}

static double read_product(reader *r);

/* What this language does not have is NaN. */
static double read_value(reader *r)
{
    double value = NAN;
    if (skip(r, "max(")) {
        value = read_product(r);
        if (skip(r, ",")) value = fmax(value, read_product(r));
        (void)skip(r, ")");
        return value;
    }
    for (int m = 0; m < MEASURES; m++) {
        if (!skip(r, measures[m].name)) continue;
        const curve *c = read_curve(r);
        value = measured((measure)m, c, skip(r, ",") ? read_product(r) : 0);
        (void)skip(r, ")");
        return value;
    }
    char *end;
    double number = emi_text_strtod(r->at, &end);
    if (end != r->at) value = number;
    r->at = end;
    return value;
}

static double read_product(reader *r)
{
    double value = read_value(r);
    while (skip(r, "*")) value *= read_value(r);
    return value;
}

static int read_comparison(reader *r)
{
    double left = read_product(r);
    if (skip(r, "<=")) return left <= read_product(r);
    if (skip(r, ">=")) return left >= read_product(r);
    if (skip(r, "<")) return left < read_product(r);
    if (skip(r, ">")) return left > read_product(r);
    return left != 0 && !isnan(left);
}

static int read_both(reader *r)
{
    int holds = read_comparison(r);
    while (skip(r, "and ")) holds &= read_comparison(r);
    return holds;
}

static int is_true(const char *expression, const setup *s)
{
    reader r = {expression, s};
    int holds = read_both(&r);
    while (skip(&r, "or ")) holds |= read_both(&r);
    return holds;
}

/* ---- what is said of it ------------------------------------------------------------------------------------------------ */

/* {label(C)}, {note(C)}, or a number as its measure is written. */
static void put_measured(FILE *out, reader *r)
{
    const char *format = "%.2g";
    int is_label = skip(r, "label(");
    if (is_label || skip(r, "note(")) {
        const curve *c = read_curve(r);
        const char *note = c && c->note ? c->note : "ends without breaking off";
        (void)fputs(is_label ? c ? c->label : "" : note, out);
        (void)skip(r, ")");
        return;
    }
    for (int m = 0; m < MEASURES; m++)
        if (strncmp(r->at, measures[m].name, strlen(measures[m].name)) == 0) format = measures[m].format;
    double value = read_product(r);
    if (format)
        (void)fprintf(out, format, value);
    else if (isinf(value))
        (void)fputs("never", out);
    else
        (void)fprintf(out, "%.*f", value < 10 ? 1 : 0, value);
}

static void say(char *out, size_t room, const char *text, const setup *s)
{
    FILE *to = fmemopen(out, room, "w");
    reader r = {text, s};
    if (!to) return;
    while (*r.at) {
        size_t plain = strcspn(r.at, "{");
        (void)fwrite(r.at, 1, plain, to);
        r.at += plain;
        if (!*r.at) break;
        r.at++;
        put_measured(to, &r);
        r.at += strcspn(r.at, "}");
        if (*r.at) r.at++;
    }
    (void)fclose(to);
    out[room - 1] = 0;
}

/* ---- judging ------------------------------------------------------------------------------------------------------------ */

static int concerns(const record *about, const setup *s)
{
    char pattern[64];
    const char *list = record_text(about, "setups");
    while (next_word(&list, " ", pattern, sizeof pattern))
        if (fnmatch(pattern, s->key, 0) == 0) return 1;
    return 0;
}

static void judge(claim *c, const record *about, const setup *s)
{
    const char *says = "";
    for (int f = 0; f < about->count && c->evidence_count < CLAIM_NUMBERS; f++) {
        const char *name = about->fields[f].name, *value = about->fields[f].value;
        if (strcmp(name, "needs") == 0 && !find_curve(s, value)) return;
        if (strcmp(name, "says") == 0) says = value;
        if (strcmp(name, "holds") != 0) continue;
        evidence *e = &c->evidence[c->evidence_count++];
        *e = (evidence){.where = s->title, .holds = is_true(value, s)};
        say(e->text, sizeof e->text, says, s);
    }
}

static verdict conclude(const claim *c)
{
    int holding = 0;
    for (int i = 0; i < c->evidence_count; i++) holding += c->evidence[i].holds;
    if (!c->evidence_count) return NOT_RUN;
    return holding == c->evidence_count ? HOLDS : holding ? PARTLY : FAILS;
}

em_status claims_judge(reproduction *r, em_error *err)
{
    em_status status = EM_OK;
    TRY(records_open(&r->claims_text, "paper/claims.txt", err));
    r->claims = calloc((size_t)r->claims_text.count + 1, sizeof *r->claims);
    if (!r->claims) TRY(emi_fail_memory(err, "claims"));
    for (int i = 0; i < r->claims_text.count; i++) {
        const record *about = &r->claims_text.list[i];
        claim *c = &r->claims[r->claim_count++];
        const char *remark = record_text(about, "remark");
        *c = (claim){.key = about->key,
                     .figure = record_text(about, "figure"),
                     .sentence = record_text(about, "sentence"),
                     .remark = *remark ? remark : NULL};
        for (int s = 0; s < r->setup_count; s++)
            if (concerns(about, &r->setups[s])) judge(c, about, &r->setups[s]);
        c->verdict = conclude(c);
    }
done:
    return status;
}

void claims_free(reproduction *r)
{
    free(r->claims);
    r->claims = NULL;
    r->claim_count = 0;
    records_free(&r->claims_text);
}
