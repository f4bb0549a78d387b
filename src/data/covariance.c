#include "data/covariance.h"

#include "base/memory.h"
#include "linalg/blas.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

enum {
    FORM_BYTES = 4 << 20,  /* long enough for a rank-k update near the peak       */
    APPLY_BYTES = 1 << 19, /* read once from memory, used twice from the cache    */
    MIRROR_TILE = 32,
    PANEL = 1024 /* rows of a product with a large covariance, at a time */
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

size_t emi_cov_form_needs(int d)
{
    return emi_rows_at_once(d, FORM_BYTES) * (size_t)d;
}

size_t emi_cov_apply_needs(int d, int K)
{
    return emi_rows_at_once(d, APPLY_BYTES) * ((size_t)d + (size_t)K) + 2 * (size_t)K;
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

em_status emi_cov_form(emi_cov *C, emi_scratch scratch, em_error *err)
{
    int d = C->d;
    size_t at_once = emi_rows_at_once(d, FORM_BYTES), size, count;
    if (emi_size_overflows((size_t)d, (size_t)d, &size)) return emi_fail_memory_try(err, "covariance", "method=krylov");
    double *dense = emi_doubles(size);
    if (!dense) return emi_fail_memory_try(err, "covariance", "method=krylov");
    memset(dense, 0, size * sizeof *dense);
    for (size_t first = 0; first < C->shard->count; first += count) {
        count = C->shard->count - first < at_once ? C->shard->count - first : at_once;
        em_status status = emi_standard_read(C->standard, C->shard, first, count, scratch.v, err);
        if (status != EM_OK) {
            emi_free(dense);
            return status;
        }
        emi_shard_forget(C->shard, first, count);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, d, (int)count, C->weight, scratch.v, d, 1, dense, d);
    }
    mirror(dense, d);
    C->dense = dense;
    return EM_OK;
}

/* Rows as they are: centring them is then left to the scores.  Packed doubles are used where they lie, with no copy. */
static em_status raw_rows(const emi_cov *C, size_t first, size_t count, double *room, const double **rows,
                          em_error *err)
{
    const emi_shard *shard = C->shard;
    *rows = shard->order ? NULL : emi_data_in_place(shard->data, shard->first + first);
    if (*rows) return EM_OK;
    *rows = room;
    return emi_shard_read(shard, first, count, room, err);
}

static em_status centred_rows(const emi_cov *C, size_t first, size_t count, double *room, const double **rows,
                              em_error *err)
{
    *rows = room;
    return emi_standard_read(C->standard, C->shard, first, count, room, err);
}

/* S <- S - 1 m', and the sums of its columns added to `sums`. */
static void centre_scores(emi_block S, const double *m, double *sums)
{
    for (int k = 0; k < S.cols; k++) {
        double *column = emi_column_of(S, k), sum = 0;
        for (int r = 0; r < S.rows; r++) {
            column[r] -= m[k];
            sum += column[r];
        }
        sums[k] += sum;
    }
}

/* A product under way. */
typedef struct product {
    const emi_cov *C;
    emi_block X, Z;
    int measures; /* the scores' squares too, after the product */
} product;

/* Z = (M/N) Y' (Y X) for some of the rows, a block at a time: each is read once and used for both products while it is in
 * the cache.  Where the mean is near, rows stay uncentred: with Y = Y0 - 1 mu', the scores Y X are Y0 X - 1 (mu' X), and
 * Y' S is Y0' S - mu (1' S). */
static em_status apply_to_part(void *context, size_t from, size_t rows_of_part, double *sum, emi_scratch scratch,
                               em_error *err)
{
    const product *t = context;
    const emi_cov *C = t->C;
    int d = C->d, K = t->X.cols;
    int raw = !C->standard->fill && !C->standard->inverse_scale && (!C->standard->mean || C->standard->mean_is_near);
    size_t at_once = emi_rows_at_once(d, APPLY_BYTES), count;
    double *room = scratch.v, *scores = room + at_once * (size_t)d, *m = scores + at_once * (size_t)K, *sums = m + K;
    emi_block mu = {d, 1, raw ? C->standard->mean : NULL}, Z = {d, K, sum};
    const double *rows = NULL;
    double *squares = sum + (size_t)d * (size_t)K;
    memset(Z.v, 0, sizeof *Z.v * ((size_t)d + (size_t)t->measures) * (size_t)K);
    memset(sums, 0, sizeof *sums * (size_t)K);
    if (mu.v) emi_mul_tn(1, t->X, mu, 0, (emi_block){K, 1, m});
    for (size_t first = from; first < from + rows_of_part; first += count) {
        count = from + rows_of_part - first < at_once ? from + rows_of_part - first : at_once;
        em_status status = (raw ? raw_rows : centred_rows)(C, first, count, room, &rows, err);
        if (status != EM_OK) return status;
        emi_block Y = {d, (int)count, (double *)rows}, S = {(int)count, K, scores};
        emi_mul_tn(1, Y, t->X, 0, S);
        if (mu.v) centre_scores(S, m, sums);
        for (int k = 0; k < K && t->measures; k++)
            squares[k] += C->weight * cblas_ddot(S.rows, emi_column_of(S, k), 1, emi_column_of(S, k), 1);
        emi_mul(C->weight, Y, S, 1, Z);
    }
    if (mu.v) emi_mul(-C->weight, mu, (emi_block){1, K, sums}, 1, Z);
    return emi_data_check(C->shard->data, C->shard->first + from, rows_of_part, err);
}

/* Columns that scratch has room for; never none. */
static int columns_at_once(int d, emi_scratch scratch)
{
    size_t rows = emi_rows_at_once(d, APPLY_BYTES), left = scratch.count - rows * (size_t)d,
           columns = left / (rows + 2);
    return columns < INT_MAX ? (int)columns : INT_MAX;
}

static em_status apply_implicit(const emi_cov *C, emi_block X, emi_block Z, int measures, emi_scratch scratch,
                                em_error *err)
{
    product t = {C, X, Z, measures};
    size_t size = ((size_t)C->d + (size_t)measures) * (size_t)X.cols;
    return emi_sum_parts(C->shard->count, Z.v, size, apply_to_part, &t, C->helpers, scratch, err);
}

/* A block wider than scratch was made for, in pieces. */
static em_status apply_in_pieces(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    int most = columns_at_once(C->d, scratch);
    for (int first = 0; first < X.cols && status == EM_OK; first += most) {
        int count = X.cols - first < most ? X.cols - first : most;
        status = apply_implicit(C, (emi_block){X.rows, count, emi_column_of(X, first)},
                                (emi_block){Z.rows, count, emi_column_of(Z, first)}, 0, scratch, err);
    }
    return status;
}

/* The rows of Z from a panel of C's columns, which are its rows too. */
static em_status panel_body(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    const product *t = context;
    int d = t->C->d, first = index * PANEL, rows = d - first < PANEL ? d - first : PANEL;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, t->X.cols, d, 1, t->C->dense + (size_t)first * (size_t)d,
                d, t->X.v, d, 0, t->Z.v + first, d);
    return EM_OK;
}

/* A large covariance in panels of a fixed width, which a helpers may share. */
static em_status apply_dense(const emi_cov *C, emi_block X, emi_block Z, em_error *err)
{
    em_status status = EM_OK;
    product t = {.C = C, .X = X, .Z = Z};
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
    return emi_cov_is_dense(C) ? apply_dense(C, X, Z, err) : apply_in_pieces(C, X, Z, scratch, err);
}

em_status emi_cov_measure(const emi_cov *C, emi_block X, double *out, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)C->d, K = (size_t)X.cols;
    double *piece = NULL;
    int most = columns_at_once(C->d, scratch);
    if (X.cols <= most) return apply_implicit(C, X, (emi_block){C->d, X.cols, out}, 1, scratch, err);
    piece = emi_doubles((d + 1) * (size_t)most);
    if (!piece) return emi_fail_memory(err, "certificate");
    for (int first = 0, count; first < X.cols; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        emi_block some = {C->d, count, emi_column_of(X, first)};
        TRY(apply_implicit(C, some, (emi_block){C->d, count, piece}, 1, scratch, err));
        memcpy(out + (size_t)first * d, piece, sizeof *out * d * (size_t)count);
        memcpy(out + K * d + (size_t)first, piece + d * (size_t)count, sizeof *out * (size_t)count);
    }
done:
    emi_free(piece);
    return status;
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
