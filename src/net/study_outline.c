#include "net/study_outline.h"

#include "net/study.h"

#include <stdlib.h>
#include <string.h>

/* ---- options that are no matter of a study ------------------------------------------------------------------ */

static const struct {
    const char *name, *why;
} elsewhere[] = {
    {"max-seconds", "would let clocks decide the answer; try iterations, or a node's own patience"},
    {"truth", "would take all rows to one place; try without it"},
    {"trace", "is no part of the answer; try a node's own log"},
    {"device", "is each site's own; try it there, and not in the study"},
    {"checkpoint", "is kept by the root, in its own state folder; try without it"},
    {"checkpoint-every", "is kept by the root, after every step; try without it"},
    {"resume", "happens by itself when a site comes back; try without it"},
};

static const char *why_not(const char *option)
{
    for (size_t n = 0; n < sizeof elsewhere / sizeof *elsewhere; n++)
        if (strcmp(elsewhere[n].name, option) == 0) return elsewhere[n].why;
    return NULL;
}

int emi_study_takes(const char *option)
{
    return !why_not(option);
}

static int option_index(const char *name)
{
    for (int i = 0; i < EMI_STUDY_OPTIONS && em_option(i); i++)
        if (strcmp(em_option(i)->name, name) == 0) return i;
    return -1;
}

/* ---- lines ---------------------------------------------------------------------------------------------------- */

/* The place of what a line says, which must be free. */
static em_status put(const emi_study_line **place, const emi_study_lines *all, const emi_study_line *line,
                     em_error *err)
{
    if (*place && line->key)
        return em_fail(err, EM_EDATA, "%s: line %d: '%.40s' is there already, in line %d; try one of them", all->file,
                       line->number, line->key, (*place)->number);
    if (*place)
        return em_fail(err, EM_EDATA, "%s: line %d: there is a [study] already, in line %d; try one of them", all->file,
                       line->number, (*place)->number);
    *place = line;
    return EM_OK;
}

static em_status put_in_study(emi_study_outline *out, const emi_study_lines *all, const emi_study_line *line,
                              em_error *err)
{
    if (strcmp(line->key, "name") == 0) return put(&out->name, all, line, err);
    if (strcmp(line->key, "masks") == 0) return put(&out->masks, all, line, err);
    if (strcmp(line->key, "follow") == 0) return put(&out->follow, all, line, err);
    int index = option_index(line->key);
    const char *why = why_not(line->key);
    if (index < 0)
        return em_fail(
            err, EM_EDATA,
            "%s: line %d: a study has no '%.40s'; try name, masks, follow, components, or another one of fit's",
            all->file, line->number, line->key);
    if (why) return em_fail(err, EM_EDATA, "%s: line %d: '%s' %s", all->file, line->number, line->key, why);
    return put(&out->options[index], all, line, err);
}

static em_status put_in_site(emi_site_lines *site, const emi_study_lines *all, const emi_study_line *line,
                             em_error *err)
{
    if (strcmp(line->key, "id") == 0) return put(&site->id, all, line, err);
    if (strcmp(line->key, "address") == 0) return put(&site->address, all, line, err);
    if (strcmp(line->key, "neighbours") == 0) return put(&site->neighbours, all, line, err);
    return em_fail(err, EM_EDATA, "%s: line %d: a site has no '%.40s'; try id, address or neighbours", all->file,
                   line->number, line->key);
}

static em_status begin_section(emi_study_outline *out, const emi_study_lines *all, const emi_study_line *line,
                               em_error *err)
{
    if (strcmp(line->word, "study") == 0 && !line->name) return put(&out->heading, all, line, err);
    if (strcmp(line->word, "site") != 0 || !line->name)
        return em_fail(err, EM_EDATA, "%s: line %d: there is no section [%.40s%s%.40s]; try [study] or [site NAME]",
                       all->file, line->number, line->word, line->name ? " " : "", line->name ? line->name : "");
    if (out->site_count == EMI_SITES_MOST)
        return em_fail(err, EM_EDATA, "%s: line %d: there are more than %d sites; try fewer", all->file, line->number,
                       EMI_SITES_MOST);
    out->sites[out->site_count++] = (emi_site_lines){.heading = line};
    return EM_OK;
}

em_status emi_study_outline_make(emi_study_outline *out, const emi_study_lines *lines, em_error *err)
{
    em_status status = EM_OK;
    const emi_study_line *section = NULL;
    *out = (emi_study_outline){.sites = calloc(EMI_SITES_MOST, sizeof *out->sites)};
    if (!out->sites) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", lines->file);
    for (size_t n = 0; status == EM_OK && n < lines->count; n++) {
        const emi_study_line *line = &lines->lines[n];
        if (line->word) {
            section = line;
            status = begin_section(out, lines, line, err);
        } else if (!section) {
            status = em_fail(err, EM_EDATA, "%s: line %d: stands before any section; try [study] above it", lines->file,
                             line->number);
        } else if (section == out->heading) {
            status = put_in_study(out, lines, line, err);
        } else {
            status = put_in_site(&out->sites[out->site_count - 1], lines, line, err);
        }
    }
    return status;
}

void emi_study_outline_free(emi_study_outline *outline)
{
    free(outline->sites);
    *outline = (emi_study_outline){0};
}
