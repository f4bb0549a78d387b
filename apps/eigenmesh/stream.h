/* Rows from a table to a file, a block at a time. */
#ifndef EIGENMESH_STREAM_H
#define EIGENMESH_STREAM_H

#include <eigenmesh/eigenmesh.h>

/* What happens to a block of rows on the way. */
typedef em_status stream_map(const void *context, const double *in, size_t rows, double *out, em_error *err);

typedef struct stream_target {
    const char *path;
    em_dtype type;
    size_t columns;
    stream_map *map; /* NULL: nothing happens, and columns are those of the table */
    const void *context;
} stream_target;

em_status stream_rows(const em_data *data, const stream_target *target, em_error *err);

#endif
