/* What members of a study can learn of each other where there are no masks. */
#include "study_report.h"

#include <stdio.h>
#include <string.h>

/* ---- whom a site sees --------------------------------------------------------------------------------------- */

typedef struct list {
    char *text;
    size_t used;
} list;

static void add(list *l, const char *word, const char *name, const char *after)
{
    if (l->used >= SEEN_ROOM) return;
    l->used +=
        (size_t)snprintf(l->text + l->used, SEEN_ROOM - l->used, "%s%s%s%s", l->used ? ", " : "", word, name, after);
}

static int has_children(const emi_study *study, int site)
{
    for (int n = 0; n < study->site_count; n++)
        if (study->sites[n].parent == site) return 1;
    return 0;
}

const char *study_seen(const emi_study *study, int site, char out[SEEN_ROOM])
{
    list l = {out, 0};
    int mixes = emi_study_mixes(study);
    *out = 0;
    for (int n = 0; n < study->site_count; n++) {
        if (mixes && n != site && emi_study_uses(study, n, site)) add(&l, "", study->sites[n].name, "");
        if (mixes || study->sites[n].parent != site) continue;
        if (has_children(study, n))
            add(&l, "", study->sites[n].name, " and all behind it, added up");
        else
            add(&l, "", study->sites[n].name, " alone");
    }
    return out;
}

/* ---- in words --------------------------------------------------------------------------------------------------- */

/* The lines of each way to the answer; a method that is chosen later may be either of the first two. */
enum { KRYLOV = 1, COVARIANCE = 2, MIXING = 4 };

static const struct {
    int ways;
    const char *line;
} learnt[] = {
    {KRYLOV | COVARIANCE | MIXING, "Strangers: that there are links, when, and how much goes over them."},
    {KRYLOV | COVARIANCE | MIXING, "All members: the model, the mean and number of all rows, and what the root asks."},
    {KRYLOV | COVARIANCE | MIXING, "A parent: its child's number of rows and mean."},
    {KRYLOV, "By krylov, the root: the sum of all answers. A parent: its child's answer to"},
    {KRYLOV, "every question; of a child that is alone and has few rows (some hundred) these"},
    {KRYLOV, "tell its covariance."},
    {COVARIANCE, "By covariance, the root: the covariance of all rows. A parent: its child's."},
    {KRYLOV | COVARIANCE, "The covariance of few rows may tell single rows: people, where rows are people."},
    {MIXING, "A neighbour: a site's estimate in every iteration, which is made from that"},
    {MIXING, "site's covariance."}};

const char *study_learnt(const emi_study *study, int index)
{
    char method[64];
    (void)em_options_get(study->options, "method", method, sizeof method);
    int ways = emi_study_mixes(study)              ? MIXING
               : strcmp(method, "covariance") == 0 ? COVARIANCE
               : strcmp(method, "krylov") == 0     ? KRYLOV
                                                   : KRYLOV | COVARIANCE;
    for (size_t n = 0; n < sizeof learnt / sizeof *learnt; n++)
        if (learnt[n].ways & ways && index-- == 0) return learnt[n].line;
    return NULL;
}
