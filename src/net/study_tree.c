/* Who is whose neighbour: the edges that a study file names, the tree in them, and who dials along them. */
#include "net/study_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* joined[a * sites + b]: one of the two has named the other. */
typedef struct joiner {
    emi_study *study;
    const emi_study_lines *lines;
    unsigned char *joined;
    em_error *err;
} joiner;

static int site_called(const emi_study *study, const char *name, size_t length)
{
    for (int n = 0; n < study->site_count; n++)
        if (strncmp(study->sites[n].name, name, length) == 0 && !study->sites[n].name[length]) return n;
    return -1;
}

/* One of a site's neighbours.  named[]: those before it. */
static em_status join_one(const joiner *j, int site, int line, const char *name, size_t length, unsigned char *named)
{
    size_t count = (size_t)j->study->site_count;
    int other = length < EMI_SITE_NAME ? site_called(j->study, name, length) : -1,
        shown = length > 40 ? 40 : (int)length;
    if (length == 0)
        return em_fail(j->err, EM_EDATA,
                       "%s: line %d: a neighbour is missing at a comma; try names with commas between", j->lines->file,
                       line);
    if (other < 0)
        return em_fail(j->err, EM_EDATA, "%s: line %d: there is no site '%.*s'; try the name of a section [site NAME]",
                       j->lines->file, line, shown, name);
    if (other == site)
        return em_fail(j->err, EM_EDATA, "%s: line %d: %.*s would be its own neighbour; try another one",
                       j->lines->file, line, shown, name);
    if (named[other])
        return em_fail(j->err, EM_EDATA, "%s: line %d: %.*s is named twice; try it once", j->lines->file, line, shown,
                       name);
    named[other] = 1;
    j->joined[(size_t)site * count + (size_t)other] = j->joined[(size_t)other * count + (size_t)site] = 1;
    return EM_OK;
}

/* "paris, oslo" */
static em_status join_all(const joiner *j, int site, const emi_study_line *line)
{
    unsigned char named[EMI_SITES_MOST] = {0};
    for (const char *at = line->value;;) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), name = length;
        while (name > 0 && at[name - 1] == ' ') name--;
        em_status status = join_one(j, site, line->number, at, name, named);
        if (status != EM_OK || !at[length]) return status;
        at += length + 1;
    }
}

/* Sorted, since the table is looked through in order. */
static em_status list_edges(const joiner *j)
{
    emi_study *study = j->study;
    size_t sites = (size_t)study->site_count, count = 0;
    for (size_t n = 0; n < sites * sites; n++) count += j->joined[n];
    study->edges = calloc(count / 2 + 1, sizeof *study->edges);
    if (!study->edges) return em_fail(j->err, EM_ENOMEM, "%s: out of memory; try a machine with more", j->lines->file);
    for (size_t a = 0; a < sites; a++)
        for (size_t b = a + 1; b < sites; b++)
            if (j->joined[a * sites + b]) study->edges[study->edge_count++] = (emi_edge){(int)a, (int)b};
    return EM_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Breadth-first from site 0, neighbours by number; whoever is not reached keeps depth -1. */
static int grow_tree(const joiner *j)
{
    emi_study *study = j->study;
    int reached[EMI_SITES_MOST] = {0}, count = 1;
    for (int n = 0; n < study->site_count; n++) study->sites[n].parent = study->sites[n].depth = -1;
    study->sites[0].depth = 0;
    for (int next = 0; next < count; next++) {
        const unsigned char *row = &j->joined[(size_t)reached[next] * (size_t)study->site_count];
        for (int n = 0; n < study->site_count; n++) {
            if (!row[n] || study->sites[n].depth >= 0) continue;
            study->sites[n].parent = reached[next];
            study->sites[n].depth = study->sites[reached[next]].depth + 1;
            reached[count++] = n;
        }
    }
    return count;
}

static em_status not_connected(const joiner *j)
{
    enum { SHOWN = 8 };
    char names[SHOWN * (EMI_SITE_NAME + 1) + 32] = "";
    size_t used = 0;
    int missing = 0;
    for (int n = 0; n < j->study->site_count; n++) {
        if (j->study->sites[n].depth >= 0) continue;
        if (missing++ < SHOWN)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", missing > 1 ? ", " : "",
                                     j->study->sites[n].name);
    }
    if (missing > SHOWN) (void)snprintf(names + used, sizeof names - used, " and %d more", missing - SHOWN);
    return em_fail(j->err, EM_EDATA, "%s: %s cannot be reached from %s; try neighbours that join them", j->lines->file,
                   names, j->study->sites[0].name);
}

em_status emi_study_join(emi_study *study, const emi_study_lines *lines, const emi_study_outline *outline,
                         em_error *err)
{
    size_t sites = (size_t)study->site_count;
    joiner j = {study, lines, calloc(sites * sites, 1), err};
    em_status status = EM_OK;
    if (!j.joined) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", lines->file);
    for (int n = 0; status == EM_OK && n < study->site_count; n++)
        if (outline->sites[n].neighbours) status = join_all(&j, n, outline->sites[n].neighbours);
    if (status == EM_OK && grow_tree(&j) < study->site_count) status = not_connected(&j);
    if (status == EM_OK) status = list_edges(&j);
    free(j.joined);
    return status;
}

/* ---- what is used, and who dials ------------------------------------------------------------------------------------ */

int emi_study_mixes(const emi_study *study)
{
    static const char *const on_the_tree[] = {"auto", "krylov", "covariance"};
    char method[64];
    (void)em_options_get(study->options, "method", method, sizeof method);
    for (size_t n = 0; n < sizeof on_the_tree / sizeof *on_the_tree; n++)
        if (strcmp(method, on_the_tree[n]) == 0) return 0;
    return 1;
}

static int by_ends(const void *left, const void *right)
{
    const emi_edge *l = left, *r = right;
    return l->a != r->a ? (l->a > r->a) - (l->a < r->a) : (l->b > r->b) - (l->b < r->b);
}

int emi_study_uses(const emi_study *study, int a, int b)
{
    if (study->sites[a].parent == b || study->sites[b].parent == a) return 1;
    emi_edge edge = a < b ? (emi_edge){a, b} : (emi_edge){b, a};
    return emi_study_mixes(study) && bsearch(&edge, study->edges, study->edge_count, sizeof edge, by_ends) != NULL;
}

int emi_study_dials(const emi_study *study, int a, int b)
{
    if (!study->sites[a].host != !study->sites[b].host) return study->sites[a].host ? b : a;
    return a > b ? a : b;
}

em_status emi_study_check_dialling(const emi_study *study, const char *file, em_error *err)
{
    for (size_t n = 0; n < study->edge_count; n++) {
        const emi_site *a = &study->sites[study->edges[n].a], *b = &study->sites[study->edges[n].b];
        if (!a->host && !b->host && emi_study_uses(study, study->edges[n].a, study->edges[n].b))
            return em_fail(err, EM_EDATA,
                           "%s: %s and %s are to be linked, and neither has an address, so that neither can dial the "
                           "other; try an address for one of them, or other neighbours",
                           file, a->name, b->name);
    }
    return EM_OK;
}

em_status emi_study_graph(const emi_study *study, em_graph **out, em_error *err)
{
    size_t count = 0;
    int(*edges)[2] = calloc(study->edge_count, sizeof *edges);
    *out = NULL;
    if (!edges) return em_fail(err, EM_ENOMEM, "%s: out of memory; try a machine with more", study->name);
    for (size_t n = 0; n < study->edge_count; n++) {
        if (!emi_study_uses(study, study->edges[n].a, study->edges[n].b)) continue;
        edges[count][0] = study->edges[n].a;
        edges[count++][1] = study->edges[n].b;
    }
    em_status status = em_graph_from_edges(out, study->site_count, (const int(*)[2])edges, count, err);
    free(edges);
    return status;
}
