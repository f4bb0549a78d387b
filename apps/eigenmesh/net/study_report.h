/* A study as study check shows it: for people, and for programs. */
#ifndef EIGENMESH_APP_STUDY_REPORT_H
#define EIGENMESH_APP_STUDY_REPORT_H

#include "study_cost.h"

/* cost->features is 0 where nobody asked. */
em_status study_print(const emi_study *study, const study_cost *cost, em_error *err);
void study_json(const emi_study *study, const study_cost *cost);

/* What a site sees of others in a run, as names; `out` is cut where it is full.  Nobody, with masks. */
enum { SEEN_ROOM = 4096 };
const char *study_seen(const emi_study *study, int site, char out[SEEN_ROOM]);

/* Who can learn what, from strangers to all members: five of them; NULL past the end.  And as lines. */
typedef struct study_lesson {
    const char *who, *what;
} study_lesson;

const study_lesson *study_learnt(const emi_study *study, int index);
void study_print_learnt(const emi_study *study);

/* Where a site is reached, "host:7473"; "" where it only dials out. */
enum { ADDRESS_ROOM = 300 };
const char *study_address(const emi_site *site, char out[ADDRESS_ROOM]);

#endif
