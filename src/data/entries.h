/* Entries of a sparse matrix in any order, as files have them, on their way to rows. */
#ifndef EMI_DATA_ENTRIES_H
#define EMI_DATA_ENTRIES_H

#include "data/csr.h"

typedef struct emi_entries {
    size_t rows, columns, count, room;
    em_dtype type; /* of the values: EM_F64 or EM_F32 */
    int whole;     /* they came as whole numbers     */
    int32_t *row, *column;
    void *value;
} emi_entries;

void emi_entries_free(emi_entries *e); /* accepts the zeroed and the half-built */

/* One more, of doubles, which is within the rows and columns. */
em_status emi_entries_add(emi_entries *e, size_t row, size_t column, double value, const char *name, em_error *err);

/* The matrix; what the entries held is used up.  An error where one is outside of it. */
em_status emi_entries_to_csr(emi_entries *e, emi_csr *out, const char *name, em_error *err);

/* Rows become columns: of a matrix that owns its arrays, and was checked. */
em_status emi_csr_transpose(emi_csr *m, const char *name, em_error *err);

#endif
