#include "data/covariance.h"

#include "base/memory.h"
#include "data/by_rows.h"
#include "linalg/blas.h"
#include "linalg/outer.h"

#include <cblas.h>
#include <string.h>

enum {
    FORM_BYTES = 4 << 20, /* of rows: long enough for products near the peak             */
    SLICE = 64,           /* rows that a thread reads at a time                          */
    PANEL = 1024          /* rows of a product with a large covariance, at a time        */
};

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

/* ---- forming it: a block of rows at a time, read and then multiplied, by as many threads as there are ------------ */

typedef struct forming {
    const emi_cov *C;
    const emi_helpers *helpers;
    size_t first, count; /* rows of this block                   */
    void *rows;          /* [count * d] of C->real               */
} forming;

static size_t rows_of_block(int d)
{
    return emi_rows_at_once(d, FORM_BYTES);
}

/* The rows, of which the first thread's are everyone's, and what each has for itself. */
size_t emi_cov_form_needs(int d)
{
    size_t slice = SLICE * (size_t)d, tile = emi_outer_needs();
    return rows_of_block(d) * (size_t)d + (slice > tile ? slice : tile);
}

static em_status read_body(void *context, int index, int worker, em_error *err)
{
    const forming *t = context;
    size_t d = (size_t)t->C->d, from = (size_t)index * SLICE, left = t->count - from,
           count = left < SLICE ? left : SLICE;
    return emi_standard_read(t->C->standard, t->C->shard, t->first + from, count, t->C->real,
                             (char *)t->rows + from * d * emi_real_size(t->C->real),
                             t->helpers->scratch[worker].v + rows_of_block(t->C->d) * d, err);
}

static em_status add_rows(const emi_cov *C, double *dense, const emi_helpers *helpers, emi_scratch scratch,
                          em_error *err)
{
    em_status status = EM_OK;
    size_t most = rows_of_block(C->d);
    forming t = {.C = C, .helpers = helpers, .rows = scratch.v};
    emi_outer sum = {.n = C->d, .C = dense, .weight = C->weight, .real = C->real};
    for (; t.first < C->shard->count; t.first += t.count) {
        t.count = C->shard->count - t.first < most ? C->shard->count - t.first : most;
        int slices = (int)((t.count + SLICE - 1) / SLICE);
        TRY(emi_pool_run(helpers->pool, slices, (double)t.count * C->d, read_body, &t, err));
        TRY(emi_outer_add(&sum, t.rows, t.count, helpers->pool, helpers->scratch, most * (size_t)C->d, err));
        emi_shard_forget(C->shard, t.first, t.count);
    }
done:
    return status;
}

em_status emi_form_matrix(const emi_cov *C, int n, emi_add_fn *add, double **out, emi_scratch scratch, em_error *err)
{
    size_t size;
    const emi_helpers alone = {NULL, &scratch};
    double *matrix = emi_size_overflows((size_t)n, (size_t)n, &size) ? NULL : emi_doubles(size);
    if (!matrix) return emi_fail_memory_try(err, "covariance", "method=krylov");
    memset(matrix, 0, size * sizeof *matrix);
    emi_blas_claim(1);
    em_status status = add(C, matrix, C->helpers ? C->helpers : &alone, scratch, err);
    emi_blas_release(1);
    if (status == EM_OK) {
        emi_mirror(matrix, n);
        *out = matrix;
    } else {
        emi_free(matrix);
    }
    return status;
}

em_status emi_cov_form(emi_cov *C, emi_scratch scratch, em_error *err)
{
    return emi_form_matrix(C, C->d, add_rows, &C->dense, scratch, err);
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
    emi_free(C->gram);
    emi_free(C->dense);
    C->gram = C->dense = NULL;
}
