#include "data/covariance.h"

#include "base/memory.h"
#include "data/by_rows.h"
#include "linalg/blas.h"

#include <cblas.h>
#include <string.h>

enum {
    FORM_BYTES = 4 << 20, /* of rows: long enough for products near the peak                        */
    MOST_TILE = 192,      /* a tile of C in double, and one in single, stay in the cache            */
    LEAST_TILE = 48,
    SINGLE_ROWS = 64, /* summed in single precision, before that goes to a sum in double        */
    SLICE = 64,       /* rows that a thread reads at a time                                     */
    MIRROR_TILE = 32,
    PANEL = 1024 /* rows of a product with a large covariance, at a time */
};

size_t emi_cov_apply_needs(int d, int K)
{
    return emi_by_rows_needs(d, K);
}

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

/* Copy the upper triangle to the lower, tile by tile so that both sides stay in the cache. */
static void mirror(double *A, int d)
{
    for (int right = 0; right < d; right += MIRROR_TILE)
        for (int down = 0; down <= right; down += MIRROR_TILE)
            for (int j = right; j < d && j < right + MIRROR_TILE; j++)
                for (int i = down; i < j && i < down + MIRROR_TILE; i++)
                    A[(size_t)i * (size_t)d + (size_t)j] = A[(size_t)j * (size_t)d + (size_t)i];
}

/* ---- forming it -------------------------------------------------------------------------------------------
 *
 * A block of rows at a time, first read, then multiplied, tile of C by tile: threads may share either, and since every entry
 * of C is summed in one order, whatever their number, its bits do not depend on it. */

typedef struct forming {
    emi_cov *C;
    double *dense;
    size_t first, count; /* rows of this block */
    void *rows;          /* [count * d] of C->real */
    int tile, tiles;     /* features of a tile, and tiles along a side */
} forming;

static size_t rows_of_block(int d)
{
    return emi_rows_at_once(d, FORM_BYTES);
}

size_t emi_cov_form_needs(int d)
{
    size_t slice = SLICE * (size_t)d, tile = (size_t)MOST_TILE * MOST_TILE;
    return rows_of_block(d) * (size_t)d + (slice > tile ? slice : tile);
}

/* What a worker has for itself, after the rows that they share. */
static double *own_room(const forming *t, emi_scratch scratch)
{
    return scratch.v + rows_of_block(t->C->d) * (size_t)t->C->d;
}

static em_status read_body(void *context, int index, int worker, em_error *err)
{
    const forming *t = context;
    size_t from = (size_t)index * SLICE, count = t->count - from < SLICE ? t->count - from : SLICE;
    char *to = (char *)t->rows + from * (size_t)t->C->d * emi_real_size(t->C->real);
    return emi_standard_read(t->C->standard, t->C->shard, t->first + from, count, t->C->real, to,
                             own_room(t, t->C->helpers->scratch[worker]), err);
}

/* C[i.., j..] += weight sum of y_i y_j', for a tile of so many features. */
static void add_double(const forming *t, int i, int rows, int j, int columns)
{
    int d = t->C->d;
    const double *Y = t->rows;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, (int)t->count, t->C->weight, Y + i, d, Y + j, d,
                1, t->dense + (size_t)j * (size_t)d + (size_t)i, d);
}

static void add_single(const forming *t, int i, int rows, int j, int columns, float *tile)
{
    int d = t->C->d;
    for (size_t first = 0; first < t->count; first += SINGLE_ROWS) {
        int count = (int)(t->count - first < SINGLE_ROWS ? t->count - first : SINGLE_ROWS);
        const float *Y = (const float *)t->rows + first * (size_t)d;
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, columns, count, 1, Y + i, d, Y + j, d, 0, tile,
                    rows);
        for (int c = 0; c < columns; c++) {
            double *sum = t->dense + (size_t)(j + c) * (size_t)d + (size_t)i;
            for (int r = 0; r < rows; r++) sum[r] += t->C->weight * (double)tile[c * rows + r];
        }
    }
}

/* Tile number `index` of the upper triangle. */
static em_status tile_body(void *context, int index, int worker, em_error *err)
{
    (void)err;
    const forming *t = context;
    int j = 0, d = t->C->d;
    for (; index > j; j++) index -= j + 1;
    int i = index * t->tile, rows = d - i < t->tile ? d - i : t->tile;
    j *= t->tile;
    int columns = d - j < t->tile ? d - j : t->tile;
    if (t->C->real == EMI_DOUBLE)
        add_double(t, i, rows, j, columns);
    else
        add_single(t, i, rows, j, columns, (float *)own_room(t, t->C->helpers->scratch[worker]));
    return EM_OK;
}

static em_status share(const forming *t, int count, emi_loop_body *body, em_error *err)
{
    em_status status = EM_OK;
    if (t->C->helpers->pool) return emi_pool_run(t->C->helpers->pool, count, 1e12, body, (void *)t, err);
    for (int n = 0; n < count && status == EM_OK; n++) status = body((void *)t, n, 0, err);
    return status;
}

static em_status form(emi_cov *C, double *dense, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    int quarter = (C->d + 3) / 4;
    forming t = {.C = C, .dense = dense, .rows = scratch.v};
    t.tile = quarter < LEAST_TILE ? LEAST_TILE : quarter > MOST_TILE ? MOST_TILE : quarter;
    t.tiles = (C->d + t.tile - 1) / t.tile;
    for (; t.first < C->shard->count; t.first += t.count) {
        size_t left = C->shard->count - t.first, most = rows_of_block(C->d);
        t.count = left < most ? left : most;
        TRY(share(&t, (int)((t.count + SLICE - 1) / SLICE), read_body, err));
        TRY(share(&t, t.tiles * (t.tiles + 1) / 2, tile_body, err));
        emi_shard_forget(C->shard, t.first, t.count);
    }
done:
    return status;
}

em_status emi_cov_form(emi_cov *C, emi_scratch scratch, em_error *err)
{
    size_t size;
    if (emi_size_overflows((size_t)C->d, (size_t)C->d, &size))
        return emi_fail_memory_try(err, "covariance", "method=krylov");
    double *dense = emi_doubles(size);
    if (!dense) return emi_fail_memory_try(err, "covariance", "method=krylov");
    memset(dense, 0, size * sizeof *dense);
    const emi_helpers *helpers = C->helpers, alone = {NULL, &scratch};
    if (!helpers) C->helpers = &alone;
    emi_blas_claim(1);
    em_status status = form(C, dense, scratch, err);
    emi_blas_release(1);
    C->helpers = helpers;
    if (status != EM_OK) {
        emi_free(dense);
        return status;
    }
    mirror(dense, C->d);
    C->dense = dense;
    return EM_OK;
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
    em_status status = EM_OK;
    dense_product t = {C, X, Z};
    int panels = (C->d + PANEL - 1) / PANEL;
    if (panels == 1) {
        emi_mul(1, (emi_block){C->d, C->d, C->dense}, X, 0, Z);
    } else if (C->helpers) {
        emi_blas_claim(1);
        status = emi_pool_run(C->helpers->pool, panels, emi_cov_dense_cost(C->d, X.cols), panel_body, &t, err);
        emi_blas_release(1);
    } else {
        for (int p = 0; p < panels && status == EM_OK; p++) status = panel_body(&t, p, 0, err);
    }
    return status;
}

em_status emi_cov_apply(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    return emi_cov_is_dense(C) ? apply_dense(C, X, Z, err) : emi_by_rows_apply(C, X, Z, scratch, err);
}

em_status emi_cov_diagonal(const emi_cov *C, double *diagonal, emi_scratch scratch, em_error *err)
{
    size_t d = (size_t)C->d;
    if (C->dense) {
        for (size_t f = 0; f < d; f++) diagonal[f] = C->dense[f * d + f];
        return EM_OK;
    }
    em_status status = emi_sum_squares(C->standard, C->shard, diagonal, C->helpers, scratch, err);
    for (size_t f = 0; status == EM_OK && f < d; f++) diagonal[f] *= C->weight;
    return status;
}

void emi_cov_free(emi_cov *C)
{
    emi_free(C->dense);
    C->dense = NULL;
}
