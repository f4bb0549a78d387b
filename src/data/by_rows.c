#include "data/by_rows.h"

#include "base/memory.h"
#include "data/gpu_rows.h"
#include "data/row_kind.h"

#include <limits.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 18, /* of rows: read once from memory, used twice from the cache                       */
    MOST_ROWS = 64,        /* of a block: more only take their scores out of the cache                        */
    SINGLE_ROWS = 64,      /* summed in single precision, before that goes to a sum in double                 */
    AT_ONCE = 1 << 20      /* numbers of a block that is multiplied at once: each thread has a sum of as many */
};

/* A product under way: with rows that are standardised while they are copied, or with rows as they lie.  Then columns are
 * scaled before, and the mean is taken off the scores and the sums:
 *
 *     S = (Y - 1 mu') D^-1 X = Y (D^-1 X) - 1 mu' (D^-1 X),    Z = D^-1 (Y' S - mu 1' S) */
typedef struct product {
    const emi_operator *C;
    emi_real real;
    int columns;
    const void *X, *start; /* in panels                                     */
    int as_they_lie;
    int measures; /* the scores' squares are asked for too */
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

/* Whole panels of either precision. */
static int columns_at_most(int d)
{
    int panel = emi_panel_width(EMI_SINGLE), most = AT_ONCE / d / panel * panel;
    return most > panel ? most : panel;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

size_t emi_by_rows_needs(int d, int K)
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

/* Numbers of a product in panels; after them in a sum come the scores' own sums, and their squares.  Sums begin at a line of
 * the cache each. */
static size_t size_of(const product *t)
{
    return emi_panels(t->real, t->columns) * (size_t)emi_panel_width(t->real) * (size_t)t->C->d;
}

static size_t size_with_scores(const product *t)
{
    enum { LINE = EMI_PANEL_BYTES / sizeof(double) };
    return size_of(t) + (2 * (size_t)t->columns + LINE - 1) / LINE * LINE;
}

static const void *rows_in_place(const product *t, size_t first)
{
    const emi_shard *shard = t->C->shard;
    return shard->order ? NULL : emi_data_in_place(shard->data, shard->first + first);
}

static int are_of_a_kind(const product *t)
{
    em_dtype type = t->C->shard->data->type;
    return type == (t->real == EMI_SINGLE ? EM_F32 : EM_F64) && t->C->shard->count > 0 && rows_in_place(t, 0);
}

/* Some of the rows, with rows of zeros after them as far as the products want. */
static em_status find_rows(const product *t, size_t first, size_t count, const room *r, const void **rows,
                           size_t *padded, em_error *err)
{
    size_t size = emi_real_size(t->real) * (size_t)t->C->d;
    const emi_shard *shard = t->C->shard;
    *padded = (count + EMI_SKINNY_ROWS - 1) / EMI_SKINNY_ROWS * EMI_SKINNY_ROWS;
    int in_place = t->as_they_lie && *padded == count;
    *rows = in_place ? rows_in_place(t, first) : r->rows;
    if (!in_place) memset((char *)r->rows + count * size, 0, (*padded - count) * size);
    if (!t->as_they_lie) return emi_standard_read(t->C->standard, shard, first, count, t->real, r->rows, r->read, err);
    if (!in_place) memcpy(r->rows, rows_in_place(t, first), count * size);
    return EM_OK;
}

/* Were they there, in a file that may get shorter?  Asked after they were used. */
static em_status check_rows(const product *t, size_t first, size_t count, em_error *err)
{
    return t->as_they_lie ? emi_data_check(t->C->shard->data, t->C->shard->first + first, count, err) : EM_OK;
}

/* What comes after them. */
static emi_ahead rows_after(const product *t, size_t first, size_t end)
{
    const void *rows = first < end ? rows_in_place(t, first) : NULL;
    return (emi_ahead){rows, rows ? emi_dtype_size(t->C->shard->data->type) : 0};
}

static emi_skinny_product for_kernel(const product *t, double *S, void *Z)
{
    return (emi_skinny_product){.real = t->real,
                                .d = (size_t)t->C->d,
                                .panels = emi_panels(t->real, t->columns),
                                .X = t->X,
                                .start = t->start,
                                .S = S,
                                .Z = Z};
}

/* Of some of the rows, a block at a time: each is read once and used for both products while it is in the cache. */
static em_status product_of_part(void *context, size_t from, size_t rows_of_part, double *sum, emi_scratch scratch,
                                 em_error *err)
{
    const product *t = context;
    size_t size = size_of(t), at_once = rows_at_once(t->C->d), every = t->C->every ? t->C->every : 1,
           end = from + rows_of_part, since = 0, padded;
    room r = divide(t, scratch);
    emi_skinny_product p = for_kernel(t, r.S, t->real == EMI_SINGLE ? (void *)r.Z : sum);
    memset(sum, 0, sizeof *sum * size_with_scores(t));
    if (t->real == EMI_SINGLE) memset(r.Z, 0, sizeof *r.Z * size);
    for (size_t first = from; first < end; first += every * at_once) {
        size_t count = end - first < at_once ? end - first : at_once, next = first + every * at_once;
        const void *rows;
        em_status status = find_rows(t, first, count, &r, &rows, &padded, err);
        if (status != EM_OK) return status;
        emi_skinny(&p, rows, padded, rows_after(t, next, end));
        status = check_rows(t, first, count, err);
        if (status != EM_OK) return status;
        if (t->as_they_lie) emi_skinny_sums(t->real, r.S, padded, count, t->columns, sum + size);
        if (t->measures) emi_skinny_squares(r.S, padded, count, t->columns, sum + size + (size_t)t->columns);
        since += count;
        if (t->real == EMI_DOUBLE || (since < SINGLE_ROWS && next < end)) continue;
        emi_move_sums(r.Z, sum, size);
        since = 0;
    }
    emi_shard_forget(t->C->shard, from, rows_of_part);
    return EM_OK;
}

/* Columns as rows that lie where they are want them, and what their scores begin with. */
static void adapt(const emi_standard *standard, emi_block X, double *adapted, double *start)
{
    for (int k = 0; k < X.cols; k++) {
        const double *x = emi_column_of(X, k);
        double *to = adapted + (size_t)k * (size_t)X.rows, sum = 0;
        for (int f = 0; f < X.rows; f++) {
            to[f] = standard->inverse_scale ? x[f] * standard->inverse_scale[f] : x[f];
            if (standard->mean) sum += standard->mean[f] * to[f];
        }
        start[k] = -sum;
    }
}

/* Room for the columns of a product in panels, what their scores begin with, and that in double. */
static size_t for_columns(const product *t)
{
    return size_of(t) + emi_panels(t->real, t->columns) * EMI_PANEL_BYTES / sizeof(double) + (size_t)t->columns;
}

/* X into such room; `adapted` is of X's size, and scribbled on. */
static void put_columns(product *t, emi_block X, double *adapted, double *panels)
{
    double *start = panels + size_of(t),
           *starts = start + emi_panels(t->real, t->columns) * EMI_PANEL_BYTES / sizeof(double);
    if (t->as_they_lie) {
        adapt(t->C->standard, X, adapted, starts);
        emi_panels_from(t->real, (emi_block){1, X.cols, starts}, start);
        X.v = adapted;
    }
    emi_panels_from(t->real, X, panels);
    t->X = panels;
    t->start = t->as_they_lie ? start : NULL;
}

/* What the mean and the scale make of their product. */
static void correct(const emi_standard *standard, double weight, const double *sums, emi_block Z)
{
    for (int k = 0; k < Z.cols; k++) {
        double *z = emi_column_of(Z, k);
        for (int f = 0; standard->mean && f < Z.rows; f++) z[f] -= weight * sums[k] * standard->mean[f];
        for (int f = 0; standard->inverse_scale && f < Z.rows; f++) z[f] *= standard->inverse_scale[f];
    }
}

/* Z = (M/N) Y' (Y X), and the squares where they are asked for. */
static em_status multiply(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    product t = {.C = C, .real = real, .columns = X.cols, .measures = squares != NULL};
    size_t size = size_of(&t), columns = (size_t)X.cols;
    emi_extent rows = {C->shard->count, (size_t)C->d};
    double *panels = emi_doubles(for_columns(&t)), *sum = emi_doubles(size_with_scores(&t));
    if (!panels || !sum) TRY(emi_fail_memory(err, "product"));
    t.as_they_lie = emi_standard_is_near(C->standard) && are_of_a_kind(&t);
    put_columns(&t, X, Z.v, panels); /* Z is still free */
    TRY(emi_sum_parts(rows, sum, size_with_scores(&t), product_of_part, &t, C->helpers, scratch, err));
    emi_panels_to(real, C->weight, sum, Z);
    if (t.as_they_lie) correct(C->standard, C->weight, sum + size, Z);
    for (int k = 0; squares && k < X.cols; k++) squares[k] = C->weight * sum[size + columns + (size_t)k];
done:
    emi_free(sum);
    emi_free(panels);
    return status;
}

/* As many columns at a time as there is scratch for. */
static em_status multiply_all(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                              emi_scratch scratch, em_error *err)
{
    const emi_row_kind *rows = emi_rows_of(C->shard);
    if (rows && rows->multiply) return rows->multiply(C, real, X, Z, squares, scratch, err);
    if (C->gpu && !C->gpu->gave_up) {
        em_error failure = {0};
        em_status there = emi_gpu_rows_multiply(C->gpu, C, real, X, Z, squares, &failure);
        if (!emi_gpu_rows_yield(C->gpu, there, &failure, err)) return there;
    }
    em_status status = EM_OK;
    int most = columns_at_once(C->d, real, scratch);
    for (int first = 0, count; first < X.cols && status == EM_OK; first += count) {
        count = smaller(X.cols - first, most);
        emi_block part = {X.rows, count, emi_column_of(X, first)}, out = {X.rows, count, emi_column_of(Z, first)};
        status = multiply(C, real, part, out, squares ? squares + first : NULL, scratch, err);
    }
    return status;
}

/* ---- scores ------------------------------------------------------------------------------------------------------- */

enum { CHUNK = 1024 }; /* rows that a thread takes at a time */

typedef struct scoring {
    product product;
    const emi_helpers *helpers;
    char *scores;
    size_t row_size, size; /* bytes of all of a row's scores, and of those that are made now */
} scoring;

/* From panels to rows. */
static void write_scores(const scoring *t, const char *S, size_t first, size_t padded, size_t count)
{
    const size_t panel = EMI_PANEL_BYTES;
    for (size_t r = 0; r < count; r++) {
        char *to = t->scores + (first + r) * t->row_size;
        for (size_t done = 0; done < t->size; done += panel)
            memcpy(to + done, S + (done / panel * padded + r) * panel, t->size - done < panel ? t->size - done : panel);
    }
}

static em_status score_body(void *context, int index, int worker, em_error *err)
{
    const scoring *t = context;
    const product *p = &t->product;
    size_t from = (size_t)index * CHUNK, rows = p->C->shard->count, end = rows - from < CHUNK ? rows : from + CHUNK,
           at_once = rows_at_once(p->C->d), padded;
    room r = divide(p, t->helpers->scratch[worker]);
    emi_skinny_product scores = for_kernel(p, r.S, NULL);
    for (size_t first = from, count; first < end; first += count) {
        const void *found;
        count = end - first < at_once ? end - first : at_once;
        em_status status = find_rows(p, first, count, &r, &found, &padded, err);
        if (status != EM_OK) return status;
        emi_skinny(&scores, found, padded, rows_after(p, first + count, rows));
        status = check_rows(p, first, count, err);
        if (status != EM_OK) return status;
        write_scores(t, (const char *)r.S, first, padded, count);
        emi_shard_forget(p->C->shard, first, count);
    }
    return EM_OK;
}

/* Is the mean not far, beside what some of the rows are off it, weighed as it counts in scores? */
static em_status looks_near(const product *t, emi_block X, emi_scratch scratch, int *near, em_error *err)
{
    enum { SOME = 8 };
    static const double many = 2;
    const double *mean = t->C->standard->mean, *inverse = t->C->standard->inverse_scale;
    double of_mean = 0, of_rows = 0;
    size_t d = (size_t)t->C->d, count = t->C->shard->count < SOME ? t->C->shard->count : SOME;
    em_status status = emi_standard_read(t->C->standard, t->C->shard, 0, count, EMI_DOUBLE, scratch.v, NULL, err);
    if (status != EM_OK) return status;
    for (size_t f = 0; f < d; f++) {
        double weight = 0, away = mean ? mean[f] * (inverse ? inverse[f] : 1) : 0;
        for (int k = 0; k < X.cols; k++) weight += emi_column_of(X, k)[f] * emi_column_of(X, k)[f];
        of_mean += weight * away * away;
        for (size_t r = 0; r < count; r++)
            of_rows += weight * scratch.v[r * d + f] * scratch.v[r * d + f] / (double)count;
    }
    *near = of_mean <= many * many * of_rows;
    return EM_OK;
}

em_status emi_by_rows_scores(const emi_operator *C, emi_real real, emi_block X, void *scores, emi_scratch scratch,
                             em_error *err)
{
    em_status status = EM_OK;
    const emi_row_kind *rows = emi_rows_of(C->shard);
    if (rows) return rows->scores(C, real, X, scores, scratch, err);
    const emi_helpers alone = {NULL, &scratch};
    int most = smaller(X.cols, columns_at_once(C->d, real, scratch)), near = 0;
    size_t chunks = (C->shard->count + CHUNK - 1) / CHUNK, number = emi_real_size(real);
    scoring t = {.product = {.C = C, .real = real, .columns = most},
                 .helpers = C->helpers ? C->helpers : &alone,
                 .row_size = number * (size_t)X.cols};
    size_t panels = for_columns(&t.product);
    double *all = emi_doubles(panels + (size_t)C->d * (size_t)most);
    if (!all) TRY(emi_fail_memory(err, "scores"));
    if (chunks > INT_MAX) TRY(emi_fail(err, EM_EINVAL, "scores: too many rows; try fewer at a time"));
    if (are_of_a_kind(&t.product)) TRY(looks_near(&t.product, X, scratch, &near, err));
    t.product.as_they_lie = near;
    for (int first = 0; first < X.cols; first += most) {
        emi_block part = {X.rows, smaller(most, X.cols - first), emi_column_of(X, first)};
        t.product.columns = part.cols;
        t.size = number * (size_t)part.cols;
        t.scores = (char *)scores + number * (size_t)first;
        put_columns(&t.product, part, all + panels, all);
        TRY(emi_pool_run(t.helpers->pool, (int)chunks, 1e12, score_body, &t, err));
    }
done:
    emi_free(all);
    return status;
}

/* ---- products ----------------------------------------------------------------------------------------------------- */

double emi_by_rows_cost(double rows, int d, int K)
{
    return 4.0 * rows * d * K;
}

em_status emi_by_rows_apply(const emi_operator *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err)
{
    return multiply_all(C, C->real, X, Z, NULL, scratch, err);
}

/* Of each column as a sum of squares of scores, which rounding spoils least. */
em_status emi_by_rows_measure(const emi_operator *C, emi_block X, double *out, emi_scratch scratch, em_error *err)
{
    emi_block Z = {X.rows, X.cols, out};
    return multiply_all(C, EMI_DOUBLE, X, Z, out + (size_t)X.rows * (size_t)X.cols, scratch, err);
}

/* By a GPU, if that multiplies. */
static em_status lead(const emi_operator *C, emi_leading *asked, em_error *err)
{
    em_error failure = {0};
    if (!C->gpu || C->gpu->gave_up) return EM_OK;
    em_status status = emi_gpu_rows_lead(C->gpu, C, asked, &failure);
    return emi_gpu_rows_yield(C->gpu, status, &failure, err) ? EM_OK : status;
}

const emi_operator_kind emi_by_rows = {.name = "implicit",
                                       .cost = emi_by_rows_cost,
                                       .apply = emi_by_rows_apply,
                                       .measure = emi_by_rows_measure,
                                       .lead = lead};
