#include "data/gpu_rows.h"

#include "base/memory.h"
#include "data/dtype.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#ifndef EMI_GPU_CHUNK_BYTES /* tests have smaller ones */
#define EMI_GPU_CHUNK_BYTES (emi_gpu_size(gpu) / CHUNKS)
#define EMI_GPU_STAGE_BYTES ((size_t)32 << 20)
#endif

enum {
    CHUNKS = 64,          /* that its memory has room for                  */
    CHUNK_MOST = 1 << 20, /* rows                                          */
    SLICE_BYTES = 1 << 20 /* of doubles that a thread reads at a time      */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t number(const emi_gpu_rows *rows)
{
    return rows->single ? sizeof(float) : sizeof(double);
}

/* Rows of so many bytes that are about so many together: one at least. */
static size_t rows_in(size_t row, size_t bytes)
{
    return bytes / row > 1 ? bytes / row : 1;
}

size_t emi_gpu_chunk(const emi_gpu *gpu, size_t d, int single)
{
    (void)gpu;
    return smaller(CHUNK_MOST, rows_in(d * (single ? sizeof(float) : sizeof(double)), EMI_GPU_CHUNK_BYTES));
}

/* ---- from the host ------------------------------------------------------------------------------------------------- */

typedef struct sending {
    const emi_gpu_rows *rows;
    size_t first, count, slice;
    char *to; /* pinned */
} sending;

static void narrow(const double *from, size_t count, float *to)
{
    for (size_t n = 0; n < count; n++) to[n] = (float)from[n]; /* all of them are floats */
}

/* As they lie, or as doubles, of which those that are floats become such again. */
static em_status read_slice(const emi_gpu_rows *rows, size_t first, size_t count, void *to, double *room, em_error *err)
{
    const emi_shard *shard = rows->shard;
    em_dtype own = rows->single ? EM_F32 : EM_F64;
    const void *in_place =
        shard->order || shard->data->type != own ? NULL : emi_data_in_place(shard->data, shard->first + first);
    if (in_place) {
        memcpy(to, in_place, count * rows->d * number(rows));
        return emi_data_check(shard->data, shard->first + first, count, err);
    }
    if (!rows->single) return emi_shard_read(shard, first, count, to, err);
    em_status status = emi_shard_read(shard, first, count, room, err);
    if (status == EM_OK) narrow(room, count * rows->d, to);
    return status;
}

static em_status read_body(void *context, int index, int worker, em_error *err)
{
    const sending *t = context;
    size_t at = (size_t)index * t->slice, count = smaller(t->slice, t->count - at);
    em_status status = read_slice(t->rows, t->first + at, count, t->to + at * t->rows->d * number(t->rows),
                                  t->rows->helpers->scratch[worker].v, err);
    emi_shard_forget(t->rows->shard, t->first + at, count);
    return status;
}

/* Rows that are sent at once. */
static size_t rows_of_stage(const emi_gpu_rows *rows)
{
    return rows_in(rows->d * number(rows), EMI_GPU_STAGE_BYTES);
}

/* As many of them, of those from `first` to `end`: while the device takes one buffer, threads fill another. */
static em_status send_some(const emi_gpu_rows *rows, size_t first, size_t end, emi_address to, size_t *count,
                           em_error *err)
{
    em_status status = EM_OK;
    size_t row = rows->d * number(rows);
    void *stage = NULL;
    sending t = {.rows = rows,
                 .first = first,
                 .count = smaller(rows_of_stage(rows), end - first),
                 .slice = emi_rows_at_once((int)rows->d, SLICE_BYTES)};
    TRY(emi_gpu_stage(rows->gpu, t.count * row, &stage, err));
    t.to = stage;
    TRY(emi_pool_run(rows->helpers->pool, (int)((t.count + t.slice - 1) / t.slice), (double)(t.count * rows->d),
                     read_body, &t, err));
    TRY(emi_gpu_send(rows->gpu, to, t.count * row, err));
    *count = t.count;
done:
    return status;
}

static em_status send_rows(const emi_gpu_rows *rows, size_t first, size_t count, emi_address to, em_error *err)
{
    em_status status = emi_gpu_mark_used(rows->gpu, 1, err); /* what was there may still be read */
    for (size_t done = 0, now = 0; done < count && status == EM_OK; done += now)
        status = send_some(rows, first + done, first + count, to + done * rows->d * number(rows), &now, err);
    return status;
}

em_status emi_gpu_rows_pass(emi_gpu_rows *rows, emi_gpu_look *look, void *context, em_error *err)
{
    em_status status = EM_OK;
    size_t all = rows->shard->count, place = smaller(rows_of_stage(rows), all) * rows->d * number(rows), turn = 0;
    emi_address room;
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_CHUNK, EMI_GPU_STAGES * place, &room, err));
    TRY(emi_gpu_mark_used(rows->gpu, 1, err));
    for (size_t first = 0, count = 0; first < all; first += count, turn = (turn + 1) % EMI_GPU_STAGES) {
        emi_address to = room + turn * place;
        TRY(send_some(rows, first, all, to, &count, err));
        TRY(look(context, (emi_gpu_view){to, count, rows->row_step, rows->column_step}, err));
        TRY(emi_gpu_mark_used(rows->gpu, 0, err));
    }
done:
    return status;
}

/* Bytes for rows, beside what work may take. */
static em_status memory_for_rows(const emi_gpu_rows *rows, size_t *fits, em_error *err)
{
    enum { SPARED = 8, WORK = 6, COLUMNS = 1024 }; /* that part of the memory at least; or chunks, and columns */
    size_t left = 0, total = 0, row = rows->d * number(rows), chunk = smaller(rows->chunk, rows->shard->count) * row;
    em_status status = emi_gpu_memory(rows->gpu, &left, &total, err);
    size_t work = WORK * chunk + sizeof(double) * COLUMNS * rows->d,
           spared = total / SPARED > work ? total / SPARED : work;
    *fits = left > spared ? left - spared : 0;
    return status;
}

/* Whole chunks, or all rows. */
static em_status find_room(emi_gpu_rows *rows, em_error *err)
{
    size_t fits = 0, row = rows->d * number(rows);
    em_status status = memory_for_rows(rows, &fits, err);
    if (status != EM_OK) return status;
    rows->resident = fits / row >= rows->shard->count ? rows->shard->count : fits / row / rows->chunk * rows->chunk;
    return rows->resident ? emi_gpu_alloc(rows->gpu, rows->resident * row, &rows->at, err) : EM_OK;
}

em_status emi_gpu_rows_settle(emi_gpu_rows *rows, em_error *err)
{
    em_status status = EM_OK;
    if (rows->settled) return EM_OK;
    TRY(find_room(rows, err));
    TRY(send_rows(rows, 0, rows->resident, rows->at, err));
    rows->settled = 1;
done:
    if (status != EM_OK) {
        emi_gpu_free(rows->gpu, rows->at);
        rows->at = 0, rows->resident = 0;
    }
    return status;
}

void emi_gpu_rows_describe(emi_gpu_rows *rows, emi_gpu *gpu, const emi_shard *shard, const emi_helpers *helpers)
{
    size_t d = shard->data->columns;
    *rows = (emi_gpu_rows){.gpu = gpu,
                           .shard = shard,
                           .d = d,
                           .single = emi_dtype_is_single(shard->data->type),
                           .row_step = (ptrdiff_t)d,
                           .column_step = 1,
                           .helpers = helpers};
    rows->chunk = emi_gpu_chunk(gpu, d, rows->single);
}

em_status emi_gpu_rows_open(emi_gpu_rows *rows, emi_gpu *gpu, const emi_shard *shard, const emi_helpers *helpers,
                            em_error *err)
{
    emi_gpu_rows_describe(rows, gpu, shard, helpers);
    em_status status = emi_gpu_enter(gpu, err);
    if (status != EM_OK) return status;
    TRY(emi_gpu_rows_settle(rows, err));
    TRY(emi_gpu_wait(gpu, err));
done:
    emi_gpu_leave(gpu);
    return status;
}

void emi_gpu_rows_close(emi_gpu_rows *rows)
{
    if (!rows->lent && rows->gpu) emi_gpu_drop(rows->gpu, rows->at);
    if (rows->gpu) {
        emi_gpu_drop(rows->gpu, rows->copy);
        emi_gpu_drop(rows->gpu, rows->matrix);
    }
    emi_free(rows->copy_standard);
    emi_free(rows->gathered);
    rows->copy_standard = rows->gathered = NULL;
    rows->copy = rows->at = rows->matrix = 0, rows->resident = 0;
}

int emi_gpu_rows_yield(emi_gpu_rows *rows, em_status status, const em_error *failure, em_error *err)
{
    if (status != EM_OK && rows->must && err) *err = *failure;
    if (status == EM_OK || rows->must) return 0;
    emi_gpu_rows_close(rows);
    rows->gave_up = 1;
    (void)snprintf(rows->why, sizeof rows->why, "%.*s", (int)strcspn(failure->msg, ";"), failure->msg);
    return 1;
}

/* ---- a chunk ---------------------------------------------------------------------------------------------------------- */

em_status emi_gpu_rows_view(const emi_gpu_rows *rows, size_t first, size_t most, emi_gpu_view *view, em_error *err)
{
    em_status status = EM_OK;
    size_t count = smaller(smaller(most, rows->chunk - first % rows->chunk), rows->shard->count - first);
    *view = (emi_gpu_view){0, count, rows->row_step, rows->column_step};
    if (first < rows->resident) { /* whole chunks are */
        view->at = rows->at + (emi_address)((ptrdiff_t)first * rows->row_step * (ptrdiff_t)number(rows));
        return EM_OK;
    }
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_CHUNK, count * rows->d * number(rows), &view->at, err));
    TRY(send_rows(rows, first, count, view->at, err));
done:
    return status;
}

/* ---- standardised ------------------------------------------------------------------------------------------------------ */

em_status emi_gpu_features_put(emi_gpu *gpu, const emi_standard *standard, emi_gpu_features *out, em_error *err)
{
    em_status status = EM_OK;
    const double *const from[] = {standard->mean, standard->inverse_scale, standard->fill};
    emi_address *const to[] = {&out->mean, &out->inverse, &out->fill}, at;
    size_t size = sizeof(double) * (size_t)standard->d;
    TRY(emi_gpu_room(gpu, EMI_GPU_FEATURES, 3 * size, &at, err));
    for (size_t n = 0; n < 3; n++) {
        *to[n] = from[n] ? at + n * size : 0;
        if (from[n]) TRY(emi_gpu_put(gpu, *to[n], from[n], size, err));
    }
done:
    return status;
}

em_status emi_gpu_standardise(const emi_gpu_rows *rows, emi_gpu_view view, const emi_gpu_features *features,
                              emi_real real, emi_address *out, em_error *err)
{
    enum { ROWS_A_PART = 32 };
    static const emi_gpu_kernel kernels[2][2] = {{EMI_GPU_STANDARDISE_DD, EMI_GPU_STANDARDISE_DF},
                                                 {EMI_GPU_STANDARDISE_FD, EMI_GPU_STANDARDISE_FF}};
    emi_gpu_features at = *features;
    long long row_step = view.row_step, column_step = view.column_step, count = (long long)view.count,
              part = ROWS_A_PART, d = (long long)rows->d;
    em_status status =
        *out ? EM_OK : emi_gpu_room(rows->gpu, EMI_GPU_ROWS, emi_real_size(real) * rows->d * view.count, out, err);
    if (status != EM_OK) return status;
    void *arguments[] = {&view.at, &row_step, &column_step, &count, &part, &d, &at.mean, &at.inverse, &at.fill, out};
    return emi_gpu_launch(rows->gpu, kernels[rows->single][real], (view.count + ROWS_A_PART - 1) / ROWS_A_PART,
                          (rows->d + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, arguments, err);
}

/* ---- kept so -------------------------------------------------------------------------------------------------------------- */

/* Is it by these that the copy was made?  It is from now on. */
static em_status compare_standards(emi_gpu_rows *rows, const emi_standard *standard, int *same, em_error *err)
{
    const double *const by[] = {standard->mean, standard->inverse_scale, standard->fill};
    size_t d = rows->d;
    *same = rows->copy_standard != NULL;
    if (!rows->copy_standard) rows->copy_standard = emi_calloc(3 * d, sizeof *rows->copy_standard);
    if (!rows->copy_standard) return emi_fail_memory(err, "rows");
    for (size_t n = 0; n < 3; n++)
        for (size_t f = 0; f < d; f++) {
            double now = by[n] ? by[n][f] : 0, *was = rows->copy_standard + n * d + f;
            *same = *same && *was == now;
            *was = now;
        }
    return EM_OK;
}

em_status emi_gpu_rows_keep(emi_gpu_rows *rows, const emi_standard *standard, const emi_gpu_features *features,
                            em_error *err)
{
    em_status status = EM_OK;
    size_t fits = 0, row = rows->d * number(rows);
    int same = 0;
    if (rows->resident < rows->shard->count) return EM_OK;
    TRY(compare_standards(rows, standard, &same, err));
    if (same) return EM_OK; /* or there was no memory for it the last time */
    if (!rows->copy) {
        TRY(memory_for_rows(rows, &fits, err));
        if (fits < row * rows->shard->count) return EM_OK;
        status = emi_gpu_alloc(rows->gpu, row * rows->shard->count, &rows->copy, err);
        if (status == EM_ENOMEM) return EM_OK; /* somebody else was quicker */
        TRY(status);
    }
    for (size_t first = 0; first < rows->shard->count; first += rows->chunk) {
        emi_gpu_view view;
        emi_address at = rows->copy + first * row;
        TRY(emi_gpu_rows_view(rows, first, rows->chunk, &view, err));
        TRY(emi_gpu_standardise(rows, view, features, rows->single ? EMI_SINGLE : EMI_DOUBLE, &at, err));
    }
done:
    if (status != EM_OK) { /* it is half made */
        emi_free(rows->copy_standard);
        rows->copy_standard = NULL;
    }
    return status;
}
