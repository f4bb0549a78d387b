/* Lines of rows on standard input, as they come.  The first two say how all are read: whether there is a header, and which columns are
 * numbers. */
#ifndef EIGENMESH_APP_LINES_H
#define EIGENMESH_APP_LINES_H

#include "input.h"
#include "taken.h"

typedef struct lines {
    char *text; /* that came, and was not handed out yet */
    size_t size, room, at;
    int begun; /* some were handed out */
    int ended; /* standard input is    */
} lines;

void lines_free(lines *l); /* accepts the zeroed */

/* Whole lines, as many as have come; waits for some, so many seconds at most.  0: none. */
em_status lines_wait(lines *l, const line_form *form, double seconds, const char **text, size_t *size, em_error *err);

/* Is the first of these the header of before, sent again?  Then it has so many bytes; else 0. */
size_t lines_header_again(const lines *l, const line_form *form, const char *text, size_t size);

/* These are done with. */
void lines_forget(lines *l, size_t size);

/* Rows from lines, of which so many came before, in this form, which is found where it is not known. */
em_status lines_read(line_form *form, em_data **out, const char *text, size_t size, uint64_t before, reading *r,
                     const arguments *args, em_error *err);

size_t lines_count(const char *text, size_t size);

#endif
