/* What each can learn in a study: of whom, and what. */
#include "print.h"
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
    for (int n = 0; n < study->site_count && !study->masks; n++) {
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

/* How sites add up. */
enum { MASKED = 1, PLAIN = 2, MIXING = 4, FOLLOWING = 8, ANY = MASKED | PLAIN | MIXING };

static const struct {
    int ways;
    study_lesson lesson;
} lessons[] = {
    {ANY, {"strangers", "that there are links, when, and how much goes over them"}},
    {MASKED, {"a neighbour", "noise: no number of a site's own leaves it but under masks"}},
    {PLAIN,
     {"a neighbour",
      "of a site that sends to it the number of rows, mean, variances, and the covariance on all that the "
      "root asks, or the whole of it; of few rows (some hundred) these may tell single rows: people, "
      "where rows are people"}},
    {MIXING,
     {"a neighbour", "a site's number of rows, mean and variances, and its estimate in every iteration, which is made "
                     "from that site's covariance"}},
    {MASKED, {"an inner node", "the same, added up"}},
    {PLAIN | MIXING,
     {"an inner node", "the same of a neighbour and all behind it, added up; of one with nobody behind it, alone"}},
    {MASKED,
     {"the root", "totals over all sites: number of rows, mean, variances, and the covariance on what it asks; with "
                  "altered software it may ask for all of it, as far as each site answers"}},
    {PLAIN | MIXING,
     {"the root", "what its neighbours send, and the totals; with altered software it asks what it likes"}},
    {ANY,
     {"all members", "the model, number, mean and variances of all rows, and what the root asks; all but one together, "
                     "the last one's part of every sum, by subtraction"}},
    {FOLLOWING,
     {"at each model", "the same anew, as the study follows rows that come: what was learnt before and after tells the "
                       "new rows, a single one exactly"}}};

const study_lesson *study_learnt(const emi_study *study, int index)
{
    int way = (study->masks ? MASKED : emi_study_mixes(study) ? MIXING : PLAIN) | (study->follow ? FOLLOWING : 0);
    for (size_t n = 0; n < sizeof lessons / sizeof *lessons; n++)
        if (lessons[n].ways & way && index-- == 0) return &lessons[n].lesson;
    return NULL;
}

void study_print_learnt(const emi_study *study)
{
    enum { COLUMN = 16, WIDTH = 79 };
    const study_lesson *lesson;
    (void)printf("What each can learn, %s masks:\n", study->masks ? "with" : "without");
    for (int n = 0; (lesson = study_learnt(study, n)); n++)
        words_print(printf("%s", lesson->who), COLUMN, WIDTH, lesson->what);
}
