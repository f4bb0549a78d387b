/* The files a command writes: opened before the work, so that a path that cannot be
 * written fails at once, and put in place together after it. */
#ifndef EIGENMESH_OUTPUTS_H
#define EIGENMESH_OUTPUTS_H

#include "command.h"

#include "base/output.h"

typedef struct output_file {
    const char *option; /* "trace": its path is the value of --trace */
    const char *path;   /* NULL when not asked for */
    emi_output *handle;
    int binary; /* nothing that a terminal can show */
} output_file;

/* Open those that were asked for; a "plot" also needs gnuplot, and a name that says what kind of picture it is. */
em_status outputs_open(output_file *files, int count, const arguments *args, em_error *err);

/* All of them, or as a rule none: whatever can be seen to have failed fails first. */
em_status outputs_commit(output_file *files, int count, em_error *err);
void outputs_discard(output_file *files, int count);

/* A directory for a command's files: made where it is missing, and not left behind empty. */
typedef struct directory {
    const char *path;
    int made; /* by this program */
} directory;

em_status directory_open(directory *dir, const char *path, em_error *err);

/* A file of this name in it; *path is to be freed. */
em_status directory_file(const directory *dir, const char *name, char **path, em_error *err);

/* Remove it again, if it was made here and nothing came into it. */
void directory_close(const directory *dir); /* accepts the zeroed */

#endif
