/* The files a command writes: opened before the work, so that a path that cannot be
 * written fails at once, and put in place together after it. */
#ifndef EIGENMESH_OUTPUTS_H
#define EIGENMESH_OUTPUTS_H

#include "args.h"

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

#endif
