/* Rows from a table to a file, a block at a time. */
#ifndef EIGENMESH_STREAM_H
#define EIGENMESH_STREAM_H

#include <eigenmesh/eigenmesh.h>

/* What happens to a block of rows on the way. */
typedef em_status stream_map(void *context, const double *in, size_t rows, double *out, em_error *err);

typedef struct stream_target {
    const char *path; /* NULL: nothing is written, and the map alone sees the rows */
    em_dtype type;
    size_t columns;
    const char *const *names; /* [columns] of what is written, where the format has a place for them; NULL: none */
    enum { STREAM_ANY, STREAM_WHOLE, STREAM_FINITE } values; /* refused: nothing; missing values; infinite ones too */
    const double *fill; /* [the table's columns] in place of values that are missing; NULL: they stay */
    stream_map *map;    /* NULL: nothing happens, and columns are those of the table */
    /* What is to be done before the file is put in place; NULL: nothing. */
    em_status (*finish)(void *context, em_error *err);
    void *context;
} stream_target;

em_status stream_rows(const em_data *data, const stream_target *target, em_error *err);

#endif
