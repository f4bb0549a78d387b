/* The syntax of a study file: from bytes to lines that say something.
 *
 * ASCII, lines of up to 4,096 bytes, 1 MiB in all.  A line ends in LF or in CR LF, as editors on Windows leave it: it is the
 * same line.  Blanks stand around anything; tabs, other control characters and a byte-order mark are refused, since a file that
 * looks the same must be the same.  "#" begins a comment at a line's start or after a blank. */
#ifndef EIGENMESH_NET_STUDY_READ_H
#define EIGENMESH_NET_STUDY_READ_H

#include <eigenmesh/engine.h>

/* A heading, [WORD] or [WORD NAME], or KEY = VALUE. */
typedef struct emi_study_line {
    int number;       /* in the file, from 1 */
    const char *word; /* of a heading; NULL: none */
    const char *name; /* of a heading; NULL: none */
    const char *key, *value;
} emi_study_line;

typedef struct emi_study_lines {
    const char *file; /* what messages call it; borrowed */
    size_t count;
    emi_study_line *lines;
    char *text; /* in which all of the above lie */
} emi_study_lines;

/* `out` is to be freed in any case. */
em_status emi_study_read(emi_study_lines *out, const char *file, const char *text, size_t size, em_error *err);
void emi_study_lines_free(emi_study_lines *lines);

/* The bytes of a file, no more than a study may have; *text is to be freed. */
em_status emi_study_load(char **text, size_t *size, const char *path, em_error *err);

#endif
