/* A table whose rows lie on a GPU, somebody else's: they are multiplied there, and come here only for who reads them. */
#include "base/memory.h"
#include "data/gpu_rows.h"
#include "data/row_kind.h"

#include <limits.h>
#include <stdint.h>

static em_status read(const em_data *data, size_t first, size_t count, double *out, em_error *err)
{
    return emi_gpu_rows_read(data->state, first, count, out, err);
}

static void close_table(em_data *data)
{
    emi_gpu_rows *rows = data->state;
    if (rows) {
        emi_gpu_give(&rows->gpu);
        emi_free((emi_shard *)rows->shard);
    }
    emi_free(rows);
    data->state = NULL;
}

em_status emi_gpu_rows_borrow(emi_gpu_rows *out, const emi_shard *shard, em_error *err)
{
    const emi_gpu_rows *all = shard->data->state;
    if (shard->order || shard->data->kept || shard->data->pick)
        return emi_fail(err, EM_ENOTSUP,
                        "%s: rows on a GPU are taken in their order; try split=contiguous, or an array of the CPU's",
                        shard->data->name);
    *out = *all;
    out->shard = shard;
    out->resident = shard->count;
    out->settled = 1;
    size_t number = all->single ? sizeof(float) : sizeof(double);
    out->at += (emi_address)((ptrdiff_t)shard->first * all->row_step * (ptrdiff_t)number);
    return EM_OK;
}

static em_status survey(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                        emi_scratch scratch, em_error *err)
{
    (void)helpers, (void)scratch;
    emi_gpu_rows own;
    em_status status = emi_gpu_rows_borrow(&own, shard, err);
    return status == EM_OK ? emi_gpu_rows_survey(&own, unit, found, err) : status;
}

static em_status scores(const emi_operator *C, emi_real real, emi_block X, void *out, emi_scratch scratch,
                        em_error *err)
{
    (void)scratch;
    emi_gpu_rows own;
    em_status status = emi_gpu_rows_borrow(&own, C->shard, err);
    return status == EM_OK ? emi_gpu_rows_scores(&own, C, real, X, out, err) : status;
}

const emi_row_kind emi_on_gpu = {.name = "gpu", .survey = survey, .scores = scores};

static const emi_source source = {.read = read, .close = close_table, .rows = &emi_on_gpu};

/* ---- taking one ------------------------------------------------------------------------------------------------------- */

static em_status check(const void *values, em_dtype type, size_t rows, size_t columns, ptrdiff_t row_stride,
                       ptrdiff_t column_stride, em_error *err)
{
    size_t total, size = emi_dtype_size(type);
    if (!values || rows == 0 || columns == 0 || columns > INT_MAX / 2)
        return emi_fail(err, EM_EINVAL, "array: %zu rows of %zu columns; try one of each or more", rows, columns);
    if (type != EM_F32 && type != EM_F64)
        return emi_fail(err, EM_ENOTSUP, "array: on a GPU numbers are float32 or float64; try one of these");
    if (emi_size_overflows(rows, columns, &total) || emi_size_overflows(total, size, &total) || total > PTRDIFF_MAX)
        return emi_fail(err, EM_EINVAL, "array: %zu rows of %zu columns are more than memory holds", rows, columns);
    if (row_stride % (ptrdiff_t)size || column_stride % (ptrdiff_t)size || (uintptr_t)values % size)
        return emi_fail(err, EM_ENOTSUP, "array: on a GPU numbers lie whole numbers apart; try a copy of it");
    return EM_OK;
}

/* Whose work on it is done, and which lies where it is said to. */
static em_status check_memory(const emi_gpu_rows *rows, void *stream, em_error *err)
{
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    status = emi_gpu_check_place(rows->gpu, rows->at, err);
    if (status == EM_OK) status = emi_gpu_wait_for(rows->gpu, stream, err);
    emi_gpu_leave(rows->gpu);
    return status;
}

static em_status describe(em_data *data, emi_gpu_rows *rows, em_error *err)
{
    emi_shard *all = emi_calloc(1, sizeof *all);
    if (!all) return emi_fail_memory(err, "array");
    *all = (emi_shard){data, 0, data->rows, NULL};
    rows->shard = all;
    em_status status = emi_gpu_take(&rows->gpu, err);
    if (status == EM_OK) rows->chunk = emi_gpu_chunk(rows->gpu, rows->d, rows->single);
    return status;
}

em_status em_data_from_gpu(em_data **out, const void *values, em_dtype type, size_t rows, size_t columns,
                           ptrdiff_t row_stride, ptrdiff_t column_stride, void *stream, em_error *err)
{
    em_data *data = NULL;
    *out = NULL;
    em_status status = (int)type < 0 || type > EM_BOOL
                           ? emi_fail(err, EM_EINVAL, "array: no such type of number; try EM_F64")
                           : check(values, type, rows, columns, row_stride, column_stride, err);
    if (status != EM_OK) return status;
    ptrdiff_t size = (ptrdiff_t)emi_dtype_size(type);
    emi_gpu_rows *state = emi_calloc(1, sizeof *state);
    data = emi_calloc(1, sizeof *data);
    if (!data || !state) {
        emi_free(state);
        TRY(emi_fail_memory(err, "array"));
    }
    *data =
        (em_data){.source = &source, .state = state, .format = "gpu", .type = type, .rows = rows, .columns = columns};
    *state = (emi_gpu_rows){.d = columns,
                            .single = type == EM_F32,
                            .at = (emi_address)(uintptr_t)values,
                            .resident = rows,
                            .settled = 1,
                            .row_step = row_stride ? row_stride / size : (ptrdiff_t)columns,
                            .column_step = column_stride ? column_stride / size : 1,
                            .lent = 1,
                            .must = 1};
    data->name = emi_strdup("array");
    if (!data->name) TRY(emi_fail_memory(err, "array"));
    TRY(describe(data, state, err));
    TRY(check_memory(state, stream, err));
    *out = data;
    data = NULL;
done:
    em_data_free(&data);
    return status;
}
