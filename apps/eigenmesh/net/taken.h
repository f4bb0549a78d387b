/* What a site that follows has taken in, on its disk: the moments of all rows, and which lines or files they are of.  The moments lie
 * in a file of a new name each time; the file `taken` names it, and is put in its place in one step: so a process that is killed at
 * any moment leaves both of before or both of after, and no row is lost or counted twice. */
#ifndef EIGENMESH_APP_TAKEN_H
#define EIGENMESH_APP_TAKEN_H

#include "net/state.h"

#include <sys/stat.h>

typedef struct taken_file {
    char *name;
    long long size, seconds, nanoseconds; /* as it was then */
    int told;                             /* that it is another by now */
} taken_file;

/* How lines are read, as the first of all said. */
typedef struct line_form {
    char *header;  /* the first line, where it has names, without its end; NULL: it has not */
    char *columns; /* of lines without names: those that are numbers, as --columns has them; NULL: as that says */
    size_t width;  /* of such lines, in cells */
    int known;
} line_form;

typedef struct taken {
    emi_state state;    /* its folder */
    uint64_t number;    /* of the file of moments; 0: none yet */
    uint64_t lines;     /* of standard input, in all processes' time */
    uint64_t bytes;     /* that these are */
    uint64_t refused;   /* lines that were no rows */
    line_form form;     /* of lines */
    taken_file *files;  /* of a folder, by their names */
    size_t count, room; /* of them */
} taken;

/* What was taken before, and its moments; NULL: nothing was. */
em_status taken_open(taken *t, em_moments **moments, const char *folder, em_error *err);
void taken_close(taken *t); /* accepts the zeroed */

/* On the disk, or as before. */
em_status taken_save(taken *t, em_moments *moments, em_error *err);

/* Where the moments of the last save lie. */
em_status taken_path(const taken *t, char path[EMI_PATH_ROOM], em_error *err);

/* The file of this name; NULL: it was not taken. */
taken_file *taken_find(const taken *t, const char *name);
em_status taken_add(taken *t, const char *name, const struct stat *about, em_error *err);
void taken_remove(taken *t, const char *name);
int taken_is_same(const taken_file *file, const struct stat *about);

#endif
