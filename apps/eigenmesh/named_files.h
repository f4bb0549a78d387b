/* The files that a command line names, and that none of them is written and read, or written twice. */
#ifndef EIGENMESH_NAMED_FILES_H
#define EIGENMESH_NAMED_FILES_H

#include "args.h"
#include "collision.h"

/* Before a command does anything: all files it names, as far as this process sees them.  Notes whether one of them is
 * standard output, which then has no room for a report. */
em_status named_files_check(arguments *args, em_error *err);

/* For a command that writes files it alone knows: none of `c` may be among those that the arguments say are read. */
em_status named_files_read(const collisions *c, const arguments *args, em_error *err);

#endif
