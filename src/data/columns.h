/* Which columns of a table to use: "0-9,12" from 0, or names of a header. */
#ifndef EMI_DATA_COLUMNS_H
#define EMI_DATA_COLUMNS_H

#include "base/error.h"

/* names: [count], or NULL where there is no header.  *out is the caller's to free. */
em_status emi_columns_parse(const char *spec, size_t count, const char *const *names, const char *file, size_t **out,
                            size_t *picked, em_error *err);

#endif
