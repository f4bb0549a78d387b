/* The covariance of rows on a GPU. */
#include "base/memory.h"
#include "data/gpu_rows.h"
#include "linalg/outer.h"

/* In double precision, whatever the operator's: a GPU made for such work is as quick at it.  Within. */
static em_status form_all(const emi_gpu_rows *rows, const emi_operator *C, double *out, em_error *err)
{
    em_status status = EM_OK;
    size_t d = rows->d, bytes = sizeof *out * d * d;
    emi_gpu_features features;
    emi_gpu_view view;
    emi_address sum, Y;
    TRY(emi_gpu_features_put(rows->gpu, C->standard, &features, err));
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_SUM, bytes, &sum, err));
    TRY(emi_gpu_zero(rows->gpu, sum, bytes, err));
    for (size_t first = 0; first < rows->shard->count; first += view.count) {
        Y = 0;
        TRY(emi_gpu_rows_view(rows, first, rows->chunk, &view, err));
        TRY(emi_gpu_standardise(rows, view, &features, EMI_DOUBLE, &Y, err));
        TRY(emi_gpu_outer(rows->gpu, d, view.count, (emi_gpu_matrix){Y, d, 0}, (emi_gpu_matrix){sum, d, 0}, err));
    }
    TRY(emi_gpu_get(rows->gpu, out, sum, bytes, err));
    TRY(emi_gpu_wait(rows->gpu, err));
done:
    return status;
}

em_status emi_gpu_rows_form(const emi_gpu_rows *rows, const emi_operator *C, double **out, em_error *err)
{
    size_t size;
    double *made = emi_size_overflows(rows->d, rows->d, &size) ? NULL : emi_doubles(size);
    if (!made) return emi_fail_memory_try(err, "covariance", "method=krylov");
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status == EM_OK) {
        status = form_all(rows, C, made, err);
        emi_gpu_leave(rows->gpu);
    }
    if (status != EM_OK) {
        emi_free(made);
        return status;
    }
    for (size_t n = 0; n < size; n++) made[n] *= C->weight;
    emi_mirror(made, C->d);
    *out = made;
    return EM_OK;
}
