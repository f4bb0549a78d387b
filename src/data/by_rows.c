#include "data/by_rows.h"

#include "base/memory.h"

#include <string.h>

enum {
    BLOCK_BYTES = 1 << 18, /* of rows: read once from memory, used twice from the cache                       */
    MOST_ROWS = 64,        /* of a block: more only take their scores out of the cache                        */
    SINGLE_ROWS = 64,      /* summed in single precision, before that goes to a sum in double                 */
    AT_ONCE = 1 << 20      /* numbers of a block that is multiplied at once: each part of the rows has a sum  */
};

/* A product under way. */
typedef struct product {
    const emi_cov *C;
    emi_real real;
    int columns;
    const double *X; /* in panels                                     */
    int measures;    /* the scores' squares too, after the product    */
} product;

/* A worker's scratch. */
typedef struct room {
    double *rows, *read; /* [at_once * d] as they are used, and as they are read             */
    double *S;           /* panels of scores                                                 */
    float *Z;            /* of sums in single precision                                      */
} room;

static size_t rows_at_once(int d)
{
    size_t rows = emi_rows_at_once(d, BLOCK_BYTES);
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* In doubles: the rows twice, and for each panel, of either precision, the scores and the sum. */
static size_t for_rows(int d)
{
    return 2 * rows_at_once(d) * (size_t)d;
}

static size_t for_panel(int d)
{
    return ((size_t)d + rows_at_once(d)) * (EMI_PANEL_BYTES / sizeof(double));
}

/* Whole panels, two at least. */
static int columns_at_most(int d)
{
    int panel = emi_panel_width(EMI_SINGLE), most = AT_ONCE / d / panel * panel;
    return most > panel ? most : panel;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

size_t emi_cov_apply_needs(int d, int K)
{
    return for_rows(d) + emi_panels(EMI_DOUBLE, smaller(K, columns_at_most(d))) * for_panel(d);
}

static int columns_at_once(int d, emi_real real, emi_scratch scratch)
{
    size_t columns = (scratch.count - for_rows(d)) / for_panel(d) * (size_t)emi_panel_width(real);
    return columns < (size_t)columns_at_most(d) ? (int)columns : columns_at_most(d);
}

static room divide(const product *t, emi_scratch scratch)
{
    size_t d = (size_t)t->C->d, at_once = rows_at_once(t->C->d),
           wide = emi_panels(t->real, t->columns) * EMI_PANEL_BYTES / sizeof(double);
    room r = {.rows = scratch.v};
    r.read = r.rows + at_once * d;
    r.S = r.read + at_once * d;
    r.Z = (float *)(void *)(r.S + wide * at_once);
    return r;
}

/* Numbers of a product in panels. */
static size_t size_of(const product *t)
{
    return emi_panels(t->real, t->columns) * (size_t)emi_panel_width(t->real) * (size_t)t->C->d;
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

/* What comes after them, where it lies in memory as they do. */
static emi_ahead rows_after(const product *t, size_t first, size_t end)
{
    const em_data *data = t->C->shard->data;
    const char *rows = first < end && !t->C->shard->order ? emi_data_in_place(data, t->C->shard->first + first) : NULL;
    return (emi_ahead){rows, rows ? emi_dtype_size(data->type) : 0};
}

/* Y' (Y X) of some of the rows, in panels, a block at a time: each is read once and used for both products while it is in
 * the cache. */
static em_status product_of_part(void *context, size_t from, size_t rows_of_part, double *sum, emi_scratch scratch,
                                 em_error *err)
{
    const product *t = context;
    size_t d = (size_t)t->C->d, panels = emi_panels(t->real, t->columns), size = size_of(t), padded, since = 0,
           at_once = rows_at_once(t->C->d), every = t->C->every ? t->C->every : 1, end = from + rows_of_part;
    int single = t->real == EMI_SINGLE;
    room r = divide(t, scratch);
    memset(sum, 0, sizeof *sum * (size + (size_t)(t->measures ? t->columns : 0)));
    if (single) memset(r.Z, 0, sizeof *r.Z * size);
    for (size_t first = from; first < end; first += every * at_once) {
        size_t count = end - first < at_once ? end - first : at_once, next = first + every * at_once;
        em_status status = read_rows(t, first, count, &r, &padded, err);
        if (status != EM_OK) return status;
        emi_skinny(t->real, r.rows, padded, d, panels, t->X, r.S, single ? (void *)r.Z : sum, rows_after(t, next, end));
        if (t->measures) emi_skinny_squares(r.S, padded, t->columns, sum + size);
        since += count;
        if (!single || (since < SINGLE_ROWS && next < end)) continue;
        emi_move_sums(r.Z, sum, size);
        since = 0;
    }
    return EM_OK;
}

/* Z = (M/N) Y' (Y X), and the squares after it where they are asked for. */
static em_status multiply(const emi_cov *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    product t = {.C = C, .real = real, .columns = X.cols, .measures = squares != NULL};
    size_t size = size_of(&t);
    emi_extent rows = {C->shard->count, (size_t)C->d};
    double *panels = emi_doubles(size), *sum = emi_doubles(size + (size_t)X.cols);
    if (!panels || !sum) TRY(emi_fail_memory(err, "product"));
    emi_panels_from(real, X, panels);
    t.X = panels;
    TRY(emi_sum_parts(rows, sum, size + (size_t)(squares ? X.cols : 0), product_of_part, &t, C->helpers, scratch, err));
    emi_panels_to(real, C->weight, sum, Z);
    for (int k = 0; squares && k < X.cols; k++) squares[k] = C->weight * sum[size + (size_t)k];
done:
    emi_free(sum);
    emi_free(panels);
    return status;
}

/* As many columns at a time as there is scratch for. */
static em_status multiply_all(const emi_cov *C, emi_real real, emi_block X, emi_block Z, double *squares,
                              emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    int most = columns_at_once(C->d, real, scratch);
    for (int first = 0, count; first < X.cols && status == EM_OK; first += count) {
        count = smaller(X.cols - first, most);
        status = multiply(C, real, (emi_block){X.rows, count, emi_column_of(X, first)},
                          (emi_block){X.rows, count, emi_column_of(Z, first)}, squares ? squares + first : NULL,
                          scratch, err);
    }
    return status;
}

em_status emi_by_rows_apply(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    return multiply_all(C, C->real, X, Z, NULL, scratch, err);
}

em_status emi_cov_measure(const emi_cov *C, emi_block X, double *out, emi_scratch scratch, em_error *err)
{
    emi_block Z = {X.rows, X.cols, out};
    return multiply_all(C, EMI_DOUBLE, X, Z, out + (size_t)X.rows * (size_t)X.cols, scratch, err);
}
