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
    emi_gpu_rows *rows;
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

static em_status survey_view(const surveying *t, emi_gpu_view view, em_error *err)
{
    em_status status = EM_OK;
    surveying own = *t;
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

static em_status survey_there(surveying *t, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_rows *rows = t->rows;
    emi_gpu_view view;
    TRY(emi_gpu_rows_settle(rows, err));
    for (size_t first = 0; first < rows->shard->count; first += view.count) {
        TRY(emi_gpu_rows_view(rows, first, rows->chunk, &view, err));
        TRY(survey_view(t, view, err));
    }
done:
    return status;
}

/* ---- the same, and what a covariance is made of ----------------------------------------------------------------------- */

static em_status gather_view(void *context, emi_gpu_view view, em_error *err)
{
    const surveying *t = context;
    const emi_gpu_features about = {.mean = t->origin};
    em_status status = survey_view(t, view, err);
    return status == EM_OK ? emi_gpu_rows_add_squares(t->rows, view, &about, err) : status;
}

static em_status gather(surveying *t, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu_rows *rows = t->rows;
    size_t bytes = sizeof(double) * rows->d * rows->d;
    rows->gathers = 0;
    rows->gathered = emi_doubles(EMI_SURVEY * rows->d);
    if (!rows->gathered) TRY(emi_fail_memory(err, "covariance"));
    TRY(emi_gpu_alloc(rows->gpu, bytes, &rows->matrix, err));
    TRY(emi_gpu_zero(rows->gpu, rows->matrix, bytes, err));
    TRY(emi_gpu_rows_pass(rows, gather_view, t, err));
done:
    return status;
}

/* found[EMI_ORIGIN * d], from its origin, which comes after it. */
static em_status survey_all(emi_gpu_rows *rows, const double *unit, double *found, em_error *err)
{
    em_status status = EM_OK;
    surveying t = {.rows = rows};
    size_t d = rows->d, size = d * sizeof *found;
    void *hand;
    int gathers = rows->gathers && !unit && !rows->shard->data->holes;
    emi_gpu_rows_forget(rows); /* what was gathered in other units is of no use */
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_FEATURES, 2 * size, &t.origin, err));
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_SUM, EMI_ORIGIN * size * (parts_most(d) + 1), &t.found, err));
    t.parts = t.found + EMI_ORIGIN * size;
    TRY(emi_gpu_hand(rows->gpu, (EMI_ORIGIN + 1) * size, &hand, err));
    memcpy(hand, found, (EMI_ORIGIN + 1) * size);
    TRY(emi_gpu_put(rows->gpu, t.origin, (double *)hand + EMI_ORIGIN * d, size, err));
    if (unit) TRY(emi_gpu_put(rows->gpu, t.unit = t.origin + size, unit, size, err));
    TRY(emi_gpu_put(rows->gpu, t.found, hand, EMI_ORIGIN * size, err));
    TRY(gathers ? gather(&t, err) : survey_there(&t, err));
    TRY(emi_gpu_hand(rows->gpu, EMI_ORIGIN * size, &hand, err)); /* others may have used it */
    TRY(emi_gpu_get(rows->gpu, hand, t.found, EMI_ORIGIN * size, err));
    TRY(emi_gpu_wait(rows->gpu, err));
    memcpy(found, hand, EMI_ORIGIN * size);
    if (gathers) memcpy(rows->gathered, found, EMI_SURVEY * size);
done:
    return status;
}

/* ---- before and after it --------------------------------------------------------------------------------------------- */

/* A value of each feature, of some of the first rows; zero where none is finite.  Sums of products want one that is near the mean:
 * that of rows here and there. */
static em_status find_origin(const emi_gpu_rows *rows, const double *unit, double *origin, em_error *err)
{
    enum { SOME = 64 };
    em_status status = EM_OK;
    size_t d = rows->d, count = rows->shard->count, most = rows->gathers || rows->shard->data->holes ? SOME : 1,
           some = count < most ? count : most, apart = rows->gathers ? count / some : 1;
    double *read = emi_doubles((some + 1) * d);
    if (!read) return emi_fail_memory(err, "mean");
    double *taken = read + some * d;
    if (apart == 1) TRY(emi_shard_read(rows->shard, 0, some, read, err));
    for (size_t r = 0; apart > 1 && r < some; r++) TRY(emi_shard_read(rows->shard, r * apart, 1, read + r * d, err));
    memset(origin, 0, d * sizeof *origin);
    memset(taken, 0, d * sizeof *taken);
    for (size_t r = 0; r < some; r++)
        for (size_t f = 0; f < d; f++) {
            double nearer = origin[f] + (read[r * d + f] / (unit ? unit[f] : 1) - origin[f]) / (taken[f] + 1);
            if (!isfinite(nearer) || (taken[f] > 0 && !rows->gathers)) continue;
            origin[f] = nearer;
            taken[f] += 1;
        }
done:
    emi_free(read);
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

em_status emi_gpu_rows_survey(emi_gpu_rows *rows, const double *unit, double *found, em_error *err)
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
