/* A sparse matrix out of an .npz, as scipy.sparse.save_npz writes it: arrays `format`, `shape` and `data`, with `indices` and `indptr` of
 * rows (csr) or columns (csc), or `row` and `col` (coo). */
#include "data/npz_sparse.h"

#include "base/memory.h"
#include "data/dtype.h"
#include "data/entries.h"

#include <string.h>

int emi_npz_is_sparse(const emi_npz *npz)
{
    return emi_npz_find(npz, "format") >= 0 && emi_npz_find(npz, "shape") >= 0 && emi_npz_find(npz, "data") >= 0;
}

/* ---- arrays -------------------------------------------------------------------------------------------------------------- */

typedef struct archive {
    emi_npz *npz;
    const char *name;
} archive;

/* Of one dimension, as numbers of its own type. */
typedef struct array {
    emi_npy header;
    emi_bytes bytes;
} array;

static int is_whole(em_dtype type)
{
    return type >= EM_I8 && type <= EM_U64;
}

static em_status read_array(const archive *a, const char *what, int whole, array *out, em_error *err)
{
    em_status status = EM_OK;
    long index = emi_npz_find(a->npz, what);
    if (index < 0)
        TRY(emi_fail(err, EM_EDATA, "%s: a sparse matrix without its array %s; try scipy.sparse.save_npz", a->name,
                     what));
    TRY(emi_npz_read(a->npz, (size_t)index, &out->header, &out->bytes, err));
    if (out->header.kind != EMI_NPY_NUMBER || out->header.dims != 1 || (whole && !is_whole(out->header.type)))
        TRY(emi_fail(err, EM_EDATA, "%s: its array %s is no list of %s; try scipy.sparse.save_npz", a->name, what,
                     whole ? "whole numbers" : "numbers"));
done:
    return status;
}

static void decode(const array *from, size_t first, size_t count, double *out)
{
    size_t size = from->header.item_size;
    emi_decode(from->header.type, from->header.swapped, from->bytes.at + from->header.data_offset + first * size,
               (ptrdiff_t)size, count, out);
}

/* What is no such number becomes -1, which is nowhere. */
static void store(em_dtype type, void *to, size_t n, double value)
{
    switch (type) {
    case EM_I32: ((int32_t *)to)[n] = value >= 0 && value <= INT32_MAX ? (int32_t)value : -1; break;
    case EM_I64: ((int64_t *)to)[n] = value >= 0 && value <= 0x1p53 ? (int64_t)value : -1; break;
    case EM_F32: ((float *)to)[n] = (float)value; break;
    default: ((double *)to)[n] = value;
    }
}

/* As an array of that type, the caller's to free. */
static em_status convert(const array *from, em_dtype type, const char *name, void **out, em_error *err)
{
    enum { AT_ONCE = 1024 };
    double some[AT_ONCE];
    size_t count = from->header.count, now;
    *out = emi_calloc(count, emi_dtype_size(type));
    if (!*out) return emi_fail_memory(err, name);
    for (size_t first = 0; first < count; first += now) {
        now = count - first < AT_ONCE ? count - first : AT_ONCE;
        decode(from, first, now, some);
        for (size_t n = 0; n < now; n++) store(type, *out, first + n, some[n]);
    }
    return EM_OK;
}

static em_status read_whole(const archive *a, const char *what, em_dtype type, void **out, size_t *count, em_error *err)
{
    array from = {0};
    em_status status = read_array(a, what, 1, &from, err);
    if (status == EM_OK) status = convert(&from, type, a->name, out, err);
    *count = from.header.count;
    emi_bytes_release(&from.bytes);
    return status;
}

/* Floats where they hold all digits. */
static em_status read_values(const archive *a, void **out, em_dtype *type, int *whole, size_t *count, em_error *err)
{
    array from = {0};
    em_status status = read_array(a, "data", 0, &from, err);
    em_dtype own = from.header.type;
    *type = own == EM_F32 || own == EM_F16 || emi_dtype_size(own) < 4 ? EM_F32 : EM_F64;
    if (status == EM_OK) status = convert(&from, *type, a->name, out, err);
    *count = from.header.count;
    *whole = is_whole(own);
    if (status == EM_OK && *whole && *type == EM_F64) *type = emi_narrow(*out, *count);
    emi_bytes_release(&from.bytes);
    return status;
}

static em_status read_shape(const archive *a, size_t *rows, size_t *columns, em_error *err)
{
    size_t count;
    int64_t *shape = NULL;
    em_status status = read_whole(a, "shape", EM_I64, (void **)&shape, &count, err);
    if (status == EM_OK && (count != 2 || shape[0] < 0 || shape[1] < 0 || shape[0] > INT32_MAX || shape[1] > INT32_MAX))
        status = emi_fail(err, EM_EDATA,
                          "%s: its shape is not that of a matrix, or too large; try scipy.sparse.save_npz", a->name);
    if (status == EM_OK) *rows = (size_t)shape[0], *columns = (size_t)shape[1];
    emi_free(shape);
    return status;
}

/* ---- formats ------------------------------------------------------------------------------------------------------------------ */

/* Of columns where they are compressed: the same of what is transposed. */
static em_status read_compressed(const archive *a, size_t rows, size_t columns, emi_csr *m, em_error *err)
{
    em_status status = EM_OK;
    size_t starts, indices, values;
    *m = (emi_csr){.rows = rows, .columns = columns, .index_type = EM_I32, .start_type = EM_I64, .owned = 1};
    TRY(read_whole(a, "indptr", EM_I64, &m->starts, &starts, err));
    TRY(read_whole(a, "indices", EM_I32, &m->indices, &indices, err));
    TRY(read_values(a, &m->values, &m->type, &m->whole, &values, err));
    if (starts != rows + 1 || indices != values)
        TRY(emi_fail(err, EM_EDATA,
                     "%s: %zu starts, %zu indices and %zu values for %zu rows; try scipy.sparse.save_npz", a->name,
                     starts, indices, values, rows));
    TRY(emi_csr_check(m, values, a->name, err));
done:
    return status;
}

static em_status read_coordinates(const archive *a, size_t rows, size_t columns, emi_csr *m, em_error *err)
{
    em_status status = EM_OK;
    size_t down, across;
    emi_entries e = {.rows = rows, .columns = columns};
    TRY(read_whole(a, "row", EM_I32, (void **)&e.row, &down, err));
    TRY(read_whole(a, "col", EM_I32, (void **)&e.column, &across, err));
    TRY(read_values(a, &e.value, &e.type, &e.whole, &e.count, err));
    if (down != e.count || across != e.count)
        TRY(emi_fail(err, EM_EDATA, "%s: %zu rows, %zu columns and %zu values; try scipy.sparse.save_npz", a->name,
                     down, across, e.count));
    TRY(emi_entries_to_csr(&e, m, a->name, err));
done:
    emi_entries_free(&e);
    return status;
}

em_status emi_npz_sparse_open(em_data *data, emi_npz *npz, int transpose, em_error *err)
{
    em_status status = EM_OK;
    const archive a = {npz, data->name};
    char format[8];
    size_t rows, columns;
    emi_csr m = {0};
    TRY(emi_npz_word(npz, (size_t)emi_npz_find(npz, "format"), format, sizeof format, err));
    TRY(read_shape(&a, &rows, &columns, err));
    int by_columns = strcmp(format, "csc") == 0;
    if (strcmp(format, "coo") == 0)
        TRY(read_coordinates(&a, rows, columns, &m, err));
    else if (by_columns || strcmp(format, "csr") == 0)
        TRY(read_compressed(&a, by_columns ? columns : rows, by_columns ? rows : columns, &m, err));
    else
        TRY(emi_fail(err, EM_ENOTSUP, "%s: a sparse matrix of format '%s'; try saving its .tocsr()", data->name,
                     format));
    if (by_columns != !!transpose) TRY(emi_csr_transpose(&m, data->name, err));
    TRY(emi_csr_open(data, &m, err));
    (void)snprintf(data->remarks, sizeof data->remarks, "a sparse matrix (%s)%s", format,
                   transpose ? ", transposed" : "");
done:
    emi_csr_free(&m);
    return status;
}
