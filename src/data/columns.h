/* Which columns of a table to use: "0-9,12" from 0, names of a header, in quotes where they have commas, and "-name" or "-3"
 * for all but that one.  What is a name is no position. */
#ifndef EMI_DATA_COLUMNS_H
#define EMI_DATA_COLUMNS_H

#include "base/error.h"

typedef struct emi_columns {
    size_t *pick, picked;    /* in the order asked for; where only exclusions are, all others                 */
    int named;               /* are there any but exclusions?                                                 */
    int by_position;         /* by a position, not a name, any of these?                                      */
    unsigned char *excluded; /* [count] */
} emi_columns;

/* names: [count], or NULL where there is no header. */
em_status emi_columns_parse(emi_columns *out, const char *spec, size_t count, const char *const *names,
                            const char *file, em_error *err);

void emi_columns_free(emi_columns *columns); /* accepts the zeroed */

/* The one column of this name, or at this position. */
em_status emi_column_find(const char *item, size_t count, const char *const *names, const char *file, size_t *column,
                          em_error *err);

#endif
