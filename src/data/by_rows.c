#include "data/by_rows.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 18, /* of rows: read once from memory, used twice from the cache                       */
    MOST_ROWS = 64,        /* of a block: more only take their scores out of the cache                        */
    SINGLE_ROWS = 512      /* summed in single precision, before that goes to a sum in double                 */
};

/* A product under way. */
typedef struct product {
    const emi_cov *C;
    emi_real real;
    emi_block X;
    int measures; /* the scores' squares too, after the product */
} product;

/* A worker's scratch. */
typedef struct room {
    double *rows, *read; /* [at_once * d] as they are used, and as they are read             */
    double *X, *S, *Z;   /* panels                                                            */
} room;

static size_t rows_at_once(int d)
{
    size_t rows = emi_rows_at_once(d, BLOCK_BYTES);
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* In doubles: the rows twice, and for each panel, of either precision, what is multiplied, the scores and the sum. */
static size_t for_rows(int d)
{
    return 2 * rows_at_once(d) * (size_t)d;
}

static size_t for_panel(int d)
{
    return (2 * (size_t)d + rows_at_once(d)) * (EMI_PANEL_BYTES / sizeof(double));
}

size_t emi_cov_apply_needs(int d, int K)
{
    return for_rows(d) + emi_panels(EMI_DOUBLE, K) * for_panel(d);
}

static int columns_at_once(int d, emi_real real, emi_scratch scratch)
{
    size_t columns = (scratch.count - for_rows(d)) / for_panel(d) * (size_t)emi_panel_width(real);
    return columns < INT_MAX ? (int)columns : INT_MAX;
}

static room divide(const product *t, size_t panels, emi_scratch scratch)
{
    size_t d = (size_t)t->C->d, at_once = rows_at_once(t->C->d), wide = panels * EMI_PANEL_BYTES / sizeof(double);
    room r = {.rows = scratch.v};
    r.read = r.rows + at_once * d;
    r.X = r.read + at_once * d;
    r.Z = r.X + wide * d;
    r.S = r.Z + wide * d;
    return r;
}

/* Some of the rows, with rows of zeros after them as far as the products want. */
static em_status read_rows(const product *t, size_t first, size_t count, const room *r, size_t *padded, em_error *err)
{
    size_t size = emi_real_size(t->real), d = (size_t)t->C->d;
    em_status status = emi_standard_read(t->C->standard, t->C->shard, first, count, t->real, r->rows, r->read, err);
    *padded = (count + EMI_SKINNY_ROWS - 1) / EMI_SKINNY_ROWS * EMI_SKINNY_ROWS;
    memset((char *)r->rows + count * d * size, 0, (*padded - count) * d * size);
    return status;
}

/* Z = (M/N) Y' (Y X) for some of the rows, a block at a time: each is read once and used for both products while it is in
 * the cache. */
static em_status product_of_part(void *context, size_t from, size_t rows_of_part, double *sum, emi_scratch scratch,
                                 em_error *err)
{
    const product *t = context;
    size_t d = (size_t)t->C->d, K = (size_t)t->X.cols, panels = emi_panels(t->real, t->X.cols), padded, since = 0,
           in_a_sum = t->real == EMI_SINGLE ? SINGLE_ROWS : SIZE_MAX, at_once = rows_at_once(t->C->d);
    room r = divide(t, panels, scratch);
    emi_block Z = {t->C->d, t->X.cols, sum};
    memset(sum, 0, sizeof *sum * (d + (size_t)t->measures) * K);
    memset(r.Z, 0, panels * d * EMI_PANEL_BYTES);
    emi_panels_from(t->real, t->X, r.X);
    for (size_t first = from, end = from + rows_of_part, every = t->C->every ? t->C->every : 1; first < end;
         first += every * at_once) {
        size_t count = end - first < at_once ? end - first : at_once;
        em_status status = read_rows(t, first, count, &r, &padded, err);
        if (status != EM_OK) return status;
        emi_skinny(t->real, r.rows, padded, d, panels, r.X, r.S, r.Z);
        if (t->measures) emi_skinny_squares(r.S, padded, t->X.cols, t->C->weight, sum + d * K);
        since += count;
        if (since < in_a_sum && first + every * at_once < end) continue;
        emi_panels_add(t->real, t->C->weight, r.Z, Z);
        memset(r.Z, 0, panels * d * EMI_PANEL_BYTES);
        since = 0;
    }
    return EM_OK;
}

static em_status multiply(const product *t, double *out, emi_scratch scratch, em_error *err)
{
    size_t size = ((size_t)t->C->d + (size_t)t->measures) * (size_t)t->X.cols;
    return emi_sum_parts(t->C->shard->count, out, size, product_of_part, (void *)t, t->C->helpers, scratch, err);
}

em_status emi_by_rows_apply(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    int most = columns_at_once(C->d, C->real, scratch);
    for (int first = 0, count; first < X.cols && status == EM_OK; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        product t = {C, C->real, {X.rows, count, emi_column_of(X, first)}, 0};
        status = multiply(&t, emi_column_of(Z, first), scratch, err);
    }
    return status;
}

em_status emi_cov_measure(const emi_cov *C, emi_block X, double *out, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)C->d, K = (size_t)X.cols;
    int most = columns_at_once(C->d, EMI_DOUBLE, scratch);
    double *piece = emi_doubles((d + 1) * (size_t)(X.cols < most ? X.cols : most));
    if (!piece) return emi_fail_memory(err, "certificate");
    for (int first = 0, count; first < X.cols; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        product t = {C, EMI_DOUBLE, {C->d, count, emi_column_of(X, first)}, 1};
        TRY(multiply(&t, piece, scratch, err));
        memcpy(out + (size_t)first * d, piece, sizeof *out * d * (size_t)count);
        memcpy(out + K * d + (size_t)first, piece + d * (size_t)count, sizeof *out * (size_t)count);
    }
done:
    emi_free(piece);
    return status;
}
