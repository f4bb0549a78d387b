/* C_i itself, formed once. */
#include "data/form.h"
#include "data/gpu_rows.h"
#include "data/row_kind.h"

#include "linalg/blas.h"

#include <cblas.h>

enum { PANEL = 1024 }; /* rows of a product with a large covariance, at a time */

/* ---- forming it ------------------------------------------------------------------------------------------------ */

static em_status read_rows(const emi_operator *C, size_t first, size_t count, void *out, size_t stride, double *room,
                           em_error *err)
{
    (void)stride;
    return emi_standard_read(C->standard, C->shard, first, count, C->real, out, room, err);
}

static em_status form(emi_operator *C, emi_scratch scratch, em_error *err)
{
    if (C->dense) return EM_OK;
    const emi_row_kind *kind = emi_rows_of(C->shard);
    if (kind && kind->form) return kind->form(C, &C->dense, err);
    if (C->gpu && !C->gpu->gave_up) {
        em_error failure = {0};
        em_status status = emi_gpu_rows_form(C->gpu, C, &C->dense, &failure);
        if (!emi_gpu_rows_yield(C->gpu, status, &failure, err)) return status;
    }
    const emi_vectors rows = {.n = C->d, .count = C->shard->count, .read = read_rows};
    return emi_form(C, &rows, &C->dense, scratch, err);
}

/* ---- using it ----------------------------------------------------------------------------------------------- */

static double cost(double rows, int d, int K)
{
    (void)rows;
    return 2.0 * d * d * K;
}

typedef struct dense_product {
    const emi_operator *C;
    emi_block X, Z;
} dense_product;

/* The rows of Z from a panel of C's columns, which are its rows too. */
static em_status panel_body(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    const dense_product *t = context;
    int d = t->C->d, first = index * PANEL, rows = d - first < PANEL ? d - first : PANEL;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, t->X.cols, d, 1, t->C->dense + (size_t)first * (size_t)d,
                d, t->X.v, d, 0, t->Z.v + first, d);
    return EM_OK;
}

/* A large covariance in panels of a fixed width, which threads may share. */
static em_status apply(const emi_operator *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    (void)scratch;
    dense_product t = {C, X, Z};
    int panels = (C->d + PANEL - 1) / PANEL;
    if (panels == 1) {
        emi_mul(1, (emi_block){C->d, C->d, C->dense}, X, 0, Z);
        return EM_OK;
    }
    emi_blas_claim(1);
    em_status status =
        emi_pool_run(C->helpers ? C->helpers->pool : NULL, panels, cost(0, C->d, X.cols), panel_body, &t, err);
    emi_blas_release(1);
    return status;
}

em_status emi_measure_by_product(const emi_operator *C, emi_block X, double *out, emi_scratch scratch, em_error *err)
{
    emi_block Z = {X.rows, X.cols, out};
    em_status status = C->kind->apply(C, X, Z, scratch, err);
    for (int k = 0; k < X.cols && status == EM_OK; k++)
        out[(size_t)X.rows * (size_t)X.cols + (size_t)k] =
            cblas_ddot(X.rows, emi_column_of(X, k), 1, emi_column_of(Z, k), 1);
    return status;
}

static emi_block matrix(const emi_operator *C)
{
    return (emi_block){C->d, C->d, C->dense};
}

const emi_operator_kind emi_by_covariance = {.name = "dense",
                                             .squared = 1,
                                             .cost = cost,
                                             .apply = apply,
                                             .measure = emi_measure_by_product,
                                             .form = form,
                                             .matrix = matrix};
