#include "data/covariance.h"

#include "base/memory.h"
#include "data/by_rows.h"
#include "data/form.h"
#include "linalg/blas.h"

#include <cblas.h>

enum { PANEL = 1024 }; /* rows of a product with a large covariance, at a time */

double emi_cov_form_cost(size_t rows, int d)
{
    return (double)rows * d * d;
}

double emi_cov_dense_cost(int d, int K)
{
    return 2.0 * d * d * K;
}

double emi_cov_implicit_cost(size_t rows, int d, int K)
{
    return 4.0 * (double)rows * d * K;
}

int emi_cov_is_dense(const emi_cov *C)
{
    return C->dense && !C->by_rows;
}

double emi_cov_apply_cost(const emi_cov *C, int K)
{
    return emi_cov_is_dense(C) ? emi_cov_dense_cost(C->d, K) : emi_cov_implicit_cost(C->shard->count, C->d, K);
}

/* ---- forming it ------------------------------------------------------------------------------------------------ */

static em_status read_rows(const emi_cov *C, size_t first, size_t count, void *out, size_t stride, double *room,
                           em_error *err)
{
    (void)stride;
    return emi_standard_read(C->standard, C->shard, first, count, C->real, out, room, err);
}

em_status emi_cov_form(emi_cov *C, emi_scratch scratch, em_error *err)
{
    const emi_vectors rows = {.n = C->d, .count = C->shard->count, .read = read_rows};
    return emi_form(C, &rows, &C->dense, scratch, err);
}

/* ---- using it ----------------------------------------------------------------------------------------------- */

typedef struct dense_product {
    const emi_cov *C;
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
static em_status apply_dense(const emi_cov *C, emi_block X, emi_block Z, em_error *err)
{
    dense_product t = {C, X, Z};
    int panels = (C->d + PANEL - 1) / PANEL;
    if (panels == 1) {
        emi_mul(1, (emi_block){C->d, C->d, C->dense}, X, 0, Z);
        return EM_OK;
    }
    emi_blas_claim(1);
    em_status status = emi_pool_run(C->helpers ? C->helpers->pool : NULL, panels, emi_cov_dense_cost(C->d, X.cols),
                                    panel_body, &t, err);
    emi_blas_release(1);
    return status;
}

em_status emi_cov_apply(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    return emi_cov_is_dense(C) ? apply_dense(C, X, Z, err) : emi_by_rows_apply(C, X, Z, scratch, err);
}

void emi_cov_free(emi_cov *C)
{
    emi_free(C->packed);
    emi_free(C->gram);
    emi_free(C->dense);
    C->packed = C->gram = C->dense = NULL;
}
