/* How tables were read: the names of the first one's columns, by which all others are read; and for the report what was
 * decided: columns left out and why, what separates cells, which rows were dropped.  Files that were read alike are told
 * of once. */
#ifndef EIGENMESH_READING_H
#define EIGENMESH_READING_H

#include "command.h"
#include "json.h"

/* Texts one after the other, each with its 0, so that all of them can travel between processes as one piece. */
typedef struct texts {
    char *text;
    size_t size, room;
    int failed; /* out of memory */
} texts;

typedef struct features {
    texts owner_and_names; /* whose they are, and then each name; empty: nothing is known yet */
    const char **names;    /* [count] into it */
    size_t count;          /* 0: the first table has none */
} features;

typedef struct reading {
    features features;
    const char *by_position; /* a table that has no names, and so has these in their order; NULL: all have some */
    texts files;             /* how each was read */
    size_t rows_dropped;
} reading;

/* Open a table as the arguments say, with this column as labels (NULL: none): by the names that are known or, where none
 * are yet, as the first, whose names they then are. */
em_status reading_open(reading *r, em_data **out, const char *path, const arguments *args, const char *label,
                       em_error *err);

em_status features_of_model(features *f, const em_model *model, const char *path, em_error *err);
void features_free(features *f); /* accepts the zeroed */

/* Between processes: the first one's features, for all; and what was decided in all, at the first. */
em_status reading_share(reading *r, em_error *err);
em_status reading_gather(reading *r, em_error *err);

/* "read      a.csv and 2 more: commas, a header", the columns and rows left out, and names by position. */
void reading_print(const reading *r);

/* The columns and rows left out that nobody asked to leave out, as warnings: where the report's place is taken. */
void reading_warn(const reading *r);
void reading_json(json *j, const reading *r);

void reading_free(reading *r); /* accepts the zeroed */

#endif
