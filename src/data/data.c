#include "data/data.h"

#include "base/memory.h"
#include "data/strided.h"

#include <limits.h>
#include <math.h>

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

size_t em_data_rows(const em_data *data)
{
    return data->rows;
}

size_t em_data_columns(const em_data *data)
{
    return data->columns;
}

em_dtype em_data_type(const em_data *data)
{
    return data->type;
}

const char *em_data_format(const em_data *data)
{
    return data->format;
}

const char *em_data_name(const em_data *data)
{
    return data->name;
}

const char *em_data_label(const em_data *data, size_t row)
{
    (void)data;
    (void)row;
    return NULL;
}

em_status em_data_read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    if (first > data->rows || count > data->rows - first)
        return emi_fail(err, EM_EINVAL, "%s: rows %zu to %zu asked for, and it has %zu", data->name, first,
                        first + count, data->rows);
    return data->source->read(data, first, count, out, err);
}

void emi_data_forget(const em_data *data, size_t first, size_t count)
{
    if (data->source->forget) data->source->forget(data, first, count);
}

const double *emi_data_in_place(const em_data *data, size_t first)
{
    return data->source->in_place ? data->source->in_place(data, first) : NULL;
}

em_status emi_data_check_finite(const em_data *data, size_t first, size_t count, const double *rows, em_error *err)
{
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < data->columns; c++) {
            double value = rows[r * data->columns + c];
            if (isfinite(value)) continue;
            return emi_fail(err, EM_EDATA, "%s: row %zu, column %zu (from 0) is %s; try dropping or filling it",
                            data->name, first + r, data->pick ? data->pick[c] : c,
                            isnan(value) ? "not a number (NaN)" : "infinite");
        }
    return EM_OK;
}

void em_data_free(em_data **handle)
{
    em_data *data = *handle;
    if (!data) return;
    if (data->source) data->source->close(data);
    emi_free(data->pick);
    emi_free(data->name);
    emi_free(data);
    *handle = NULL;
}
