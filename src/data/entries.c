#include "data/entries.h"

#include "base/memory.h"

#include <string.h>

void emi_entries_free(emi_entries *e)
{
    emi_free(e->row);
    emi_free(e->column);
    emi_free(e->value);
    *e = (emi_entries){0};
}

em_status emi_entries_add(emi_entries *e, size_t row, size_t column, double value, const char *name, em_error *err)
{
    size_t room[] = {e->room, e->room, e->room};
    int32_t *rows = emi_grow(e->row, &room[0], e->count + 1, sizeof *rows);
    if (rows) e->row = rows;
    int32_t *columns = emi_grow(e->column, &room[1], e->count + 1, sizeof *columns);
    if (columns) e->column = columns;
    double *values = emi_grow(e->value, &room[2], e->count + 1, sizeof *values);
    if (values) e->value = values;
    if (!rows || !columns || !values) return emi_fail_memory(err, name);
    e->room = room[0];
    rows[e->count] = (int32_t)row;
    columns[e->count] = (int32_t)column;
    values[e->count++] = value;
    return EM_OK;
}

/* ---- in order of their rows ------------------------------------------------------------------------------------------ */

/* Where each row begins: starts[rows + 1].  Are the entries in that order already? */
static em_status count_rows(const emi_entries *e, int64_t *starts, int *sorted, const char *name, em_error *err)
{
    *sorted = 1;
    for (size_t n = 0; n < e->count; n++) {
        int32_t row = e->row[n], column = e->column[n];
        if (row < 0 || (size_t)row >= e->rows || column < 0 || (size_t)column >= e->columns)
            return emi_fail(err, EM_EDATA,
                            "%s: entry %zu is in row %d, column %d (from 0) of %zu x %zu; try making the file anew",
                            name, n, row, column, e->rows, e->columns);
        starts[row + 1]++;
        if (n > 0 && row < e->row[n - 1]) *sorted = 0;
    }
    for (size_t r = 0; r < e->rows; r++) starts[r + 1] += starts[r];
    return EM_OK;
}

/* Entries of a row stay in their order. */
static em_status sort(emi_entries *e, const int64_t *starts, const char *name, em_error *err)
{
    em_status status = EM_OK;
    size_t size = emi_dtype_size(e->type);
    int64_t *next = emi_calloc(e->rows, sizeof *next);
    int32_t *columns = emi_calloc(e->count, sizeof *columns);
    unsigned char *values = emi_calloc(e->count, size);
    if (!next || !columns || !values) TRY(emi_fail_memory(err, name));
    memcpy(next, starts, e->rows * sizeof *next);
    for (size_t n = 0; n < e->count; n++) {
        size_t at = (size_t)next[e->row[n]]++;
        columns[at] = e->column[n];
        memcpy(values + at * size, (const unsigned char *)e->value + n * size, size);
    }
    emi_free(e->column);
    emi_free(e->value);
    e->column = columns, e->value = values;
    columns = NULL, values = NULL;
done:
    emi_free(values);
    emi_free(columns);
    emi_free(next);
    return status;
}

/* What they were given beyond what they need goes back. */
static em_status trim(emi_entries *e, const char *name, em_error *err)
{
    void *columns = emi_realloc(e->column, e->count * sizeof *e->column);
    if (columns) e->column = columns;
    void *values = columns ? emi_realloc(e->value, e->count * emi_dtype_size(e->type)) : NULL;
    if (values) e->value = values;
    return values ? EM_OK : emi_fail_memory(err, name);
}

em_status emi_entries_to_csr(emi_entries *e, emi_csr *out, const char *name, em_error *err)
{
    em_status status = EM_OK;
    int sorted;
    int64_t *starts = NULL;
    if (!emi_csr_is_likely(e->rows, e->count))
        TRY(emi_fail(err, EM_EDATA, "%s: %zu rows are too many for %zu entries; try fewer", name, e->rows, e->count));
    starts = emi_calloc(e->rows + 1, sizeof *starts);
    if (!starts) TRY(emi_fail_memory(err, name));
    TRY(count_rows(e, starts, &sorted, name, err));
    TRY(sorted ? trim(e, name, err) : sort(e, starts, name, err));
    *out = (emi_csr){.rows = e->rows,
                     .columns = e->columns,
                     .type = e->type,
                     .whole = e->whole,
                     .index_type = EM_I32,
                     .start_type = EM_I64,
                     .values = e->value,
                     .indices = e->column,
                     .starts = starts,
                     .owned = 1};
    e->value = NULL, e->column = NULL, starts = NULL;
done:
    emi_free(starts);
    emi_entries_free(e);
    return status;
}

em_status emi_csr_transpose(emi_csr *m, const char *name, em_error *err)
{
    size_t count = emi_csr_count(m);
    emi_entries e = {.rows = m->columns, .columns = m->rows, .count = count, .type = m->type, .whole = m->whole};
    if (m->rows > INT32_MAX) return emi_fail(err, EM_EDATA, "%s: %zu rows are too many; try fewer", name, m->rows);
    e.column = emi_calloc(count, sizeof *e.column);
    if (!e.column) return emi_fail_memory(err, name);
    for (size_t r = 0; r < m->rows; r++)
        for (size_t n = emi_csr_start(m, r); n < emi_csr_start(m, r + 1); n++) e.column[n] = (int32_t)r;
    e.row = m->indices, e.value = m->values;
    m->indices = m->values = NULL;
    emi_csr_free(m);
    return emi_entries_to_csr(&e, m, name, err);
}
