/* The canonical text: what must be the same at all sites, in one spelling.  Lines of ASCII, each ended by LF, words with one
 * blank between:
 *
 *     eigenmesh study 1
 *     option NAME VALUE     every option of the library that a study may hold, sorted by name (as bytes)
 *     masks yes             or no
 *     site NAME ID          in the file's order; the id in small letters
 *     edge NAME NAME        the earlier site of the file first; sorted by the places of both in the file
 *
 * VALUE is the resolved one, defaults too, so that programs with other defaults notice.  A word is itself; a number of an option
 * of whole numbers (seed, iterations, ...) is decimal, since it may have more digits than a float; all other numbers, also after
 * a word and a colon, are as C's %a has them for normal numbers: 0x1.HHHp+E, the least hexadecimal digits, no leading or
 * trailing zeros, E a signed decimal; 0 is 0x0p+0.  So 1e-6 and 0.000001 are one.
 *
 * Neither the study's name nor addresses are in it: they change nothing of the answer. */
#include "net/study_parts.h"

#include "net/frame.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a text that grows ------------------------------------------------------------------------------------------ */

/* A tree of as many sites as a file may name fits into a frame, whatever their names; and so does what START says of them.
 * Only edges beside a tree can be too many. */
enum {
    NAME = EMI_SITE_NAME - 1,
    SITE_LINE = sizeof "site " + NAME + EMI_ID_TEXT, /* with its blank and its end */
    EDGE_LINE = sizeof "edge " + NAME + 1 + NAME,
    OPTIONS_MOST = 160 * EMI_STUDY_OPTIONS
};
_Static_assert(OPTIONS_MOST + EMI_SITES_MOST * (SITE_LINE + EDGE_LINE) <= EMI_STUDY_MOST, "a tree can be told");
_Static_assert(EMI_START_HEAD + EMI_SITES_MOST * EMI_ENTRY_BYTES <= EMI_START_MOST, "and can be begun");

/* Up to the most that a frame can carry to a neighbour. */
typedef struct canonical {
    char *text; /* [EMI_STUDY_MOST + 1] */
    size_t size;
    int full;
} canonical;

static void put(canonical *c, const char *word, const char *after)
{
    size_t length = strlen(word), more = strlen(after);
    if (c->full || length + more > EMI_STUDY_MOST - c->size) {
        c->full = 1;
        return;
    }
    memcpy(c->text + c->size, word, length);
    memcpy(c->text + c->size + length, after, more);
    c->size += length + more;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

enum { NUMBER = 40, VALUE = 64 };

/* -1 where the text is none.  In C's own locale, so that decimals have a point. */
static int read_number(const char *text, double *value)
{
    char *end;
    if (!strchr("0123456789.-", *text)) return -1; /* strtod would take "inf", and blanks */
    *value = strtod(text, &end);
    return *end || end == text || !isfinite(*value) ? -1 : 0;
}

/* Not by printf, which may write numbers under 2^-1022 in two ways. */
static void hexadecimal(double value, char text[NUMBER])
{
    int exponent, length = 13;
    double fraction = frexp(fabs(value), &exponent);                             /* 0, or from 1/2 on */
    uint64_t digits = (uint64_t)ldexp(fraction, 53) & (((uint64_t)1 << 52) - 1); /* the 52 bits after the first */
    const char *sign = value < 0 ? "-" : "";
    for (; length > 0 && (digits & 15) == 0; length--) digits >>= 4;
    if (value == 0)
        (void)snprintf(text, NUMBER, "0x0p+0");
    else if (length)
        (void)snprintf(text, NUMBER, "%s0x1.%0*llxp%+d", sign, length, (unsigned long long)digits, exponent - 1);
    else
        (void)snprintf(text, NUMBER, "%s0x1p%+d", sign, exponent - 1);
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static void put_option(canonical *c, const em_options *options, const em_option_info *info)
{
    char value[VALUE];
    double real;
    (void)em_options_get(options, info->name, value, sizeof value);
    char *colon = strchr(value, ':'), *digits = colon ? colon + 1 : value;
    put(c, "option", " ");
    put(c, info->name, " ");
    if ((info->kind == EM_OPTION_REAL || colon) && read_number(digits, &real) == 0) {
        char number[NUMBER];
        hexadecimal(real, number);
        *digits = 0; /* what is before it, such as "power:", stays */
        put(c, value, number);
        put(c, "", "\n");
    } else {
        put(c, value, "\n");
    }
}

static int by_name(const void *left, const void *right)
{
    return strcmp((*(const em_option_info *const *)left)->name, (*(const em_option_info *const *)right)->name);
}

/* An option that studies of before did not know is left out where it asks for nothing: so they keep their fingerprints. */
static int goes_without_saying(const em_options *options, const em_option_info *info)
{
    char value[8];
    return strcmp(info->name, "limits") == 0 && em_options_get(options, info->name, value, sizeof value) == 2 &&
           strcmp(value, "no") == 0;
}

static void put_options(canonical *c, const em_options *options)
{
    const em_option_info *sorted[EMI_STUDY_OPTIONS] = {NULL};
    size_t count = 0;
    for (int i = 0; i < EMI_STUDY_OPTIONS && em_option(i); i++)
        if (emi_study_takes(em_option(i)->name) && !goes_without_saying(options, em_option(i)))
            sorted[count++] = em_option(i);
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t n = 0; n < count; n++) put_option(c, options, sorted[n]);
}

static void put_study(canonical *c, const emi_study *study)
{
    char id[EMI_ID_TEXT];
    put(c, "eigenmesh study 1", "\n");
    put_options(c, study->options);
    put(c, study->masks ? "masks yes" : "masks no", "\n");
    if (study->follow) put(c, "follow yes", "\n"); /* studies of before this was known keep their fingerprints */
    for (int n = 0; n < study->site_count; n++) {
        emi_id_write(study->sites[n].id, id);
        put(c, "site", " ");
        put(c, study->sites[n].name, " ");
        put(c, id, "\n");
    }
    for (size_t n = 0; n < study->edge_count; n++) {
        put(c, "edge", " ");
        put(c, study->sites[study->edges[n].a].name, " ");
        put(c, study->sites[study->edges[n].b].name, "\n");
    }
}

/* ---- the digest ------------------------------------------------------------------------------------------------------ */

/* The first 160 bits, as ten groups of four digits. */
static void write_fingerprint(const unsigned char *digest, char text[EMI_FINGERPRINT_TEXT])
{
    enum { BYTES = 20 };
    for (int n = 0; n < BYTES; n++) text += snprintf(text, 4, "%s%02x", n > 0 && n % 2 == 0 ? " " : "", digest[n]);
}

em_status emi_study_seal(emi_study *study, const char *file, em_error *err)
{
    canonical c = {.text = malloc(EMI_STUDY_MOST + 1)};
    locale_t plain = c.text ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    study->canonical = c.text;
    if (!plain) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", file);
    locale_t before = uselocale(plain); /* this thread's alone, and for as long as this takes */
    put_study(&c, study);
    (void)uselocale(before);
    freelocale(plain);
    study->canonical_size = c.size;
    c.text[c.size] = 0;
    if (c.full)
        return em_fail(
            err, EM_EDATA,
            "%s: %d sites with %zu edges are more than can be told to a neighbour (%d bytes); try fewer edges", file,
            study->site_count, study->edge_count, EMI_STUDY_MOST);
    em_status status = emi_sha256(&(emi_piece){c.text, c.size}, 1, study->digest, err);
    if (status == EM_OK) write_fingerprint(study->digest, study->fingerprint);
    return status;
}

/* As it was read or typed: with or without blanks or hyphens, in small or capital letters. */
int emi_study_is(const emi_study *study, const char *fingerprint)
{
    const char *own = study->fingerprint;
    for (;; fingerprint++) {
        char c = *fingerprint >= 'A' && *fingerprint <= 'F' ? (char)(*fingerprint - 'A' + 'a') : *fingerprint;
        if (c == ' ' || c == '-') continue;
        own += *own == ' ';
        if (c != *own) return 0;
        if (!c) return 1;
        own++;
    }
}
