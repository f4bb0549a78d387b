/* Features by their names: matching one table's with another's, and speaking of them. */
#ifndef EMI_DATA_NAMES_H
#define EMI_DATA_NAMES_H

#include "data/data.h"

/* For each of options->features the column of that name, into place[feature_count]: an error that names the first few that
 * are missing, or that are there twice.  names: [count]; NULL where the file has no header, which is taken by position if
 * the options say that there is none. */
em_status emi_names_match(const char *const *names, size_t count, const em_read_options *options, const char *file,
                          size_t *place, em_error *err);

/* Are these the same names, in the same order?  Where one table has none there is nothing to compare. */
int emi_names_agree(const em_data *a, const em_data *b);

/* "b, c, f and 12 more" */
typedef struct emi_name_list {
    size_t count;
    char text[160];
} emi_name_list;

void emi_name_list_add(emi_name_list *list, const char *name);
const char *emi_name_list_end(emi_name_list *list);

#endif
