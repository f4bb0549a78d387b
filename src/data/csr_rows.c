/* Products with sparse rows, of what is stored alone.  Columns are scaled before, and the mean is taken off the scores and the sums:
 *
 *     S = (Y - 1 mu') D^-1 X = Y (D^-1 X) - 1 mu' (D^-1 X),    Z = D^-1 (Y' S - mu 1' S)
 *
 * That loses digits where a mean is many deviations away from zero.  Such a column has hardly a zero: with a share p of its values
 * stored, its mean is at most sqrt(p / (1 - p)) deviations away.  Columns that are nearly full are then taken as dense ones, which costs
 * little more: every row has them, less their mean. */
#include "data/csr_block.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

enum {
    MOST_SUMS = 1 << 20, /* numbers of a block that is multiplied at once: each thread has a sum of as many */
    CHUNK = 1024,        /* rows that a thread takes at a time for scores                                   */
    LINE = EMI_PANEL_BYTES / sizeof(double)
};

typedef struct product {
    const emi_operator *C;
    emi_csr_view view;
    int columns;
    int measures;      /* the scores' squares are asked for too                                             */
    double *mean;      /* [d] that is taken off products: 0 where the view does it already; NULL: none is   */
    const void *X;     /* in panels, scaled                                                                 */
    const void *start; /* that scores begin with, in panels                                                 */
} product;

/* ---- what is the same for all rows --------------------------------------------------------------------------------------- */

static void close_product(product *t)
{
    emi_free(t->view.slot);
    emi_free(t->mean);
}

/* Where means may be far, full columns are taken as dense. */
static em_status open_product(product *t, const emi_operator *C, emi_real real, em_error *err)
{
    const emi_standard *standard = C->standard;
    const emi_csr *m = C->shard->data->state;
    size_t d = m->columns;
    t->C = C;
    t->view =
        (emi_csr_view){.shard = C->shard, .m = m, .real = real, .fill = C->shard->data->holes ? standard->fill : NULL};
    if (!standard->mean) return EM_OK;
    t->mean = emi_doubles(d);
    if (!t->mean) return emi_fail_memory(err, "product");
    memcpy(t->mean, standard->mean, sizeof *t->mean * d);
    if (emi_standard_is_near(standard) || m->full_count == 0) return EM_OK;
    t->view.slot = emi_malloc(sizeof *t->view.slot * d);
    if (!t->view.slot) return emi_fail_memory(err, "product");
    t->view.less = standard->mean;
    for (size_t f = 0; f < d; f++) t->view.slot[f] = -1;
    for (size_t n = 0; n < m->full_count; n++) {
        t->view.slot[m->full[n]] = (int32_t)n;
        t->mean[m->full[n]] = 0;
    }
    return EM_OK;
}

/* Numbers of so many columns in panels. */
static size_t in_panels(const product *t, size_t rows)
{
    return emi_panels(t->view.real, t->columns) * (size_t)emi_panel_width(t->view.real) * rows;
}

/* Room for columns: in panels, with what their scores begin with, and that in double. */
static size_t for_columns(const product *t)
{
    return in_panels(t, t->view.m->columns) + in_panels(t, 1) + (size_t)t->columns;
}

/* Columns scaled, into such room; `scaled` is of X's size, and scribbled on. */
static void put_columns(product *t, emi_block X, double *scaled, double *room)
{
    const double *inverse = t->C->standard->inverse_scale;
    double *start = room + in_panels(t, t->view.m->columns), *starts = start + in_panels(t, 1);
    for (int k = 0; k < X.cols; k++) {
        const double *x = emi_column_of(X, k);
        double *to = scaled + (size_t)k * (size_t)X.rows, sum = 0;
        for (int f = 0; f < X.rows; f++) {
            to[f] = inverse ? x[f] * inverse[f] : x[f];
            if (t->mean) sum += t->mean[f] * to[f];
        }
        starts[k] = -sum;
    }
    emi_panels_from(t->view.real, (emi_block){X.rows, X.cols, scaled}, room);
    emi_panels_from(t->view.real, (emi_block){1, X.cols, starts}, start);
    t->X = room;
    t->start = start;
}

/* Scores with panel p, [EMI_CSR_ROWS] panels. */
static void find_scores(const product *t, const emi_csr_block *b, size_t p, void *S)
{
    const char *X = t->X, *start = t->start;
    emi_csr_scores(b, t->view.real, X + p * EMI_PANEL_BYTES * t->view.m->columns, start + p * EMI_PANEL_BYTES, S);
}

/* ---- products ---------------------------------------------------------------------------------------------------------------- */

/* A sum: a product in panels, then the scores' own sums, and their squares. */
static size_t size_of_sum(const product *t)
{
    return in_panels(t, t->view.m->columns) + (2 * (size_t)t->columns + LINE - 1) / LINE * LINE;
}

/* Of a block of rows, panel by panel, while it is in the cache. */
static void multiply_block(const product *t, const emi_csr_block *b, double *sum)
{
    double S[EMI_CSR_ROWS * LINE] __attribute__((aligned(EMI_PANEL_BYTES)));
    size_t width = (size_t)emi_panel_width(t->view.real), d = t->view.m->columns;
    double *own = sum + in_panels(t, d), *squares = own + t->columns;
    for (size_t p = 0; p * width < (size_t)t->columns; p++) {
        size_t left = (size_t)t->columns - p * width;
        int columns = (int)(left < width ? left : width);
        find_scores(t, b, p, S);
        emi_csr_sums(b, t->view.real, S, sum + p * width * d);
        emi_skinny_sums(t->view.real, S, b->rows, b->rows, columns, own + p * width);
        if (t->measures) emi_skinny_squares(S, b->rows, b->rows, columns, squares + p * width);
    }
}

static em_status product_of_part(void *context, size_t from, size_t rows, double *sum, emi_scratch scratch,
                                 em_error *err)
{
    (void)err;
    const product *t = context;
    size_t every = t->C->every ? t->C->every : 1, end = from + rows;
    emi_csr_block b;
    memset(sum, 0, sizeof *sum * size_of_sum(t));
    for (size_t first = from; first < end; first += every * EMI_CSR_ROWS) {
        size_t last = end - first < EMI_CSR_ROWS ? end : first + EMI_CSR_ROWS;
        for (size_t row = first; row < last; row += b.rows) {
            emi_csr_take(&t->view, row, last - row, scratch, &b);
            multiply_block(t, &b, sum);
        }
    }
    return EM_OK;
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

static double entries_a_row(const em_data *data)
{
    const emi_csr *m = data->state;
    return (double)emi_csr_count(m) / (double)m->rows;
}

static em_status multiply_some(product *t, emi_block X, emi_block Z, double *squares, emi_scratch scratch,
                               em_error *err)
{
    em_status status = EM_OK;
    t->columns = X.cols;
    size_t columns = (size_t)X.cols;
    emi_extent rows = {t->C->shard->count, 1 + (size_t)entries_a_row(t->C->shard->data)};
    double *room = emi_doubles(for_columns(t)), *sum = emi_doubles(size_of_sum(t));
    if (!room || !sum) TRY(emi_fail_memory(err, "product"));
    put_columns(t, X, Z.v, room); /* Z is still free */
    TRY(emi_sum_parts(rows, sum, size_of_sum(t), product_of_part, t, t->C->helpers, scratch, err));
    emi_panels_to(t->view.real, t->C->weight, sum, Z);
    const double *own = sum + in_panels(t, t->view.m->columns);
    correct(t, own, Z);
    for (size_t k = 0; squares && k < columns; k++) squares[k] = t->C->weight * own[columns + k];
done:
    emi_free(sum);
    emi_free(room);
    return status;
}

/* Whole panels of either precision. */
static int columns_at_once(size_t d)
{
    size_t panel = (size_t)emi_panel_width(EMI_SINGLE), most = MOST_SUMS / d / panel * panel;
    return (int)(most > panel ? most : panel);
}

/* Where means may be far, or a scale is far from 1, in double precision. */
static em_status multiply(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    product t = {.measures = squares != NULL};
    int most = columns_at_once((size_t)X.rows);
    TRY(open_product(&t, C, emi_standard_is_near(C->standard) ? real : EMI_DOUBLE, err));
    for (int first = 0, count; first < X.cols; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        emi_block part = {X.rows, count, emi_column_of(X, first)}, out = {X.rows, count, emi_column_of(Z, first)};
        TRY(multiply_some(&t, part, out, squares ? squares + first : NULL, scratch, err));
    }
done:
    close_product(&t);
    return status;
}

/* ---- scores -------------------------------------------------------------------------------------------------------------------- */

typedef struct scoring {
    product product;
    const emi_helpers *helpers;
    emi_real wanted;
    void *scores;
} scoring;

/* Of panel p and some rows, into those of all. */
static void write_scores(const scoring *t, const double *S, size_t p, size_t first, size_t rows)
{
    size_t panel = (size_t)emi_panel_width(EMI_DOUBLE), K = (size_t)t->product.columns;
    for (size_t r = 0; r < rows; r++)
        for (size_t k = p * panel; k < K && k < (p + 1) * panel; k++) {
            double score = S[r * panel + k - p * panel];
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
    double S[EMI_CSR_ROWS * LINE] __attribute__((aligned(EMI_PANEL_BYTES)));
    size_t first = (size_t)index * CHUNK, rows = p->C->shard->count, end = rows - first < CHUNK ? rows : first + CHUNK;
    for (emi_csr_block b; first < end; first += b.rows) {
        emi_csr_take(&p->view, first, end - first, t->helpers->scratch[worker], &b);
        for (size_t panel = 0; panel < emi_panels(EMI_DOUBLE, p->columns); panel++) {
            find_scores(p, &b, panel, S);
            write_scores(t, S, panel, first, b.rows);
        }
    }
    return EM_OK;
}

/* In double precision, whatever they are wanted in. */
static em_status scores(const emi_operator *C, emi_real real, emi_block X, void *out, emi_scratch scratch,
                        em_error *err)
{
    em_status status = EM_OK;
    const emi_helpers alone = {NULL, &scratch};
    scoring t = {.helpers = C->helpers ? C->helpers : &alone, .wanted = real, .scores = out};
    size_t chunks = (C->shard->count + CHUNK - 1) / CHUNK;
    double *room = NULL;
    if (chunks > INT_MAX) TRY(emi_fail(err, EM_EINVAL, "scores: too many rows; try fewer at a time"));
    TRY(open_product(&t.product, C, EMI_DOUBLE, err));
    t.product.columns = X.cols;
    size_t panels = for_columns(&t.product);
    room = emi_doubles(panels + (size_t)X.rows * (size_t)X.cols);
    if (!room) TRY(emi_fail_memory(err, "scores"));
    put_columns(&t.product, X, room + panels, room);
    TRY(emi_pool_run(t.helpers->pool, (int)chunks, 1e12, score_body, &t, err));
done:
    close_product(&t.product);
    emi_free(room);
    return status;
}

const emi_row_kind emi_csr_rows = {
    .name = "sparse", .width = entries_a_row, .survey = emi_csr_survey, .multiply = multiply, .scores = scores};
