/* Which line of a study file says what: sections and keys that are known, each once. */
#ifndef EIGENMESH_NET_STUDY_OUTLINE_H
#define EIGENMESH_NET_STUDY_OUTLINE_H

#include "net/study_read.h"

enum { EMI_STUDY_OPTIONS = 64 }; /* of the library, at most */

/* Lines; NULL: there is none. */
typedef struct emi_site_lines {
    const emi_study_line *heading, *id, *address, *neighbours;
} emi_site_lines;

typedef struct emi_study_outline {
    const emi_study_line *heading, *name, *masks, *follow;
    const emi_study_line *options[EMI_STUDY_OPTIONS]; /* by em_option's index */
    int site_count;
    emi_site_lines *sites; /* in the file's order */
} emi_study_outline;

/* `out` is to be freed in any case. */
em_status emi_study_outline_make(emi_study_outline *out, const emi_study_lines *lines, em_error *err);
void emi_study_outline_free(emi_study_outline *outline);

/* Is the library's option about the answer, so that a study may hold it? */
int emi_study_takes(const char *option);

#endif
