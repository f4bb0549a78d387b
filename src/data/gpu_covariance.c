/* C_i itself, formed on a GPU and left there: products with it cost next to nothing.  Where the GPU fails, the rows are multiplied
 * here. */
#include "data/gpu_product.h"

static int is_there(const emi_operator *C)
{
    return C->gpu && !C->gpu->gave_up;
}

static double cost(double rows, int d, int K)
{
    return emi_by_covariance.cost(rows, d, K);
}

static em_status form(emi_operator *C, emi_scratch scratch, em_error *err)
{
    (void)scratch;
    em_error failure = {0};
    em_status status = EM_OK;
    if (is_there(C)) status = emi_gpu_enter(C->gpu->gpu, &failure);
    if (is_there(C) && status == EM_OK) {
        status = emi_gpu_rows_covariance(C->gpu, C, &failure);
        emi_gpu_leave(C->gpu->gpu);
    }
    if (emi_gpu_rows_yield(C->gpu, status, &failure, err)) status = EM_OK;
    if (!is_there(C)) C->kind = &emi_by_rows;
    return status;
}

/* Within.  Its columns are its rows too. */
static em_status multiply(const emi_operator *C, emi_block X, emi_block Z, em_error *err)
{
    em_status status = EM_OK;
    emi_gpu *gpu = C->gpu->gpu;
    size_t d = (size_t)X.rows, columns = (size_t)X.cols;
    emi_address there, product;
    TRY(emi_gpu_put_block(gpu, X, &there, err));
    TRY(emi_gpu_room(gpu, EMI_GPU_SUM, sizeof(double) * d * columns, &product, err));
    emi_gpu_product p = {
        .m = d, .n = columns, .k = d, .A = {C->gpu->matrix, d, 1}, .B = {there, d, 0}, .C = {product, d, 0}};
    TRY(emi_gpu_multiply(gpu, &p, err));
    TRY(emi_gpu_get_block(gpu, product, Z, err));
done:
    return status;
}

static em_status apply_there(const emi_operator *C, emi_block X, emi_block Z, em_error *err)
{
    enum { COLUMNS = 128 }; /* at a time, so that rooms stay small */
    em_status status = emi_gpu_enter(C->gpu->gpu, err);
    if (status != EM_OK) return status;
    for (int first = 0, count; first < X.cols && status == EM_OK; first += count) {
        count = X.cols - first < COLUMNS ? X.cols - first : COLUMNS;
        status = multiply(C, (emi_block){X.rows, count, emi_column_of(X, first)},
                          (emi_block){Z.rows, count, emi_column_of(Z, first)}, err);
    }
    emi_gpu_leave(C->gpu->gpu);
    return status;
}

static em_status apply(const emi_operator *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    em_error failure = {0};
    if (!is_there(C)) return emi_by_rows.apply(C, X, Z, scratch, err);
    em_status status = apply_there(C, X, Z, &failure);
    return emi_gpu_rows_yield(C->gpu, status, &failure, err) ? emi_by_rows.apply(C, X, Z, scratch, err) : status;
}

/* It is not here. */
static emi_block matrix(const emi_operator *C)
{
    return (emi_block){C->d, C->d, NULL};
}

static em_status lead(const emi_operator *C, emi_leading *asked, em_error *err)
{
    return emi_by_rows.lead(C, asked, err);
}

const emi_operator_kind emi_by_covariance_there = {.name = "dense",
                                                   .squared = 1,
                                                   .cost = cost,
                                                   .apply = apply,
                                                   .measure = emi_measure_by_product,
                                                   .form = form,
                                                   .matrix = matrix,
                                                   .lead = lead};
