/* No file is written that is read, or written, under another name too.
 *
 * Files that exist are told apart by what the system knows them by, so that links and other spellings of a path make no
 * difference; those that do not exist yet by their directory, and their name in it.  Devices and pipes may be named as often
 * as one likes; standard output by "-" once. */
#ifndef EIGENMESH_COLLISION_H
#define EIGENMESH_COLLISION_H

#include "command.h"

typedef struct written_file written_file;

typedef struct collisions {
    written_file *files; /* all that are to be written */
    int count, room;
} collisions;

/* Before a command does anything: all files that its arguments name, as far as this process sees them.  Notes whether one
 * of them is standard output, which then has no room for a report. */
em_status collisions_check(arguments *args, em_error *err);

/* For a command that writes files it alone knows.  One that is to be written, and what it is named by ("--output"); refused
 * where it is among those already. */
em_status collisions_write(collisions *c, const char *role, const char *path, em_error *err);

/* One that is to be read, once all that are to be written are known; and all that the arguments say are read. */
em_status collisions_read(const collisions *c, const char *role, const char *path, em_error *err);
em_status collisions_read_named(const collisions *c, const arguments *args, em_error *err);

void collisions_free(collisions *c); /* accepts the zeroed */

#endif
