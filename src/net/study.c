#include "net/study.h"

#include "net/dial.h"
#include "net/study_parts.h"

#include <stdlib.h>
#include <string.h>

/* Where an outline's values become a study. */
typedef struct builder {
    const emi_study_lines *lines;
    const emi_study_outline *outline;
    emi_study *study;
    em_error *err;
} builder;

static em_status out_of_memory(const builder *b)
{
    return em_fail(b->err, EM_ENOMEM, "%s: out of memory; try a machine with more", b->lines->file);
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static em_status read_name(const builder *b, int line, const char *text, char name[EMI_SITE_NAME])
{
    size_t length = strlen(text);
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return em_fail(b->err, EM_EDATA, "%s: line %d: '%.40s' is no name; try a-z, 0-9 and -", b->lines->file, line,
                       text);
    if (length >= EMI_SITE_NAME)
        return em_fail(b->err, EM_EDATA, "%s: line %d: a name has up to %d characters; try a shorter one",
                       b->lines->file, line, EMI_SITE_NAME - 1);
    memcpy(name, text, length + 1);
    return EM_OK;
}

/* ---- what is asked --------------------------------------------------------------------------------------------- */

/* Nothing of a study can be done where all rows would have to be in one place. */
static em_status check_method(const builder *b, const emi_study_line *line)
{
    for (int i = 0; em_method(i); i++)
        if (em_method(i)->single_node && strcmp(em_method(i)->name, line->value) == 0)
            return em_fail(b->err, EM_EDATA,
                           "%s: line %d: method %s runs only where all rows are in one place; try krylov",
                           b->lines->file, line->number, line->value);
    return EM_OK;
}

static em_status read_option(const builder *b, const emi_study_line *line)
{
    enum { VALUE_MOST = 60 }; /* so that a message has room for it */
    em_error why = {0};
    if (strlen(line->value) > VALUE_MOST)
        return em_fail(b->err, EM_EDATA, "%s: line %d: the value of '%s' is too long; try a shorter one",
                       b->lines->file, line->number, line->key);
    if (em_options_set(b->study->options, line->key, line->value, &why) != EM_OK)
        return em_fail(b->err, EM_EDATA, "%s: line %d: %s", b->lines->file, line->number, why.msg);
    return strcmp(line->key, "method") == 0 ? check_method(b, line) : EM_OK;
}

static em_status read_options(const builder *b)
{
    char components[2];
    em_status status = em_options_create(&b->study->options, b->err);
    for (int i = 0; status == EM_OK && i < EMI_STUDY_OPTIONS; i++)
        if (b->outline->options[i]) status = read_option(b, b->outline->options[i]);
    if (status == EM_OK && em_options_get(b->study->options, "components", components, sizeof components) == 0)
        status = em_fail(b->err, EM_EDATA, "%s: the section [study] asks for no components; try components = 10",
                         b->lines->file);
    return status;
}

/* Yes or no, of a key that is not of fit's. */
static em_status read_switch(const builder *b, const emi_study_line *line, int preset, int *is, em_error *err)
{
    *is = line ? strcmp(line->value, "yes") == 0 : preset;
    if (!line || *is || strcmp(line->value, "no") == 0) return EM_OK;
    return em_fail(err, EM_EDATA, "%s: line %d: '%s' is yes or no, not '%.40s'; try %s = no", b->lines->file,
                   line->number, line->key, line->value, line->key);
}

static em_status read_question(const builder *b)
{
    const emi_study_outline *o = b->outline;
    if (!o->heading)
        return em_fail(b->err, EM_EDATA, "%s: has no section [study]; try [study], and name and components in it",
                       b->lines->file);
    if (!o->name)
        return em_fail(b->err, EM_EDATA, "%s: line %d: the study has no name; try name = heart", b->lines->file,
                       o->heading->number);
    em_status status = read_name(b, o->name->number, o->name->value, b->study->name);
    if (status == EM_OK) status = read_switch(b, o->masks, 1, &b->study->masks, b->err);
    if (status == EM_OK) status = read_switch(b, o->follow, 0, &b->study->follow, b->err);
    return status == EM_OK ? read_options(b) : status;
}

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

/* HOST:PORT.  The interface of a local IPv6 address is known to one machine alone, and a study is for all.  1: no memory. */
static int read_address(const char *text, emi_site *site)
{
    char host[254]; /* of names, RFC 1035 */
    if (emi_address_read(text, host, sizeof host, &site->port) != 0 || !*host || strchr(host, '%')) return -1;
    site->host = strdup(host);
    return site->host ? 0 : 1;
}

static em_status read_site(const builder *b, int number)
{
    emi_site *site = &b->study->sites[number];
    const emi_site_lines *said = &b->outline->sites[number];
    const char *file = b->lines->file;
    em_status status = read_name(b, said->heading->number, said->heading->name, site->name);
    if (status != EM_OK) return status;
    if (!said->id)
        return em_fail(b->err, EM_EDATA, "%s: line %d: %s has no id; try id = and what its 'eigenmesh key show' prints",
                       file, said->heading->number, site->name);
    if (emi_id_read(said->id->value, site->id) != 0)
        return em_fail(b->err, EM_EDATA,
                       "%s: line %d: '%.70s' is no id, or one with a wrong character; try what 'eigenmesh key show' "
                       "prints at %s",
                       file, said->id->number, said->id->value, site->name);
    int wrong = said->address ? read_address(said->address->value, site) : 0;
    if (wrong > 0) return out_of_memory(b);
    if (wrong)
        return em_fail(b->err, EM_EDATA,
                       "%s: line %d: '%.60s' is no address; try %s.example.org:7473, 192.0.2.7:7473 or "
                       "[2001:db8::7]:7473",
                       file, said->address->number, said->address->value, site->name);
    return EM_OK;
}

/* Its name and its id are those of no site before it. */
static em_status check_alone(const builder *b, int number)
{
    const emi_site *site = &b->study->sites[number];
    const emi_site_lines *said = b->outline->sites;
    for (int n = 0; n < number; n++) {
        const emi_site *other = &b->study->sites[n];
        if (strcmp(site->name, other->name) == 0)
            return em_fail(b->err, EM_EDATA, "%s: line %d: there is a site %s already, in line %d; try another name",
                           b->lines->file, said[number].heading->number, site->name, said[n].heading->number);
        if (memcmp(site->id, other->id, EMI_ID_BYTES) == 0)
            return em_fail(b->err, EM_EDATA,
                           "%s: line %d: the id is that of %s too, in line %d; try a key for each site", b->lines->file,
                           said[number].id->number, other->name, said[n].id->number);
    }
    return EM_OK;
}

static em_status read_sites(const builder *b)
{
    em_status status = EM_OK;
    int count = b->outline->site_count;
    if (count < 2)
        return em_fail(b->err, EM_EDATA,
                       "%s: has %s, and a study is between two or more; try a section [site NAME] each", b->lines->file,
                       count ? "one site" : "no sites");
    b->study->sites = calloc((size_t)count, sizeof *b->study->sites);
    if (!b->study->sites) return out_of_memory(b);
    b->study->site_count = count;
    for (int n = 0; status == EM_OK && n < count; n++) {
        status = read_site(b, n);
        if (status == EM_OK) status = check_alone(b, n);
    }
    return status;
}

/* What masks cannot hide is refused, and nothing falls back to showing more. */
static em_status check_masks(const builder *b)
{
    if (!b->study->masks) return EM_OK;
    if (b->study->follow)
        return em_fail(
            b->err, EM_EDATA,
            "%s: follows rows as they come, and has masks, as a study does that says nothing of them: totals "
            "before and after tell the new rows, whatever hides the totals' parts; try masks = no in [study], "
            "among sites that may see that",
            b->lines->file);
    if (b->study->site_count < 3)
        return em_fail(
            b->err, EM_EDATA,
            "%s: has masks, as a study does that says nothing of them, and two sites, of which each learns the "
            "other's numbers by subtraction; try a third site, or masks = no in [study]",
            b->lines->file);
    if (emi_study_mixes(b->study))
        return em_fail(b->err, EM_EDATA,
                       "%s: has masks, as a study does that says nothing of them, and a method that shows neighbours a "
                       "site's own estimates; try method = krylov, or masks = no in [study]",
                       b->lines->file);
    return EM_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------- */

static em_status build(const builder *b)
{
    em_status status = read_question(b);
    if (status == EM_OK) status = read_sites(b);
    if (status == EM_OK) status = check_masks(b);
    if (status == EM_OK) status = emi_study_join(b->study, b->lines, b->outline, b->err);
    if (status == EM_OK) status = emi_study_check_dialling(b->study, b->lines->file, b->err);
    return status == EM_OK ? emi_study_seal(b->study, b->lines->file, b->err) : status;
}

em_status emi_study_parse(emi_study **out, const char *name, const char *text, size_t size, em_error *err)
{
    emi_study_lines lines;
    emi_study_outline outline = {0};
    emi_study *made = *out = calloc(1, sizeof *made);
    if (!made) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", name);
    em_status status = emi_study_read(&lines, name, text, size, err);
    if (status == EM_OK) status = emi_study_outline_make(&outline, &lines, err);
    if (status == EM_OK) status = build(&(builder){&lines, &outline, made, err});
    emi_study_outline_free(&outline);
    emi_study_lines_free(&lines);
    if (status != EM_OK) emi_study_close(out);
    return status;
}

em_status emi_study_open(emi_study **out, const char *path, em_error *err)
{
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    em_status status = emi_study_load(&text, &size, path, err);
    if (status == EM_OK) status = emi_study_parse(out, path, text, size, err);
    free(text);
    return status;
}

void emi_study_close(emi_study **study)
{
    emi_study *s = *study;
    if (!s) return;
    for (int n = 0; n < s->site_count; n++) free(s->sites[n].host);
    free(s->sites);
    free(s->edges);
    em_options_free(&s->options);
    free(s->canonical);
    free(s);
    *study = NULL;
}

int emi_study_find(const emi_study *study, const unsigned char id[EMI_ID_BYTES])
{
    for (int n = 0; n < study->site_count; n++)
        if (memcmp(study->sites[n].id, id, EMI_ID_BYTES) == 0) return n;
    return -1;
}
