#include "data/csr.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

size_t emi_csr_count(const emi_csr *m)
{
    return emi_csr_start(m, m->rows);
}

size_t emi_csr_row(const emi_shard *shard, size_t r)
{
    size_t row = shard->order ? shard->order[shard->first + r] : shard->first + r;
    return emi_data_row(shard->data, row);
}

void emi_csr_free(emi_csr *m)
{
    void *arrays[] = {m->values, m->indices, m->starts};
    for (int n = 0; m->owned && n < 3; n++) emi_free(arrays[n]);
    emi_free(m->full);
    *m = (emi_csr){0};
}

int emi_csr_is_likely(size_t side, size_t count)
{
    enum { ALWAYS = 1 << 24, EMPTY = 1000 };
    return side <= INT32_MAX && (side <= ALWAYS || side / EMPTY <= count);
}

/* ---- is it one? --------------------------------------------------------------------------------------------------- */

static long long whole_at(const void *numbers, em_dtype type, size_t n)
{
    return type == EM_I32 ? ((const int32_t *)numbers)[n] : ((const int64_t *)numbers)[n];
}

static em_status check_starts(const emi_csr *m, size_t count, const char *name, em_error *err)
{
    long long last = whole_at(m->starts, m->start_type, 0);
    if (last != 0)
        return emi_fail(err, EM_EDATA, "%s: its first row begins at entry %lld; try a matrix whose starts begin with 0",
                        name, last);
    for (size_t r = 0; r < m->rows; r++) {
        long long begin = last, end = last = whole_at(m->starts, m->start_type, r + 1);
        if (end < begin || (unsigned long long)end > count)
            return emi_fail(err, EM_EDATA,
                            "%s: row %zu (from 0) goes from entry %lld to %lld of %zu; try making the matrix anew",
                            name, r, begin, end, count);
    }
    return EM_OK;
}

/* Starts first: where all of them are good, no row reads past the entries. */
em_status emi_csr_check(const emi_csr *m, size_t count, const char *name, em_error *err)
{
    em_status status = check_starts(m, count, name, err);
    for (size_t r = 0; status == EM_OK && r < m->rows; r++)
        for (size_t n = emi_csr_start(m, r), end = emi_csr_start(m, r + 1); n < end; n++) {
            long long column = whole_at(m->indices, m->index_type, n);
            if (column < 0 || (unsigned long long)column >= m->columns)
                return emi_fail(err, EM_EDATA,
                                "%s: row %zu has an entry in column %lld (from 0), and there are %zu; try making the "
                                "matrix anew",
                                name, r, column, m->columns);
        }
    return status;
}

/* ---- columns that a row has twice --------------------------------------------------------------------------------- */

/* Rows in which columns rise have none twice.  Of the others, seen[c] is the last row, counted from 1, that had column c. */
static em_status has_doubles(const emi_csr *m, const char *name, int *has, em_error *err)
{
    size_t *seen = NULL;
    *has = 0;
    for (size_t r = 0; r < m->rows && !*has; r++) {
        size_t begin = emi_csr_start(m, r), end = emi_csr_start(m, r + 1), n = begin + 1;
        while (n < end && emi_csr_index(m, n - 1) < emi_csr_index(m, n)) n++;
        if (n >= end) continue;
        if (!seen) seen = emi_calloc(m->columns, sizeof *seen);
        if (!seen) return emi_fail_memory(err, name);
        for (n = begin; n < end && !*has; n++) {
            size_t *last = &seen[emi_csr_index(m, n)];
            *has = *last == r + 1;
            *last = r + 1;
        }
    }
    emi_free(seen);
    return EM_OK;
}

/* Arrays of its own, in place of the caller's. */
static em_status own(emi_csr *m, const char *name, em_error *err)
{
    size_t count = emi_csr_count(m), size = emi_dtype_size(m->type);
    void *values = emi_calloc(count, size);
    int32_t *indices = emi_calloc(count, sizeof *indices);
    int64_t *starts = emi_calloc(m->rows + 1, sizeof *starts);
    if (!values || !indices || !starts) {
        emi_free(starts);
        emi_free(indices);
        emi_free(values);
        return emi_fail_memory(err, name);
    }
    memcpy(values, m->values, count * size);
    for (size_t n = 0; n < count; n++) indices[n] = (int32_t)emi_csr_index(m, n);
    for (size_t r = 0; r <= m->rows; r++) starts[r] = (int64_t)emi_csr_start(m, r);
    m->values = values, m->indices = indices, m->starts = starts;
    m->index_type = EM_I32, m->start_type = EM_I64;
    m->owned = 1;
    return EM_OK;
}

static void put(emi_csr *m, size_t n, size_t column, double value)
{
    ((int32_t *)m->indices)[n] = (int32_t)column;
    if (m->type == EM_F32)
        ((float *)m->values)[n] = (float)value;
    else
        ((double *)m->values)[n] = value;
}

static const size_t gone = SIZE_MAX;

/* Row by row and in place, as what is left is never more: a column becomes to[column], or is dropped where that is `gone`, and what a
 * row then has twice is added up.  `place` has a number for each of the new columns. */

static void rewrite(emi_csr *m, const size_t *to, size_t *place)
{
    int64_t *starts = m->starts;
    size_t kept = 0, begin = 0;
    for (size_t r = 0; r < m->rows; r++) {
        size_t end = (size_t)starts[r + 1], first = kept;
        for (size_t n = begin; n < end; n++) {
            size_t column = emi_csr_index(m, n), now = to ? to[column] : column, at;
            double value = emi_csr_value(m, n);
            if (now == gone) continue;
            at = place[now];
            int again = at >= first && at < kept && emi_csr_index(m, at) == now;
            place[now] = again ? at : kept++;
            put(m, place[now], now, again ? emi_csr_value(m, at) + value : value);
        }
        begin = end;
        starts[r + 1] = (int64_t)kept;
    }
}

/* Floats become doubles. */
static em_status widen(emi_csr *m, const char *name, em_error *err)
{
    size_t count = emi_csr_count(m);
    if (m->type == EM_F64) return EM_OK;
    double *wide = emi_calloc(count, sizeof *wide);
    if (!wide) return emi_fail_memory(err, name);
    for (size_t n = 0; n < count; n++) wide[n] = emi_csr_value(m, n);
    emi_free(m->values);
    m->values = wide;
    m->type = EM_F64;
    return EM_OK;
}

em_dtype emi_narrow(double *values, size_t count)
{
    unsigned char *to = (unsigned char *)values;
    for (size_t n = 0; n < count; n++)
        if ((double)(float)values[n] != values[n]) return EM_F64;
    for (size_t n = 0; n < count; n++) {
        float narrow = (float)values[n];
        memcpy(to + n * sizeof narrow, &narrow, sizeof narrow); /* behind where it is read */
    }
    return EM_F32;
}

static em_status add_up_doubles(emi_csr *m, const char *name, em_error *err)
{
    em_status status = EM_OK;
    int has;
    size_t *place = NULL;
    TRY(has_doubles(m, name, &has, err));
    if (!has) return EM_OK;
    if (!m->owned) TRY(own(m, name, err));
    if (m->whole) TRY(widen(m, name, err)); /* a sum may have more digits than what is added up */
    place = emi_calloc(m->columns, sizeof *place);
    if (!place) TRY(emi_fail_memory(err, name));
    rewrite(m, NULL, place);
    if (m->whole) m->type = emi_narrow(m->values, emi_csr_count(m));
done:
    emi_free(place);
    return status;
}

/* ---- columns that are nearly full ------------------------------------------------------------------------------------ */

static em_status find_full(emi_csr *m, const char *name, em_error *err)
{
    size_t count = emi_csr_count(m), full = 0;
    size_t *filled = emi_calloc(m->columns, sizeof *filled);
    if (!filled) return emi_fail_memory(err, name);
    for (size_t n = 0; n < count; n++) filled[emi_csr_index(m, n)]++;
    for (size_t c = 0; c < m->columns; c++)
        if (filled[c] >= m->rows - m->rows / 4) filled[full++] = c;
    emi_free(m->full);
    m->full = emi_calloc(full + 1, sizeof *m->full);
    m->full_count = m->full ? full : 0;
    for (size_t n = 0; n < m->full_count; n++) m->full[n] = (int32_t)filled[n];
    emi_free(filled);
    return m->full ? EM_OK : emi_fail_memory(err, name);
}

/* ---- a table of it ------------------------------------------------------------------------------------------------------ */

static em_status csr_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    (void)err;
    const emi_csr *m = data->state;
    memset(out, 0, sizeof *out * count * data->columns);
    for (size_t r = 0; r < count; r++)
        for (size_t n = emi_csr_start(m, first + r), end = emi_csr_start(m, first + r + 1); n < end; n++)
            out[r * data->columns + emi_csr_index(m, n)] = emi_csr_value(m, n);
    return EM_OK;
}

/* Entries of the other columns are dropped, for good. */
static em_status csr_pick(em_data *data, em_error *err)
{
    em_status status = EM_OK;
    emi_csr *m = data->state;
    size_t *to = emi_calloc(m->columns, sizeof *to), *place = emi_calloc(data->columns, sizeof *place);
    if (!to || !place) TRY(emi_fail_memory(err, data->name));
    if (!m->owned) TRY(own(m, data->name, err));
    for (size_t c = 0; c < m->columns; c++) to[c] = gone;
    for (size_t c = 0; c < data->columns; c++) to[data->pick[c]] = c;
    rewrite(m, to, place);
    m->columns = data->columns;
    TRY(find_full(m, data->name, err));
done:
    emi_free(place);
    emi_free(to);
    return status;
}

static void csr_close(em_data *data)
{
    if (data->state) emi_csr_free(data->state);
    emi_free(data->state);
    data->state = NULL;
}

static const emi_source csr_source = {.read = csr_read, .pick = csr_pick, .close = csr_close, .rows = &emi_csr_rows};

em_status emi_csr_open(em_data *data, emi_csr *m, em_error *err)
{
    em_status status = EM_OK;
    emi_csr *kept = NULL;
    if (!emi_csr_is_likely(m->columns, emi_csr_count(m)))
        return emi_fail(err, EM_EDATA, "%s: %zu columns are too many for %zu entries; try fewer", data->name,
                        m->columns, emi_csr_count(m));
    TRY(add_up_doubles(m, data->name, err));
    TRY(find_full(m, data->name, err));
    kept = emi_calloc(1, sizeof *kept);
    if (!kept) TRY(emi_fail_memory(err, data->name));
    *kept = *m;
    *m = (emi_csr){0};
    data->source = &csr_source;
    data->state = kept;
    data->type = kept->type;
    data->rows = kept->rows;
    data->columns = kept->columns;
done:
    return status;
}

static em_status check_arguments(const void *values, em_dtype type, const void *indices, const void *starts,
                                 em_dtype index_type, size_t rows, size_t columns, em_error *err)
{
    if (!starts || rows == 0 || columns == 0)
        return emi_fail(err, EM_EINVAL, "sparse matrix: %zu rows of %zu columns; try one of each or more", rows,
                        columns);
    if (type != EM_F32 && type != EM_F64)
        return emi_fail(err, EM_EINVAL, "sparse matrix: its values are neither EM_F32 nor EM_F64; try one of these");
    if (index_type != EM_I32 && index_type != EM_I64)
        return emi_fail(err, EM_EINVAL, "sparse matrix: its indices are neither EM_I32 nor EM_I64; try one of these");
    if ((!values || !indices) && whole_at(starts, index_type, rows) > 0)
        return emi_fail(err, EM_EINVAL, "sparse matrix: values or indices are NULL; try both");
    return EM_OK;
}

em_status em_data_from_csr(em_data **out, const void *values, em_dtype type, const void *indices, const void *starts,
                           em_dtype index_type, size_t rows, size_t columns, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    emi_csr m = {.rows = rows,
                 .columns = columns,
                 .type = type,
                 .index_type = index_type,
                 .start_type = index_type,
                 .values = (void *)values,
                 .indices = (void *)indices,
                 .starts = (void *)starts};
    *out = NULL;
    TRY(check_arguments(values, type, indices, starts, index_type, rows, columns, err));
    long long count = whole_at(starts, index_type, rows); /* the arrays have, as their owner says */
    TRY(emi_csr_check(&m, count > 0 ? (size_t)count : 0, "sparse matrix", err));
    data = emi_calloc(1, sizeof *data);
    if (!data) TRY(emi_fail_memory(err, "sparse matrix"));
    data->format = "csr";
    data->name = emi_strdup("sparse matrix");
    if (!data->name) TRY(emi_fail_memory(err, "sparse matrix"));
    TRY(emi_csr_open(data, &m, err));
    *out = data;
    data = NULL;
done:
    emi_csr_free(&m);
    em_data_free(&data);
    return status;
}
