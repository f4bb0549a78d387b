/* Which columns of a table to use: "0-9,12" from 0, names of a header, in quotes where they have commas, and "-name" or "-3"
 * for all but that one.  What is a name is no position. */
#ifndef EMI_DATA_COLUMNS_H
#define EMI_DATA_COLUMNS_H

#include "data/data.h"

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

/* For each of options->features the column of that name, into place[feature_count]: an error that names the first few that
 * are missing, or that are there twice.  names: [count]; NULL where the file has no header, which is taken by position if
 * the options say that there is none. */
em_status emi_names_match(const char *const *names, size_t count, const em_read_options *options, const char *file,
                          size_t *place, em_error *err);

/* Where each wanted name is among the names, into place[wanted_count]: its column, or one of these. */
#define EMI_NAME_ABSENT SIZE_MAX
#define EMI_NAME_TWICE  (SIZE_MAX - 1)
em_status emi_names_find(const char *const *names, size_t count, const char *const *wanted, size_t wanted_count,
                         const char *file, size_t *place, em_error *err);

/* Are these the same names, in the same order?  Where one table has none there is nothing to compare. */
int emi_names_agree(const em_data *a, const em_data *b);

/* "b, c, f and 12 more" */
typedef struct emi_name_list {
    size_t count, most; /* most: to be shown, of which there is room for four, and for more that are short; 0: three */
    char text[320];
} emi_name_list;

void emi_name_list_add(emi_name_list *list, const char *name);
const char *emi_name_list_end(emi_name_list *list);

#endif
