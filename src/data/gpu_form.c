/* The covariance of rows on a GPU: of rows that are there, or of what was summed up while they were sent (gpu_survey.c). */
#include "base/memory.h"
#include "data/gpu_rows.h"
#include "data/moments.h"

#include <math.h>
#include <string.h>

void emi_gpu_rows_forget(emi_gpu_rows *rows)
{
    emi_gpu_free(rows->gpu, rows->matrix);
    emi_free(rows->gathered);
    rows->matrix = 0;
    rows->gathered = NULL;
}

em_status emi_gpu_rows_add_squares(const emi_gpu_rows *rows, emi_gpu_view view, const emi_gpu_features *features,
                                   em_error *err)
{
    size_t d = rows->d;
    emi_address Y = 0;
    em_status status = emi_gpu_standardise(rows, view, features, EMI_DOUBLE, &Y, err);
    if (status != EM_OK) return status;
    return emi_gpu_outer(rows->gpu, d, view.count, (emi_gpu_matrix){Y, d, 0}, (emi_gpu_matrix){rows->matrix, d, 0},
                         err);
}

/* ---- of the rows --------------------------------------------------------------------------------------------------------- */

/* In double precision, whatever the operator's: a GPU made for such work is as quick at it. */
static em_status sum_up(emi_gpu_rows *rows, const emi_standard *standard, em_error *err)
{
    enum { AT_ONCE = 1 << 23 }; /* numbers: room for them stays from fit to fit */
    em_status status = EM_OK;
    size_t d = rows->d, bytes = sizeof(double) * d * d, most = AT_ONCE / d + 1;
    emi_gpu_features features;
    emi_gpu_view view;
    TRY(emi_gpu_alloc(rows->gpu, bytes, &rows->matrix, err)); /* before rows take what there is */
    TRY(emi_gpu_zero(rows->gpu, rows->matrix, bytes, err));
    TRY(emi_gpu_rows_settle(rows, err));
    TRY(emi_gpu_features_put(rows->gpu, standard, &features, err));
    for (size_t first = 0; first < rows->shard->count; first += view.count) {
        TRY(emi_gpu_rows_view(rows, first, most, &view, err));
        TRY(emi_gpu_rows_add_squares(rows, view, &features, err));
    }
done:
    return status;
}

/* ---- of what was gathered ------------------------------------------------------------------------------------------------- */

/* away[d] from the origin to the mean, and whether that is nowhere many deviations: it is taken off sums of squares. */
static int find_away(const emi_gpu_rows *rows, const emi_standard *standard, double *away)
{
    const double many = 2, n = (double)rows->shard->count;
    const double *found = rows->gathered;
    size_t d = rows->d;
    int near = 1;
    for (size_t f = 0; f < d; f++) {
        away[f] = (standard->mean ? standard->mean[f] : 0) - found[EMI_ORIGIN * d + f];
        double own = found[EMI_SUM * d + f] / n - away[f], squares = found[EMI_SQUARES * d + f] + n * own * own;
        near = near && isfinite(squares) && n * away[f] * away[f] <= many * many * squares;
    }
    return near;
}

/* The origin's part taken off, the scale and the weight put on.  Without `away` the rows were centred and scaled. */
static em_status centre(emi_gpu_rows *rows, const emi_operator *C, const double *away, em_error *err)
{
    em_status status = EM_OK;
    const double *inverse = away ? C->standard->inverse_scale : NULL;
    size_t d = rows->d, size = sizeof *away * d;
    long long features = (long long)d;
    double n = (double)rows->shard->count, weight = C->weight;
    emi_address at = 0, sums = 0, there = 0, by = 0, matrix = rows->matrix;
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_FEATURES, 3 * size, &at, err));
    if (away) {
        TRY(emi_gpu_put(rows->gpu, there = at, away, size, err));
        TRY(emi_gpu_put(rows->gpu, sums = at + size, rows->gathered + EMI_SUM * d, size, err));
    }
    if (inverse) TRY(emi_gpu_put(rows->gpu, by = at + 2 * size, inverse, size, err));
    void *arguments[] = {&matrix, &features, &n, &sums, &there, &by, &weight};
    TRY(emi_gpu_launch(rows->gpu, EMI_GPU_CENTRE, d, (d + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, arguments, err));
    TRY(emi_gpu_wait(rows->gpu, err));
done:
    return status;
}

/* ---- it -------------------------------------------------------------------------------------------------------------------- */

em_status emi_gpu_rows_covariance(emi_gpu_rows *rows, const emi_operator *C, em_error *err)
{
    em_status status = EM_OK;
    double *away = NULL;
    if (rows->matrix && !rows->gathered) return EM_OK;
    int gathered = rows->gathered != NULL;
    if (gathered) {
        away = emi_doubles(rows->d);
        if (!away) TRY(emi_fail_memory(err, "covariance"));
        gathered = find_away(rows, C->standard, away);
    }
    if (!gathered) {
        emi_gpu_rows_forget(rows);
        TRY(sum_up(rows, C->standard, err));
    }
    TRY(centre(rows, C, gathered ? away : NULL, err));
    emi_free(rows->gathered);
    rows->gathered = NULL;
done:
    emi_free(away);
    if (status != EM_OK) emi_gpu_rows_forget(rows);
    return status;
}

em_status emi_gpu_rows_form(emi_gpu_rows *rows, const emi_operator *C, double **out, em_error *err)
{
    size_t size;
    double *made = emi_size_overflows(rows->d, rows->d, &size) ? NULL : emi_doubles(size);
    if (!made) return emi_fail_memory_try(err, "covariance", "method=krylov");
    int stays = rows->matrix && !rows->gathered; /* somebody else's products are made with it */
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status == EM_OK) {
        status = emi_gpu_rows_covariance(rows, C, err);
        if (status == EM_OK) status = emi_gpu_get(rows->gpu, made, rows->matrix, sizeof *made * size, err);
        if (status == EM_OK) status = emi_gpu_wait(rows->gpu, err);
        if (!stays) emi_gpu_rows_forget(rows);
        emi_gpu_leave(rows->gpu);
    }
    if (status != EM_OK) emi_free(made);
    if (status == EM_OK) *out = made;
    return status;
}
