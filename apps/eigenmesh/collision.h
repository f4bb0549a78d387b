/* No file is written that is read, or written, under another name too.
 *
 * Files that exist are told apart by what the system knows them by, so that links and other spellings of a path make no
 * difference; those that do not exist yet by their directory, and their name in it.  Devices and pipes may be named as often
 * as one likes; standard output by "-" once. */
#ifndef EIGENMESH_COLLISION_H
#define EIGENMESH_COLLISION_H

#include <eigenmesh/eigenmesh.h>

typedef struct written_file written_file;

typedef struct collisions {
    written_file *files; /* all that are to be written */
    int count, room;
} collisions;

/* A file that is to be written, and what it is named by ("--output"); borrowed, both.  Refused where it is among those
 * already.  One `in_parts` has others beside it: FILE.FIRST-LAST, and the same with .next. */
em_status collisions_write(collisions *c, const char *role, const char *path, em_error *err);
em_status collisions_write_in_parts(collisions *c, const char *role, const char *path, em_error *err);

/* A file that is to be read, once all that are to be written are known; "-" is standard input. */
em_status collisions_read(const collisions *c, const char *role, const char *path, em_error *err);

/* Is standard output among those to be written, by "-"? */
int collisions_take_stdout(const collisions *c);

void collisions_free(collisions *c); /* accepts the zeroed */

#endif
