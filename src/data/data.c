#include "data/data.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "data/encoding.h"
#include "data/names.h"
#include "data/row_kind.h"
#include "data/strided.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

em_status em_data_from_array(em_data **out, const void *values, em_dtype type, size_t rows, size_t columns,
                             ptrdiff_t row_stride, ptrdiff_t column_stride, em_error *err)
{
    em_status status = EM_OK;
    size_t total;
    em_data *data = NULL;
    *out = NULL;
    if (!values || rows == 0 || columns == 0)
        return emi_fail(err, EM_EINVAL, "array: %zu rows of %zu columns; try one of each or more", rows, columns);
    if ((int)type < 0 || type > EM_BOOL) return emi_fail(err, EM_EINVAL, "array: no such type of number; try EM_F64");
    size_t size = emi_dtype_size(type);
    if (emi_size_overflows(rows, columns, &total) || emi_size_overflows(total, size, &total) || total > PTRDIFF_MAX)
        return emi_fail(err, EM_EINVAL, "array: %zu rows of %zu columns are more than memory holds", rows, columns);
    data = emi_calloc(1, sizeof *data);
    if (!data) return emi_fail_memory(err, "array");
    data->format = "array";
    data->name = emi_strdup("array");
    if (!data->name) TRY(emi_fail_memory(err, "array"));
    emi_layout layout = {.type = type,
                         .rows = rows,
                         .columns = columns,
                         .column_stride = column_stride ? column_stride : (ptrdiff_t)size,
                         .row_stride = row_stride ? row_stride : (ptrdiff_t)(columns * size)};
    emi_bytes borrowed = {(unsigned char *)values, 0, EMI_BORROWED};
    TRY(emi_strided_open(data, &borrowed, &layout, err));
    *out = data;
    data = NULL;
done:
    em_data_free(&data);
    return status;
}

EMI_GETTER(size_t, em_data_rows, em_data *data, data->rows)
EMI_GETTER(size_t, em_data_columns, em_data *data, data->columns)
EMI_GETTER(em_dtype, em_data_type, em_data *data, data->type)
EMI_GETTER(const char *, em_data_format, em_data *data, data->format)
EMI_GETTER(const char *, em_data_name, em_data *data, data->name)

const char *em_data_column_name(const em_data *data, size_t column)
{
    return data->names && column < data->columns ? data->names[column] : NULL;
}

static void free_names(char **names, size_t count)
{
    for (size_t c = 0; names && c < count; c++) emi_free(names[c]);
    emi_free(names);
}

em_status em_data_set_column_names(em_data *data, const char *const *names, em_error *err)
{
    int latin1 = 0;
    char **copies = emi_calloc(data->columns, sizeof *copies);
    int whole = copies != NULL;
    for (size_t c = 0; whole && c < data->columns; c++) {
        copies[c] = emi_utf8_copy(names[c], strlen(names[c]), &latin1);
        whole = copies[c] != NULL;
        if (whole && emi_utf8_length(copies[c]) > EMI_NAME_LONGEST) {
            free_names(copies, data->columns);
            return emi_fail(err, EM_EDATA,
                            "%s: the name of column %zu (from 0) is longer than %d letters; try a shorter one",
                            data->name, c, EMI_NAME_LONGEST);
        }
    }
    if (!whole) {
        free_names(copies, data->columns);
        return emi_fail_memory(err, data->name);
    }
    free_names(data->names, data->columns);
    data->names = copies;
    return EM_OK;
}

em_status emi_data_pick(em_data *data, size_t *pick, size_t picked, em_error *err)
{
    char **names = data->names ? emi_calloc(picked, sizeof *names) : NULL;
    if (data->names && !names) return emi_fail_memory(err, data->name);
    for (size_t c = 0; names && c < picked; c++) {
        names[c] = data->names[pick[c]];
        data->names[pick[c]] = NULL;
    }
    free_names(data->names, data->columns);
    data->names = names;
    data->pick = pick;
    data->columns = picked;
    return data->source->pick ? data->source->pick(data, err) : EM_OK;
}

const em_left_out *em_data_left_out(const em_data *data, size_t index)
{
    return index < data->left_out_count ? &data->left_out[index] : NULL;
}

EMI_GETTER(size_t, em_data_rows_dropped, em_data *data, data->dropped)
EMI_GETTER(const char *, em_data_remarks, em_data *data, data->remarks)

const char *em_data_label(const em_data *data, size_t row)
{
    return data->label && row < data->rows ? data->labels + data->label[emi_data_row(data, row)] : NULL;
}

/* One allocation a column: the name, and why. */
em_status emi_leave_out(em_data *data, size_t column, const char *name, em_error *err, const char *why, ...)
{
    char reason[128];
    va_list args;
    va_start(args, why);
    (void)vsnprintf(reason, sizeof reason, why, args);
    va_end(args);
    size_t count = data->left_out_count, length = name ? strlen(name) + 1 : 1, room = strlen(reason) + 1;
    em_left_out *all = emi_realloc(data->left_out, (count + 1) * sizeof *all);
    if (all) data->left_out = all;
    char *text = all ? emi_malloc(length + room) : NULL;
    if (!text) return emi_fail_memory(err, data->name);
    memcpy(text, name ? name : "", length);
    memcpy(text + length, reason, room);
    all[count] = (em_left_out){column, text, text + length};
    data->left_out_count++;
    return EM_OK;
}

size_t emi_data_row(const em_data *data, size_t row)
{
    return data->kept ? data->kept[row] : row;
}

void emi_data_forget(const em_data *data, size_t first, size_t count)
{
    if (data->source->forget && !data->kept) data->source->forget(data, first, count);
}

em_status em_data_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    if (first > data->rows || count > data->rows - first)
        return emi_fail(err, EM_EINVAL, "%s: rows %zu to %zu asked for, and it has %zu", data->name, first,
                        first + count, data->rows);
    em_status status = EM_OK;
    if (!data->kept) {
        status = data->source->read(data, first, count, out, err);
        emi_data_forget(data, first, count);
        return status;
    }
    for (size_t r = 0, run; status == EM_OK && r < count; r += run) { /* rows in a row at once */
        const size_t *kept = data->kept + first + r;
        run = 1;
        while (r + run < count && kept[run] == kept[0] + run) run++;
        status = data->source->read(data, kept[0], run, out + r * data->columns, err);
    }
    return status;
}

const void *emi_data_in_place(const em_data *data, size_t first)
{
    int plain = data->source->in_place && !data->kept && !data->holes;
    return plain ? data->source->in_place(data, first) : NULL;
}

em_status emi_data_check(const em_data *data, size_t first, size_t count, em_error *err)
{
    return data->source->check ? data->source->check(data, first, count, err) : EM_OK;
}

em_status emi_data_check_finite(const em_data *data, size_t first, size_t count, const double *rows, em_error *err)
{
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < data->columns; c++) {
            double value = rows[r * data->columns + c];
            if (isfinite(value) || (data->holes && isnan(value))) continue;
            return emi_fail(err, EM_EDATA, "%s: row %zu, column %zu (from 0) is %s", data->name,
                            emi_data_row(data, first + r), data->pick ? data->pick[c] : c,
                            isnan(value) ? "not a number (NaN); try filling it, or missing=drop or mean"
                                         : "infinite; try dropping or mending it");
        }
    return EM_OK;
}

/* ---- missing values: NaN, wherever it came from ------------------------------------------------------ */

enum { AT_ONCE = 1 << 16 }; /* numbers */

static int can_hold_nan(em_dtype type)
{
    return type == EM_F64 || type == EM_F32 || type == EM_F16 || type == EM_LONG_DOUBLE;
}

static int is_whole(const double *row, size_t columns)
{
    for (size_t c = 0; c < columns; c++)
        if (isnan(row[c])) return 0;
    return 1;
}

/* The rows without a hole, into kept[rows]; *count of them. */
static em_status find_whole(const em_data *data, size_t *kept, size_t *count, em_error *err)
{
    em_status status = EM_OK;
    size_t d = data->columns, at_once = d < AT_ONCE ? AT_ONCE / d : 1, now;
    double *rows = emi_doubles(at_once * d);
    *count = 0;
    if (!rows) return emi_fail_memory(err, data->name);
    for (size_t first = 0; first < data->rows; first += now) {
        now = data->rows - first < at_once ? data->rows - first : at_once;
        TRY(em_data_read(data, first, now, rows, err));
        for (size_t r = 0; r < now; r++)
            if (is_whole(rows + r * d, d)) kept[(*count)++] = first + r;
    }
done:
    emi_free(rows);
    return status;
}

em_status emi_data_missing(em_data *data, em_missing what, em_error *err)
{
    size_t count = 0;
    if (data->source->rows == &emi_moment_rows) return EM_OK; /* which were made of whole rows */
    data->holes = data->holes || (what == EM_MISSING_MEAN && can_hold_nan(data->type));
    if (what != EM_MISSING_DROP || !can_hold_nan(data->type)) return EM_OK;
    size_t *kept = emi_calloc(data->rows, sizeof *kept);
    em_status status = kept ? find_whole(data, kept, &count, err) : emi_fail_memory(err, data->name);
    if (status == EM_OK && count == 0)
        status = emi_fail(err, EM_EDATA, "%s: every row has a missing value; try missing=mean, or fewer option columns",
                          data->name);
    if (status != EM_OK || count == data->rows) {
        emi_free(kept);
        return status;
    }
    data->kept = kept;
    data->dropped = data->rows - count;
    data->rows = count;
    return EM_OK;
}

void em_data_free(em_data **handle)
{
    em_data *data = *handle;
    if (!data) return;
    if (data->source) data->source->close(data);
    for (size_t n = 0; n < data->left_out_count; n++) emi_free((char *)data->left_out[n].name);
    emi_free(data->left_out);
    free_names(data->names, data->columns);
    emi_free(data->label);
    emi_free(data->labels);
    emi_free(data->kept);
    emi_free(data->pick);
    emi_free(data->name);
    emi_free(data);
    *handle = NULL;
}
