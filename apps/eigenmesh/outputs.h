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

/* ---- a directory: made where it is missing, and not left behind empty ------------------------------------- */

typedef struct directory {
    const char *path;
    int made; /* by this program */
} directory;

em_status directory_open(directory *dir, const char *path, em_error *err);

/* A file of this name in it; *path is to be freed. */
em_status directory_file(const directory *dir, const char *name, char **path, em_error *err);

/* Remove it again, if it was made here and nothing came into it. */
void directory_close(const directory *dir); /* accepts the zeroed */

/* ---- rows from a table to a file, a block at a time --------------------------------------------------------- */

typedef struct stream_target {
    const char *path; /* NULL: nothing is written, and the map alone sees the rows */
    em_dtype type;
    size_t columns;
    const char *const *names; /* [columns] of what is written, where the format has a place for them; NULL: none */
    enum { STREAM_ANY, STREAM_WHOLE, STREAM_FINITE } values; /* refused: nothing; missing values; infinite ones too */
    const double *fill; /* [the table's columns] in place of values that are missing; NULL: they stay */
    /* What happens to a block of rows on the way; NULL: nothing, and columns are those of the table. */
    em_status (*map)(void *context, const double *in, size_t rows, double *out, em_error *err);
    /* What is to be done before the file is put in place; NULL: nothing. */
    em_status (*finish)(void *context, em_error *err);
    void *context;
} stream_target;

em_status stream_rows(const em_data *data, const stream_target *target, em_error *err);

#endif
