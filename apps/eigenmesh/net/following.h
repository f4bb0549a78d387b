/* Rows that keep coming to a site: taken in as lines of standard input or files of a folder, a batch at a time and each whole or not
 * at all, into moments, which are on the disk before others hear of them. */
#ifndef EIGENMESH_APP_FOLLOWING_H
#define EIGENMESH_APP_FOLLOWING_H

#include "lines.h"
#include "spool.h"

typedef struct following {
    const arguments *args;
    const char *input; /* a folder; or "-" */
    reading *reading;
    size_t directions; /* of a sketch; 0: exact */
    taken taken;
    spool spool;
    lines lines;
    em_moments *moments; /* of all rows so far; NULL: there are none yet */
    int opened, changed; /* the state is; since it was saved */
    double saved_at, save_took;
    texts order;     /* the names of the root's columns, in its order; empty: as they are here */
    em_data *handed; /* the moments that were saved last, so ordered */
    uint64_t handed_number;
} following;

em_status following_create(following *f, const arguments *args, reading *r, em_error *err);
void following_free(following *f); /* accepts the zeroed */

/* As em_site_options has them. */
em_status following_open(following *f, const char *folder, const em_data **data, em_error *err);
em_status following_take(following *f, double seconds, em_error *err);
em_status following_hand(following *f, const em_data **data, int *more, em_error *err);
em_status following_arrange(following *f, const char *const *names, size_t count, const em_data **data, em_error *err);
em_status following_close(following *f, em_error *err);

#endif
