/* What preprocessing needs to know of rows on a GPU (data/moments.h), and rows that come back. */
#include "data/gpu_rows.h"
#include "data/moments.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { PARTS_MOST = 128, PART_LEAST = 64, COLUMNS_BUSY = 1 << 18 }; /* of a chunk; rows; threads that keep a GPU busy */

em_status emi_gpu_rows_read(const emi_gpu_rows *rows, size_t first, size_t count, double *out, em_error *err)
{
    const emi_gpu_features as_they_are = {0};
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    for (size_t done = 0, now; done < count; done += now) {
        emi_gpu_view view;
        emi_address at = 0;
        TRY(emi_gpu_rows_view(rows, first + done, count - done, &view, err));
        now = view.count;
        TRY(emi_gpu_standardise(rows, view, &as_they_are, EMI_DOUBLE, &at, err));
        TRY(emi_gpu_get(rows->gpu, out + done * rows->d, at, sizeof(double) * rows->d * now, err));
        TRY(emi_gpu_wait(rows->gpu, err));
    }
done:
    emi_gpu_leave(rows->gpu);
    return status;
}

/* ---- the pass ------------------------------------------------------------------------------------------------------- */

typedef struct surveying {
    const emi_gpu_rows *rows;
    emi_address origin, unit, parts, found;
} surveying;

/* Of a chunk: as many as keep a GPU busy. */
static size_t parts_most(size_t d)
{
    size_t parts = COLUMNS_BUSY / d + 1;
    return parts < PARTS_MOST ? parts : PARTS_MOST;
}

static size_t stripes(const surveying *t)
{
    return (t->rows->d + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS;
}

static em_status survey_chunk(const surveying *t, size_t first, size_t *count, em_error *err)
{
    em_status status = EM_OK;
    surveying own = *t;
    emi_gpu_view view;
    TRY(emi_gpu_rows_view(t->rows, first, t->rows->chunk, &view, err));
    *count = view.count;
    size_t parts = parts_most(t->rows->d), longest = (view.count + PART_LEAST - 1) / PART_LEAST;
    parts = parts > longest ? longest : parts;
    long long rows = (long long)view.count, each = (long long)((view.count + parts - 1) / parts),
              d = (long long)t->rows->d, row_step = view.row_step, column_step = view.column_step,
              holes = t->rows->shard->data->holes, used = (rows + each - 1) / each;
    void *arguments[] = {&view.at, &row_step,   &column_step, &rows,  &each,
                         &d,       &own.origin, &own.unit,    &holes, &own.parts};
    TRY(emi_gpu_launch(t->rows->gpu, t->rows->single ? EMI_GPU_SURVEY_F : EMI_GPU_SURVEY_D, (size_t)used, stripes(t),
                       arguments, err));
    void *join[] = {&own.parts, &used, &d, &own.found};
    TRY(emi_gpu_launch(t->rows->gpu, EMI_GPU_SURVEY_JOIN, 1, stripes(t), join, err));
done:
    return status;
}

/* found[EMI_ORIGIN * d], from its origin, which comes after it. */
static em_status survey_all(const emi_gpu_rows *rows, const double *unit, double *found, em_error *err)
{
    em_status status = EM_OK;
    surveying t = {.rows = rows};
    size_t d = rows->d, size = d * sizeof *found, now;
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_FEATURES, 2 * size, &t.origin, err));
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_SUM, EMI_ORIGIN * size * (parts_most(d) + 1), &t.found, err));
    t.parts = t.found + EMI_ORIGIN * size;
    TRY(emi_gpu_put(rows->gpu, t.origin, found + EMI_ORIGIN * d, size, err));
    if (unit) TRY(emi_gpu_put(rows->gpu, t.unit = t.origin + size, unit, size, err));
    TRY(emi_gpu_put(rows->gpu, t.found, found, EMI_ORIGIN * size, err));
    for (size_t first = 0; first < rows->shard->count; first += now) TRY(survey_chunk(&t, first, &now, err));
    TRY(emi_gpu_get(rows->gpu, found, t.found, EMI_ORIGIN * size, err));
    TRY(emi_gpu_wait(rows->gpu, err));
done:
    return status;
}

/* ---- before and after it --------------------------------------------------------------------------------------------- */

/* A value of each feature, of some of the first rows; zero where none is finite. */
static em_status find_origin(const emi_gpu_rows *rows, const double *unit, double *origin, em_error *err)
{
    enum { SOME = 64 };
    size_t d = rows->d, some = rows->shard->data->holes ? SOME : 1, count = rows->shard->count;
    count = count < some ? count : some;
    double *first = emi_doubles(count * d);
    if (!first) return emi_fail_memory(err, "mean");
    em_status status = emi_shard_read(rows->shard, 0, count, first, err);
    memset(origin, 0, d * sizeof *origin);
    for (size_t r = count; status == EM_OK && r-- > 0;)
        for (size_t f = 0; f < d; f++)
            if (isfinite(first[r * d + f])) origin[f] = first[r * d + f] / (unit ? unit[f] : 1);
    emi_free(first);
    return status;
}

/* A sum that is no number: is a value none? */
static em_status name_culprit(const emi_gpu_rows *rows, const double *found, em_error *err)
{
    em_status status = EM_OK;
    size_t d = rows->d, most = emi_rows_at_once((int)d, (size_t)1 << 20), count;
    int whole = 1;
    for (size_t f = 0; f < d; f++) whole &= isfinite(found[EMI_SUM * d + f]) && isfinite(found[EMI_SQUARES * d + f]);
    if (whole) return EM_OK;
    double *some = emi_doubles(most * d);
    if (!some) return emi_fail_memory(err, "mean");
    for (size_t first = 0; first < rows->shard->count && status == EM_OK; first += count) {
        count = rows->shard->count - first < most ? rows->shard->count - first : most;
        status = emi_shard_read(rows->shard, first, count, some, err);
        if (status == EM_OK) status = emi_shard_check_finite(rows->shard, first, count, some, err);
    }
    emi_free(some);
    return status;
}

em_status emi_gpu_rows_survey(const emi_gpu_rows *rows, const double *unit, double *found, em_error *err)
{
    em_status status = EM_OK;
    emi_survey_nothing(found, rows->d);
    if (rows->shard->count == 0) {
        memset(found + EMI_ORIGIN * rows->d, 0, sizeof *found * rows->d);
        return EM_OK;
    }
    TRY(find_origin(rows, unit, found + EMI_ORIGIN * rows->d, err));
    TRY(emi_gpu_enter(rows->gpu, err));
    status = survey_all(rows, unit, found, err);
    emi_gpu_leave(rows->gpu);
    TRY(status);
    TRY(name_culprit(rows, found, err));
done:
    return status;
}
