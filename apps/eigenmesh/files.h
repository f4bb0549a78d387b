/* The files that the arguments name: those of a pattern; and that none is written that is read, or written, under another
 * name too, and no stream is read twice.
 *
 * Files that exist are told apart by what the system knows them by, so that links and other spellings of a path make no
 * difference; those that do not exist yet by their directory, and their name in it.  Devices and pipes may be written as
 * often as one likes; standard output by "-" once. */
#ifndef EIGENMESH_FILES_H
#define EIGENMESH_FILES_H

#include "command.h"

#include <limits.h>

/* Is there an INPUT for each node: several, or a pattern such as "shard-%03d.npy"?  If so, how many, and which. */
int inputs_are_nodes(const arguments *args);
em_status inputs_count(const arguments *args, int *count, em_error *err);
const char *input_path(const arguments *args, int node, char room[PATH_MAX]);

/* Before a command does anything: all files that its arguments name, as far as this process sees them.  Notes whether one
 * of them is standard output, which then has no room for a report. */
em_status collisions_check(arguments *args, em_error *err);

/* For a command that writes files it alone knows. */
typedef struct collisions {
    struct named_file *files;
    int count;
} collisions;

/* One that is to be written, and what it is named by ("--output"); refused where it is among those already. */
em_status collisions_write(collisions *c, const char *role, const char *path, em_error *err);

/* One that is to be read, once all that are to be written are known; and all that the arguments say are read. */
em_status collisions_read(collisions *c, const char *role, const char *path, em_error *err);
em_status collisions_read_named(collisions *c, const arguments *args, em_error *err);

void collisions_free(collisions *c); /* accepts the zeroed */

#endif
