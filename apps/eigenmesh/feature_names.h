/* The names of the first table's columns, by which all others are read; shared between the processes of a cluster. */
#ifndef EIGENMESH_FEATURE_NAMES_H
#define EIGENMESH_FEATURE_NAMES_H

#include <eigenmesh/eigenmesh.h>

typedef struct features {
    char *text;         /* whose they are, and then each name, with a 0 after each; owned */
    size_t size;        /* of it; 0: nothing is known yet                                 */
    const char **names; /* [count] into it                                                */
    size_t count;       /* 0: the first table has none                                    */
} features;

em_status features_of_table(features *f, const em_data *table, em_error *err);
em_status features_of_model(features *f, const em_model *model, const char *path, em_error *err);

/* The first process's, for all. */
em_status features_share(features *f, em_error *err);

/* Read by these names. */
void features_ask(const features *f, em_read_options *options);

/* A table that was read so: one that has no names has these, by position, and *by_position is then its name; one that has
 * names where the first has none is refused. */
em_status features_settle(const features *f, em_data *table, const char **by_position, em_error *err);

void features_free(features *f); /* accepts the zeroed */

#endif
