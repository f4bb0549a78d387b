/* What was decided in reading the inputs: which columns were left out and why, what separates cells, which rows were
 * dropped.  Files that were read alike are told of once. */
#ifndef EIGENMESH_READING_H
#define EIGENMESH_READING_H

#include "json.h"

#include <eigenmesh/eigenmesh.h>

typedef struct reading {
    size_t count;
    struct read_file *files; /* [count] one of each kind */
    size_t rows_dropped;
} reading;

em_status reading_add(reading *r, const em_data *table, em_error *err);

/* Those of all processes, at the first. */
em_status reading_gather(reading *r, em_error *err);

/* "read      a.csv and 2 more: commas, a header", and the columns left out. */
void reading_print(const reading *r, FILE *out);

/* The columns and rows left out that nobody asked to leave out, as warnings: where the report's place is taken. */
void reading_warn(const reading *r);
void reading_json(json *j, const reading *r);

void reading_free(reading *r); /* accepts the zeroed */

#endif
