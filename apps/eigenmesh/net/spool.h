/* A folder in which files of rows are put, each whole: written elsewhere or under a name that is passed over, and then renamed.  Passed
 * over are names that begin with a dot or end in .tmp or .part, and files that were written to within the last two seconds, which
 * may be half there.  A file that is called `end` says that there will be no more. */
#ifndef EIGENMESH_APP_SPOOL_H
#define EIGENMESH_APP_SPOOL_H

#include "taken.h"

typedef struct spool {
    const char *path;
    char **names; /* [count] new ones, by name; those before `at` were handed out */
    size_t count, room, at;
    taken refused;  /* that could not be read, as they were then */
    int is_missing; /* that was told */
    int ends;       /* looks in a row that saw `end`, and nothing that is new or will be */
    double look_at; /* the clock's time of the next look */
} spool;

em_status spool_open(spool *f, const char *path, em_error *err);
void spool_close(spool *f); /* accepts the zeroed */

/* The path of the next new file, and how it is now; empty: none is there by now. */
em_status spool_next(spool *f, taken *t, char path[EMI_PATH_ROOM], struct stat *about, em_error *err);

/* Nothing is new, and nothing will be. */
int spool_has_ended(const spool *f);

/* It cannot be read, as it is: not to be tried again until it is another. */
em_status spool_refuse(spool *f, const char *path, const struct stat *about, em_error *err);

/* The name of a file of it. */
const char *spool_name(const char *path);

#endif
