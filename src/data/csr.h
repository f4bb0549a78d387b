/* A sparse matrix in compressed rows (CSR): what row r has is values[n] in column indices[n], for starts[r] <= n < starts[r + 1], and
 * zero elsewhere.
 *
 * INVARIANT of one that is open: indices are within the columns, starts do not fall, and no row has a column twice.  Columns may come
 * in any order. */
#ifndef EMI_DATA_CSR_H
#define EMI_DATA_CSR_H

#include "data/data.h"
#include "data/row_kind.h"

typedef struct emi_csr {
    size_t rows, columns;
    em_dtype type;       /* of the values: EM_F32 or EM_F64 */
    em_dtype index_type; /* of indices: EM_I32 or EM_I64    */
    em_dtype start_type; /* and of starts                   */
    void *values, *indices, *starts;
    int whole;         /* values came as whole numbers, floats as far as those hold them */
    int owned;         /* to be freed, and free to be written to; else the caller's */
    int32_t *full;     /* [full_count] columns that hardly have a zero              */
    size_t full_count; /* found by emi_csr_open                                     */
} emi_csr;

static inline size_t emi_csr_start(const emi_csr *m, size_t row)
{
    return m->start_type == EM_I32 ? (size_t)((const int32_t *)m->starts)[row]
                                   : (size_t)((const int64_t *)m->starts)[row];
}

static inline size_t emi_csr_index(const emi_csr *m, size_t n)
{
    return m->index_type == EM_I32 ? (size_t)((const int32_t *)m->indices)[n]
                                   : (size_t)((const int64_t *)m->indices)[n];
}

static inline double emi_csr_value(const emi_csr *m, size_t n)
{
    return m->type == EM_F32 ? (double)((const float *)m->values)[n] : ((const double *)m->values)[n];
}

/* Entries that are stored. */
size_t emi_csr_count(const emi_csr *m);

/* Is a side of so many rows, or columns, one that so few entries may have?  A file's word is no reason to allocate that much. */
int emi_csr_is_likely(size_t side, size_t count);

/* Are starts and indices what they have to be, with so many entries in the arrays?  `name` is for the message. */
em_status emi_csr_check(const emi_csr *m, size_t count, const char *name, em_error *err);

/* Doubles that floats hold without loss, all of them, become floats, in place. */
em_dtype emi_narrow(double *values, size_t count);

/* `data` is a table of the matrix, which was checked, and then owns what that owned; on failure the caller still does.  What a row has
 * twice is added up. */
em_status emi_csr_open(em_data *data, emi_csr *m, em_error *err);

void emi_csr_free(emi_csr *m); /* accepts the zeroed and the half-built */

/* How such rows are gone through. */
extern const emi_row_kind emi_csr_rows;

/* As emi_survey (data/moments.h). */
em_status emi_csr_survey(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                         emi_scratch scratch, em_error *err);

/* The matrix' row that is row r of the shard. */
size_t emi_csr_row(const emi_shard *shard, size_t r);

#endif
