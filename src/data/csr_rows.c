/* Products with sparse rows, of what is stored alone.  Columns are scaled before, and the mean is taken off the scores and the sums:
 *
 *     S = (Y - 1 mu') D^-1 X = Y (D^-1 X) - 1 mu' (D^-1 X),    Z = D^-1 (Y' S - mu 1' S)
 *
 * That loses digits where a mean is many deviations away from zero.  Such a column has hardly a zero: with a share p of its values
 * stored, its mean is at most sqrt(p / (1 - p)) deviations away.  Columns that are nearly full are then taken as dense ones, which costs
 * little more: every row has them, less their mean. */
#include "data/csr.h"

#include "base/memory.h"
#include "base/wide.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    AT_ONCE = 64,        /* rows that are multiplied with one panel after the other, while they are in the cache    */
    MOST_SUMS = 1 << 20, /* numbers of a block that is multiplied at once: each thread has a sum of as many         */
    CHUNK = 1024         /* rows that a thread takes at a time for scores                                           */
};

typedef struct product {
    const emi_operator *C;
    const emi_csr *m;
    emi_real real;
    int columns;
    int measures;       /* the scores' squares are asked for too                             */
    double *mean;       /* [d] that is taken off products: 0 for columns that are taken as dense; NULL: none is */
    int32_t *slot;      /* [d] which of the full columns it is, -1: none; NULL: no column is taken as dense     */
    const void *X;      /* in panels, scaled                                                                    */
    const double *less; /* [columns] that scores begin with                                                     */
} product;

/* Some rows: what each of them has. */
typedef struct block {
    size_t rows, begin[AT_ONCE], end[AT_ONCE];
    const int32_t *feature;
    const void *value; /* of the product's precision */
} block;

/* ---- rows as they are multiplied ------------------------------------------------------------------------------------- */

static const double *fill_of(const product *t)
{
    return t->C->shard->data->holes ? t->C->standard->fill : NULL;
}

static int as_it_lies(const product *t)
{
    return t->m->type == (t->real == EMI_SINGLE ? EM_F32 : EM_F64) && t->m->index_type == EM_I32 && !t->slot &&
           !fill_of(t);
}

static void find_rows(const product *t, size_t first, size_t count, block *b)
{
    *b = (block){.rows = count, .feature = t->m->indices, .value = t->m->values};
    for (size_t r = 0; r < count; r++) {
        size_t row = emi_csr_row(t->C->shard, first + r);
        b->begin[r] = emi_csr_start(t->m, row);
        b->end[r] = emi_csr_start(t->m, row + 1);
    }
}

/* Room for entries, as values and as features: for one row at least, which has no column twice. */
typedef struct room {
    void *value;
    int32_t *feature;
    size_t count;
} room;

static room divide(emi_scratch scratch)
{
    size_t count = scratch.count / 3 * 2; /* a double and half of one */
    return (room){scratch.v, (int32_t *)(void *)(scratch.v + count), count};
}

static void put(const product *t, const room *to, size_t n, size_t feature, double value)
{
    to->feature[n] = (int32_t)feature;
    if (t->real == EMI_SINGLE)
        ((float *)to->value)[n] = (float)value;
    else
        ((double *)to->value)[n] = value;
}

/* One row: full columns first, all of them.  Returns how many entries it has. */
static size_t copy_row(const product *t, size_t row, const room *to, size_t at)
{
    const emi_csr *m = t->m;
    const double *fill = fill_of(t), *mean = t->C->standard->mean;
    size_t full = t->slot ? m->full_count : 0, count = full;
    for (size_t n = 0; n < full; n++) put(t, to, at + n, (size_t)m->full[n], -mean[m->full[n]]);
    for (size_t n = emi_csr_start(m, row), end = emi_csr_start(m, row + 1); n < end; n++) {
        size_t f = emi_csr_index(m, n);
        double value = emi_csr_value(m, n);
        if (fill && isnan(value)) value = fill[f];
        if (full && t->slot[f] >= 0)
            put(t, to, at + (size_t)t->slot[f], f, value - mean[f]);
        else
            put(t, to, at + count++, f, value);
    }
    return count;
}

/* As many of them as there is room for. */
static void copy_rows(const product *t, size_t first, size_t count, const room *to, block *b)
{
    size_t used = 0;
    *b = (block){.feature = to->feature, .value = to->value};
    while (b->rows < count && used + t->m->columns <= to->count) {
        b->begin[b->rows] = used;
        used += copy_row(t, emi_csr_row(t->C->shard, first + b->rows), to, used);
        b->end[b->rows++] = used;
    }
}

static void take_rows(const product *t, size_t first, size_t count, const room *to, block *b)
{
    size_t most = count < AT_ONCE ? count : AT_ONCE;
    if (as_it_lies(t))
        find_rows(t, first, most, b);
    else
        copy_rows(t, first, most, to, b);
}

/* ---- kernels: a number of a row meets a whole panel of columns ------------------------------------------------------------ */

typedef double doubles __attribute__((vector_size(EMI_PANEL_BYTES), aligned(sizeof(double)), may_alias));
typedef float floats __attribute__((vector_size(EMI_PANEL_BYTES), aligned(sizeof(float)), may_alias));
typedef double wide_doubles __attribute__((vector_size(2 * EMI_PANEL_BYTES), aligned(sizeof(double)), may_alias));

/* S = start + Y X.  Sums of every other entry do not wait for each other. */
#define SCORES(REAL, PANEL)                                                                                            \
    EMI_WIDE static void scores_of_##PANEL(const block *b, const void *panel, const REAL *start, void *scores)         \
    {                                                                                                                  \
        const PANEL *X = panel;                                                                                        \
        const REAL *value = b->value;                                                                                  \
        for (size_t r = 0; r < b->rows; r++) {                                                                         \
            size_t n = b->begin[r], end = b->end[r];                                                                   \
            PANEL even = *(const PANEL *)(const void *)start, odd = {0};                                               \
            for (; n + 1 < end; n += 2) {                                                                              \
                even += value[n] * X[b->feature[n]];                                                                   \
                odd += value[n + 1] * X[b->feature[n + 1]];                                                            \
            }                                                                                                          \
            if (n < end) even += value[n] * X[b->feature[n]];                                                          \
            ((PANEL *)scores)[r] = even + odd;                                                                         \
        }                                                                                                              \
    }

/* Z += Y' S, in double. */
#define SUMS(REAL, PANEL, SUM)                                                                                         \
    EMI_WIDE static void sums_of_##PANEL(const block *b, const void *scores, void *sums)                               \
    {                                                                                                                  \
        SUM *Z = sums;                                                                                                 \
        const REAL *value = b->value;                                                                                  \
        for (size_t r = 0; r < b->rows; r++) {                                                                         \
            SUM s = __builtin_convertvector(((const PANEL *)scores)[r], SUM);                                          \
            for (size_t n = b->begin[r]; n < b->end[r]; n++) Z[b->feature[n]] += (double)value[n] * s;                 \
        }                                                                                                              \
    }

SCORES(double, doubles)
SCORES(float, floats)
SUMS(double, doubles, doubles)
SUMS(float, floats, wide_doubles)

/* Of panel p, into S[AT_ONCE] panels. */
static void find_scores(const product *t, const block *b, size_t p, double *S)
{
    enum { DOUBLES = EMI_PANEL_BYTES / sizeof(double), FLOATS = EMI_PANEL_BYTES / sizeof(float) };
    size_t width = (size_t)emi_panel_width(t->real);
    const char *X = (const char *)t->X + p * EMI_PANEL_BYTES * t->m->columns;
    double start[DOUBLES] = {0};
    float single[FLOATS] = {0};
    for (size_t k = 0; k < width && p * width + k < (size_t)t->columns; k++)
        if (t->real == EMI_SINGLE)
            single[k] = (float)t->less[p * width + k];
        else
            start[k] = t->less[p * width + k];
    if (t->real == EMI_SINGLE)
        scores_of_floats(b, X, single, S);
    else
        scores_of_doubles(b, X, start, S);
}

/* ---- products --------------------------------------------------------------------------------------------------------------- */

/* Numbers of a product in panels; after them in a sum come the scores' own sums, and their squares. */
static size_t size_of(const product *t)
{
    return emi_panels(t->real, t->columns) * (size_t)emi_panel_width(t->real) * t->m->columns;
}

static size_t size_with_scores(const product *t)
{
    enum { LINE = EMI_PANEL_BYTES / sizeof(double) };
    return size_of(t) + (2 * (size_t)t->columns + LINE - 1) / LINE * LINE;
}

/* Of a block of rows, while it is in the cache. */
static void multiply_block(const product *t, const block *b, double *sum)
{
    double S[AT_ONCE * EMI_PANEL_BYTES / sizeof(double)] __attribute__((aligned(EMI_PANEL_BYTES)));
    size_t width = (size_t)emi_panel_width(t->real), size = width * t->m->columns;
    double *own = sum + size_of(t), *squares = own + t->columns;
    for (size_t p = 0; p < emi_panels(t->real, t->columns); p++) {
        size_t left = (size_t)t->columns - p * width;
        int columns = (int)(left < width ? left : width);
        find_scores(t, b, p, S);
        if (t->real == EMI_SINGLE)
            sums_of_floats(b, S, sum + p * size);
        else
            sums_of_doubles(b, S, sum + p * size);
        emi_skinny_sums(t->real, S, b->rows, b->rows, columns, own + p * width);
        if (t->measures) emi_skinny_squares(S, b->rows, b->rows, columns, squares + p * width);
    }
}

static em_status product_of_part(void *context, size_t from, size_t rows, double *sum, emi_scratch scratch, em_error *err)
{
    (void)err;
    const product *t = context;
    const room to = divide(scratch);
    size_t every = t->C->every ? t->C->every : 1, end = from + rows;
    block b;
    memset(sum, 0, sizeof *sum * size_with_scores(t));
    for (size_t first = from; first < end; first += every * AT_ONCE) {
        size_t last = end - first < AT_ONCE ? end : first + AT_ONCE;
        for (size_t row = first; row < last; row += b.rows) {
            take_rows(t, row, last - row, &to, &b);
            multiply_block(t, &b, sum);
        }
    }
    return EM_OK;
}

/* ---- what is the same for all rows -------------------------------------------------------------------------------------------- */

static void close_product(product *t)
{
    emi_free(t->slot);
    emi_free(t->mean);
}

/* Full columns are dense ones where means may be far. */
static em_status open_product(product *t, em_error *err)
{
    const emi_standard *standard = t->C->standard;
    const emi_csr *m = t->m;
    size_t d = m->columns;
    if (!standard->mean) return EM_OK;
    t->mean = emi_doubles(d);
    if (!t->mean) return emi_fail_memory(err, "product");
    memcpy(t->mean, standard->mean, sizeof *t->mean * d);
    if (standard->near || m->full_count == 0) return EM_OK;
    t->slot = emi_malloc(sizeof *t->slot * d);
    if (!t->slot) return emi_fail_memory(err, "product");
    for (size_t f = 0; f < d; f++) t->slot[f] = -1;
    for (size_t n = 0; n < m->full_count; n++) {
        t->slot[m->full[n]] = (int32_t)n;
        t->mean[m->full[n]] = 0;
    }
    return EM_OK;
}

/* Columns scaled, and what their scores begin with. */
static void adapt(const product *t, emi_block X, double *adapted, double *less)
{
    const double *inverse = t->C->standard->inverse_scale;
    for (int k = 0; k < X.cols; k++) {
        const double *x = emi_column_of(X, k);
        double *to = adapted + (size_t)k * (size_t)X.rows, sum = 0;
        for (int f = 0; f < X.rows; f++) {
            to[f] = inverse ? x[f] * inverse[f] : x[f];
            if (t->mean) sum += t->mean[f] * to[f];
        }
        less[k] = -sum;
    }
}

/* What the mean and the scale make of their product. */
static void correct(const product *t, const double *sums, emi_block Z)
{
    const double *inverse = t->C->standard->inverse_scale;
    for (int k = 0; k < Z.cols; k++) {
        double *z = emi_column_of(Z, k);
        for (int f = 0; t->mean && f < Z.rows; f++) z[f] -= t->C->weight * sums[k] * t->mean[f];
        for (int f = 0; inverse && f < Z.rows; f++) z[f] *= inverse[f];
    }
}

static emi_extent extent_of(const product *t)
{
    return (emi_extent){t->C->shard->count, emi_csr_count(t->m) / t->m->rows + 1};
}

/* So many columns at a time. */
static int columns_at_once(const product *t)
{
    size_t d = t->m->columns, panel = (size_t)emi_panel_width(EMI_SINGLE), most = MOST_SUMS / d / panel * panel;
    return most > panel ? (int)most : (int)panel;
}

static em_status multiply_some(product *t, emi_block X, emi_block Z, double *squares, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    t->columns = X.cols;
    size_t size = size_of(t), columns = (size_t)X.cols;
    double *panels = emi_doubles(size + columns), *sum = emi_doubles(size_with_scores(t)), *less = NULL;
    if (!panels || !sum) TRY(emi_fail_memory(err, "product"));
    less = panels + size;
    adapt(t, X, Z.v, less); /* Z is still free */
    emi_panels_from(t->real, (emi_block){X.rows, X.cols, Z.v}, panels);
    t->X = panels;
    t->less = less;
    TRY(emi_sum_parts(extent_of(t), sum, size_with_scores(t), product_of_part, t, t->C->helpers, scratch, err));
    emi_panels_to(t->real, t->C->weight, sum, Z);
    correct(t, sum + size, Z);
    for (int k = 0; squares && k < X.cols; k++) squares[k] = t->C->weight * sum[size + columns + (size_t)k];
done:
    emi_free(sum);
    emi_free(panels);
    return status;
}

/* Where means may be far, or a scale is far from 1, in double precision. */
static em_status multiply(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    product t = {.C = C,
                 .m = C->shard->data->state,
                 .real = C->standard->near ? real : EMI_DOUBLE,
                 .measures = squares != NULL};
    TRY(open_product(&t, err));
    for (int first = 0, count; first < X.cols; first += count) {
        count = X.cols - first < columns_at_once(&t) ? X.cols - first : columns_at_once(&t);
        emi_block part = {X.rows, count, emi_column_of(X, first)}, out = {X.rows, count, emi_column_of(Z, first)};
        TRY(multiply_some(&t, part, out, squares ? squares + first : NULL, scratch, err));
    }
done:
    close_product(&t);
    return status;
}

/* ---- scores ---------------------------------------------------------------------------------------------------------------------- */

typedef struct scoring {
    product product;
    const emi_helpers *helpers;
    emi_real wanted;
    void *scores;
} scoring;

static void write_scores(const scoring *t, const double *S, size_t p, size_t first, size_t rows)
{
    size_t width = (size_t)emi_panel_width(EMI_DOUBLE), K = (size_t)t->product.columns;
    for (size_t r = 0; r < rows; r++)
        for (size_t k = p * width; k < K && k < (p + 1) * width; k++) {
            double score = S[r * width + k - p * width];
            if (t->wanted == EMI_SINGLE)
                ((float *)t->scores)[(first + r) * K + k] = (float)score;
            else
                ((double *)t->scores)[(first + r) * K + k] = score;
        }
}

static em_status score_body(void *context, int index, int worker, em_error *err)
{
    (void)err;
    const scoring *t = context;
    const product *p = &t->product;
    const room to = divide(t->helpers->scratch[worker]);
    double S[AT_ONCE * EMI_PANEL_BYTES / sizeof(double)] __attribute__((aligned(EMI_PANEL_BYTES)));
    size_t first = (size_t)index * CHUNK, rows = p->C->shard->count, end = rows - first < CHUNK ? rows : first + CHUNK;
    for (block b; first < end; first += b.rows) {
        take_rows(p, first, end - first, &to, &b);
        for (size_t panel = 0; panel < emi_panels(p->real, p->columns); panel++) {
            find_scores(p, &b, panel, S);
            write_scores(t, S, panel, first, b.rows);
        }
    }
    return EM_OK;
}

/* In double precision, whatever they are wanted in. */
static em_status scores(const emi_operator *C, emi_real real, emi_block X, void *out, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    const emi_helpers alone = {NULL, &scratch};
    scoring t = {.product = {.C = C, .m = C->shard->data->state, .real = EMI_DOUBLE, .columns = X.cols},
                 .helpers = C->helpers ? C->helpers : &alone,
                 .wanted = real,
                 .scores = out};
    size_t chunks = (C->shard->count + CHUNK - 1) / CHUNK, size = size_of(&t.product), own = (size_t)X.rows;
    double *all = emi_doubles(size + (own + 1) * (size_t)X.cols);
    if (!all) TRY(emi_fail_memory(err, "scores"));
    if (chunks > INT_MAX) TRY(emi_fail(err, EM_EINVAL, "scores: too many rows; try fewer at a time"));
    TRY(open_product(&t.product, err));
    double *adapted = all + size, *less = adapted + own * (size_t)X.cols;
    adapt(&t.product, X, adapted, less);
    emi_panels_from(EMI_DOUBLE, (emi_block){X.rows, X.cols, adapted}, all);
    t.product.X = all;
    t.product.less = less;
    TRY(emi_pool_run(t.helpers->pool, (int)chunks, 1e12, score_body, &t, err));
done:
    close_product(&t.product);
    emi_free(all);
    return status;
}

static double width(const em_data *data)
{
    const emi_csr *m = data->state;
    return (double)emi_csr_count(m) / (double)m->rows;
}

const emi_row_kind emi_csr_rows = {
    .name = "sparse", .width = width, .survey = emi_csr_survey, .multiply = multiply, .scores = scores};
