/* Products with rows on a GPU: Z = (M/N) Y' (Y X), as data/by_rows.c makes them, a chunk at a time by cuBLAS.  Rows lie row by row,
 * so that a chunk is a matrix of d x rows as BLAS has them. */
#include "base/memory.h"
#include "data/by_rows.h"
#include "data/gpu_rows.h"
#include "linalg/outer.h"

#include <limits.h>
#include <string.h>

enum {
    COLUMNS = 128, /* that are multiplied at a time                                    */
    SHORT = 512    /* rows that are summed in single precision, before that goes to a sum in double */
};

/* A product under way. */
typedef struct product {
    const emi_gpu_rows *rows;
    const emi_operator *C;
    emi_gpu *gpu;
    emi_real real;
    size_t columns;
    int as_they_lie; /* columns are scaled before, and the mean is taken off the scores and the sums (data/by_rows.h) */
    int measures;
    emi_gpu_features features;
    emi_address X, start, ones;
    emi_address Z, sums, squares; /* in double: d x columns, columns, columns x columns */
} product;

/* A chunk of it. */
typedef struct piece {
    emi_gpu_matrix Y; /* d x count */
    size_t count;
    emi_address S; /* count x columns */
} piece;

static emi_gpu_matrix matrix(emi_address at, size_t step)
{
    return (emi_gpu_matrix){at, step, 0};
}

static emi_gpu_matrix across(emi_address at, size_t step)
{
    return (emi_gpu_matrix){at, step, 1};
}

/* ---- the columns, there --------------------------------------------------------------------------------------------- */

static void put_reals(emi_real real, const double *from, size_t count, void *to)
{
    for (size_t n = 0; n < count; n++)
        if (real == EMI_SINGLE)
            ((float *)to)[n] = (float)from[n];
        else
            ((double *)to)[n] = from[n];
}

/* X, scaled where rows are taken as they lie, and what scores begin with then. */
static em_status put_columns(product *t, emi_block X, double *adapted, em_error *err)
{
    em_status status = EM_OK;
    size_t size = (size_t)X.rows * (size_t)X.cols, number = emi_real_size(t->real), all = (size + t->columns) * number;
    double *starts = adapted + size;
    void *hand;
    memset(starts, 0, sizeof *starts * t->columns);
    if (t->as_they_lie) {
        emi_by_rows_adapt(t->C->standard, X, adapted, starts);
        X.v = adapted;
    }
    TRY(emi_gpu_room(t->gpu, EMI_GPU_COLUMNS, all, &t->X, err));
    TRY(emi_gpu_hand(t->gpu, all, &hand, err));
    put_reals(t->real, X.v, size, hand);
    put_reals(t->real, starts, t->columns, (char *)hand + size * number);
    TRY(emi_gpu_put(t->gpu, t->X, hand, all, err));
    t->start = t->X + size * number;
done:
    return status;
}

static size_t size_of_sums(const product *t)
{
    return ((size_t)t->C->d + 1 + (t->measures ? t->columns : 0)) * t->columns;
}

static em_status make_sums(product *t, em_error *err)
{
    em_status status = EM_OK;
    size_t bytes = sizeof(double) * size_of_sums(t);
    TRY(emi_gpu_room(t->gpu, EMI_GPU_SUM, bytes, &t->Z, err));
    TRY(emi_gpu_zero(t->gpu, t->Z, bytes, err));
    t->sums = t->Z + sizeof(double) * (size_t)t->C->d * t->columns;
    t->squares = t->sums + sizeof(double) * t->columns;
done:
    return status;
}

/* ---- a chunk ----------------------------------------------------------------------------------------------------------- */

/* One row in so many: a step that cuBLAS can count. */
static size_t every_of(const product *t)
{
    size_t every = t->C->every ? t->C->every : 1, most = INT_MAX / t->rows->d;
    return every < most ? every : most;
}

/* As they lie, or standardised. */
static em_status find_rows(const product *t, size_t first, piece *out, size_t *taken, em_error *err)
{
    em_status status = EM_OK;
    size_t every = every_of(t);
    emi_gpu_view view;
    TRY(emi_gpu_rows_chunk(t->rows, first, &view, err));
    *taken = view.count;
    view.count = (view.count + every - 1) / every;
    view.row_step *= (ptrdiff_t)every;
    out->count = view.count;
    out->Y = matrix(view.at, (size_t)view.row_step);
    if (t->as_they_lie) return EM_OK;
    TRY(emi_gpu_standardise(t->rows, view, &t->features, t->real, &out->Y.at, err));
    out->Y.step = t->rows->d;
done:
    return status;
}

/* S = Y' X, count x columns; beginning with what the mean takes off. */
static em_status find_scores(const product *t, piece *c, em_error *err)
{
    em_status status = EM_OK;
    int single = t->real == EMI_SINGLE;
    size_t d = (size_t)t->C->d;
    TRY(emi_gpu_room(t->gpu, EMI_GPU_SCORES, emi_real_size(t->real) * c->count * t->columns, &c->S, err));
    emi_gpu_product start = {.single = single,
                             .m = c->count,
                             .n = t->columns,
                             .k = 1,
                             .A = matrix(t->ones, c->count),
                             .B = matrix(t->start, 1),
                             .C = matrix(c->S, c->count)};
    if (t->as_they_lie) TRY(emi_gpu_multiply(t->gpu, &start, err));
    emi_gpu_product scores = {.single = single,
                              .m = c->count,
                              .n = t->columns,
                              .k = d,
                              .A = {c->Y.at, c->Y.step, 1},
                              .B = matrix(t->X, d),
                              .C = matrix(c->S, c->count),
                              .beta = t->as_they_lie};
    TRY(emi_gpu_multiply(t->gpu, &scores, err));
done:
    return status;
}

/* sum += A B in double, where A and B go on along the rows of the chunk.  In single precision SHORT rows at a time, which are added
 * up in double; `by_a` and `by_b` numbers lie between a row and the next. */
static em_status add_product(const product *t, const piece *c, emi_gpu_product p, size_t by_a, size_t by_b,
                             emi_address sum, em_error *err)
{
    em_status status = EM_OK;
    size_t size = p.m * p.n, whole = c->count / SHORT, rest = c->count % SHORT, number = sizeof(float);
    p.single = t->real == EMI_SINGLE;
    p.k = c->count;
    p.C = matrix(sum, p.m);
    p.beta = 1;
    if (!p.single) return emi_gpu_multiply(t->gpu, &p, err);
    p.beta = 0;
    TRY(emi_gpu_room(t->gpu, EMI_GPU_SHORT, number * size * (whole + 1), &p.C.at, err));
    emi_address parts = p.C.at;
    emi_gpu_product last = p;
    p.k = SHORT;
    p.count = whole, p.next_a = SHORT * by_a, p.next_b = SHORT * by_b, p.next_c = size;
    if (whole) TRY(emi_gpu_multiply(t->gpu, &p, err));
    last.k = rest;
    last.A.at += number * whole * SHORT * by_a;
    last.B.at += number * whole * SHORT * by_b;
    last.C.at += number * whole * size;
    if (rest) TRY(emi_gpu_multiply(t->gpu, &last, err));
    long long count = (long long)whole + (rest > 0), numbers = (long long)size;
    void *arguments[] = {&parts, &count, &numbers, &sum};
    TRY(emi_gpu_launch(t->gpu, EMI_GPU_ADD_UP, (size + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err));
done:
    return status;
}

static em_status multiply_chunk(const product *t, size_t first, size_t *taken, em_error *err)
{
    em_status status = EM_OK;
    piece c;
    TRY(find_rows(t, first, &c, taken, err));
    TRY(find_scores(t, &c, err));
    emi_gpu_matrix S = matrix(c.S, c.count), S_across = across(c.S, c.count);
    TRY(add_product(t, &c, (emi_gpu_product){.m = (size_t)t->C->d, .n = t->columns, .A = c.Y, .B = S}, c.Y.step, 1,
                    t->Z, err));
    if (t->as_they_lie)
        TRY(add_product(t, &c, (emi_gpu_product){.m = t->columns, .n = 1, .A = S_across, .B = matrix(t->ones, c.count)},
                        1, 1, t->sums, err));
    if (t->measures)
        TRY(add_product(t, &c, (emi_gpu_product){.m = t->columns, .n = t->columns, .A = S_across, .B = S}, 1, 1,
                        t->squares, err));
done:
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

/* Can rows be multiplied where they lie, and the mean be taken off afterwards? */
static int can_lie(const product *t)
{
    const emi_standard *s = t->C->standard;
    return s->near && !s->fill && t->rows->single == (t->real == EMI_SINGLE) && t->rows->column_step == 1 &&
           t->rows->row_step >= (ptrdiff_t)t->rows->d;
}

static em_status fetch(const product *t, emi_block Z, double *squares, em_error *err)
{
    em_status status = EM_OK;
    size_t size = (size_t)Z.rows * t->columns, all = size_of_sums(t);
    double weight = t->C->weight;
    void *hand;
    TRY(emi_gpu_hand(t->gpu, sizeof(double) * all, &hand, err));
    TRY(emi_gpu_get(t->gpu, hand, t->Z, sizeof(double) * all, err));
    TRY(emi_gpu_wait(t->gpu, err));
    const double *found = hand, *sums = found + size, *products = sums + t->columns;
    for (size_t n = 0; n < size; n++) Z.v[n] = weight * found[n];
    if (t->as_they_lie) emi_by_rows_correct(t->C->standard, weight, sums, Z);
    for (size_t k = 0; squares && k < t->columns; k++) squares[k] = weight * products[k * t->columns + k];
done:
    return status;
}

/* Some columns; `adapted` has room for them and a row more.  Within. */
static em_status multiply_columns(product *t, emi_block X, emi_block Z, double *squares, double *adapted, em_error *err)
{
    em_status status = EM_OK;
    t->columns = (size_t)X.cols;
    t->measures = squares != NULL;
    TRY(put_columns(t, X, adapted, err));
    TRY(make_sums(t, err));
    for (size_t first = 0, taken; first < t->rows->shard->count; first += taken)
        TRY(multiply_chunk(t, first, &taken, err));
    TRY(fetch(t, Z, squares, err));
done:
    return status;
}

em_status emi_gpu_rows_multiply(const emi_gpu_rows *rows, const emi_operator *C, emi_real real, emi_block X,
                                emi_block Z, double *squares, em_error *err)
{
    product t = {.rows = rows, .C = C, .gpu = rows->gpu, .real = real};
    int most = X.cols < COLUMNS ? X.cols : COLUMNS;
    size_t longest = rows->chunk < rows->shard->count ? rows->chunk : rows->shard->count;
    double *adapted = emi_doubles(((size_t)X.rows + 1) * (size_t)most);
    if (!adapted) return emi_fail_memory(err, "product");
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) {
        emi_free(adapted);
        return status;
    }
    t.as_they_lie = can_lie(&t);
    if (t.as_they_lie)
        TRY(emi_gpu_ones(t.gpu, real == EMI_SINGLE, longest, &t.ones, err));
    else
        TRY(emi_gpu_features_put(t.gpu, C->standard, &t.features, err));
    for (int first = 0, count; first < X.cols; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        emi_block part = {X.rows, count, emi_column_of(X, first)}, out = {X.rows, count, emi_column_of(Z, first)};
        TRY(multiply_columns(&t, part, out, squares ? squares + first : NULL, adapted, err));
    }
done:
    emi_gpu_leave(rows->gpu);
    emi_free(adapted);
    return status;
}

/* ---- the covariance itself ---------------------------------------------------------------------------------------------- */

/* In double precision, whatever the operator's: a GPU made for such work is as quick at it.  Within. */
static em_status form_all(const emi_gpu_rows *rows, const emi_operator *C, double *out, em_error *err)
{
    em_status status = EM_OK;
    size_t d = rows->d, bytes = sizeof *out * d * d;
    emi_gpu_features features;
    emi_gpu_view view;
    emi_address sum, Y;
    TRY(emi_gpu_features_put(rows->gpu, C->standard, &features, err));
    TRY(emi_gpu_room(rows->gpu, EMI_GPU_SUM, bytes, &sum, err));
    TRY(emi_gpu_zero(rows->gpu, sum, bytes, err));
    for (size_t first = 0; first < rows->shard->count; first += view.count) {
        TRY(emi_gpu_rows_chunk(rows, first, &view, err));
        TRY(emi_gpu_standardise(rows, view, &features, EMI_DOUBLE, &Y, err));
        TRY(emi_gpu_outer(rows->gpu, d, view.count, matrix(Y, d), matrix(sum, d), err));
    }
    TRY(emi_gpu_get(rows->gpu, out, sum, bytes, err));
    TRY(emi_gpu_wait(rows->gpu, err));
done:
    return status;
}

em_status emi_gpu_rows_form(const emi_gpu_rows *rows, const emi_operator *C, double **out, em_error *err)
{
    size_t size;
    double *made = emi_size_overflows(rows->d, rows->d, &size) ? NULL : emi_doubles(size);
    if (!made) return emi_fail_memory_try(err, "covariance", "method=krylov");
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status == EM_OK) {
        status = form_all(rows, C, made, err);
        emi_gpu_leave(rows->gpu);
    }
    if (status != EM_OK) {
        emi_free(made);
        return status;
    }
    for (size_t n = 0; n < size; n++) made[n] *= C->weight;
    emi_mirror(made, C->d);
    *out = made;
    return EM_OK;
}

/* ---- scores --------------------------------------------------------------------------------------------------------------- */

/* Row by row, as they are wanted: columns x rows.  Within. */
static em_status score_all(product *t, emi_block X, char *scores, double *starts, em_error *err)
{
    em_status status = EM_OK;
    size_t row = emi_real_size(t->real) * t->columns, taken;
    TRY(put_columns(t, X, starts, err));
    TRY(emi_gpu_features_put(t->gpu, t->C->standard, &t->features, err));
    for (size_t first = 0; first < t->rows->shard->count; first += taken) {
        piece c;
        TRY(find_rows(t, first, &c, &taken, err));
        TRY(emi_gpu_room(t->gpu, EMI_GPU_SCORES, row * c.count, &c.S, err));
        emi_gpu_product p = {.single = t->real == EMI_SINGLE,
                             .m = t->columns,
                             .n = c.count,
                             .k = t->rows->d,
                             .A = across(t->X, t->rows->d),
                             .B = c.Y,
                             .C = matrix(c.S, t->columns)};
        TRY(emi_gpu_multiply(t->gpu, &p, err));
        TRY(emi_gpu_get(t->gpu, scores + first * row, c.S, row * c.count, err));
    }
    TRY(emi_gpu_wait(t->gpu, err));
done:
    return status;
}

em_status emi_gpu_rows_scores(const emi_gpu_rows *rows, const emi_operator *C, emi_real real, emi_block X, void *scores,
                              em_error *err)
{
    product t = {.rows = rows, .C = C, .gpu = rows->gpu, .real = real, .columns = (size_t)X.cols};
    double *starts = emi_doubles(((size_t)X.rows + 1) * (size_t)X.cols);
    if (!starts) return emi_fail_memory(err, "scores");
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status == EM_OK) {
        status = score_all(&t, X, scores, starts, err);
        emi_gpu_leave(rows->gpu);
    }
    emi_free(starts);
    return status;
}
