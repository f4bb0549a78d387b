/* Products with rows on a GPU, a chunk at a time by cuBLAS.  Rows lie row by row, so that a chunk is a matrix of d x rows as BLAS has
 * them. */
#include "data/gpu_product.h"

#include "base/memory.h"
#include "data/rounding.h"

#include <limits.h>
#include <string.h>

enum {
    COLUMNS = 128, /* that are multiplied at a time                                    */
    SHORT = 512,   /* rows that are summed in single precision, before that goes to a sum in double */
    PIECES = 8     /* of a chunk whose rows are standardised for one product            */
};

/* A chunk of it. */
typedef struct piece {
    emi_gpu_matrix Y; /* d x count */
    size_t count;
    int first;     /* sums begin with it */
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

/* A kernel with a thread for each number. */
static em_status launch(emi_gpu *gpu, emi_gpu_kernel kernel, size_t numbers, void **arguments, em_error *err)
{
    return emi_gpu_launch(gpu, kernel, (numbers + EMI_GPU_THREADS - 1) / EMI_GPU_THREADS, 1, arguments, err);
}

/* ---- the columns ---------------------------------------------------------------------------------------------------- */

/* Scaled where rows are taken as they lie, in the precision of the product; and what the mean makes of their scores. */
static em_status adapt(emi_gpu_products *t, emi_address X, em_error *err)
{
    em_status status = EM_OK;
    size_t d = t->rows->d, size = d * t->columns;
    const int by = t->as_they_lie && t->features.inverse, single = t->real == EMI_SINGLE;
    long long numbers = (long long)size, features = (long long)d;
    emi_address inverse = by ? t->features.inverse : 0, in_double = X, doubles;
    TRY(emi_gpu_room(t->gpu, EMI_GPU_COLUMNS, sizeof(double) * (2 * size + t->columns), &doubles, err));
    t->start = doubles + 2 * sizeof(double) * size;
    void *scaled[] = {&X, &numbers, &features, &inverse, &doubles};
    if (by) {
        TRY(launch(t->gpu, EMI_GPU_SCALE_D, size, scaled, err));
        in_double = doubles;
    }
    t->X = single ? doubles + sizeof(double) * size : in_double;
    void *narrowed[] = {&X, &numbers, &features, &inverse, &t->X};
    if (single) TRY(launch(t->gpu, EMI_GPU_SCALE_F, size, narrowed, err));
    emi_gpu_product start = {.m = t->columns,
                             .n = 1,
                             .k = d,
                             .A = across(in_double, d),
                             .B = matrix(t->features.mean, d),
                             .C = matrix(t->start, t->columns)};
    if (t->as_they_lie && t->features.mean)
        TRY(emi_gpu_multiply(t->gpu, &start, err));
    else if (t->as_they_lie)
        TRY(emi_gpu_zero(t->gpu, t->start, sizeof(double) * t->columns, err));
done:
    return status;
}

/* Z, and squares where it measures; what scores sum up to comes after them. */
static size_t size_of_sums(const emi_gpu_products *t)
{
    return (t->rows->d + (t->measures ? t->columns : 0)) * t->columns;
}

/* Do all sums begin with the products of the first chunk, so that they need no zeros? */
static int need_no_zeros(const emi_gpu_products *t)
{
    return t->real == EMI_DOUBLE && t->as_they_lie && t->rows->shard->count > 0;
}

static em_status make_sums(emi_gpu_products *t, em_error *err)
{
    em_status status = EM_OK;
    size_t bytes = sizeof(double) * (size_of_sums(t) + t->columns);
    TRY(emi_gpu_room(t->gpu, EMI_GPU_SUM, bytes, &t->Z, err));
    if (!need_no_zeros(t)) TRY(emi_gpu_zero(t->gpu, t->Z, bytes, err));
    t->squares = t->Z + sizeof(double) * t->rows->d * t->columns;
    t->sums = t->Z + sizeof(double) * size_of_sums(t);
done:
    return status;
}

/* What the mean, the scale and the weight make of the sums. */
static em_status correct(const emi_gpu_products *t, em_error *err)
{
    size_t size = t->rows->d * t->columns;
    long long numbers = (long long)size, features = (long long)t->rows->d;
    double weight = t->C->weight;
    emi_address Z = t->Z, sums = t->sums, mean = t->sums_up ? t->features.mean : 0,
                inverse = t->as_they_lie ? t->features.inverse : 0;
    void *arguments[] = {&Z, &numbers, &features, &weight, &mean, &inverse, &sums};
    return launch(t->gpu, EMI_GPU_CORRECT, size, arguments, err);
}

/* ---- a chunk ----------------------------------------------------------------------------------------------------------- */

/* One row in so many: a step that cuBLAS can count. */
static size_t every_of(const emi_gpu_products *t)
{
    size_t every = t->C->every ? t->C->every : 1, most = INT_MAX / t->rows->d;
    return most > 0 && most < every ? most : every;
}

/* In the precision that rows have? */
static int is_own(const emi_gpu_products *t)
{
    return t->rows->single == (t->real == EMI_SINGLE);
}

/* As they lie, or standardised. */
static em_status find_rows(const emi_gpu_products *t, size_t first, piece *out, size_t *taken, em_error *err)
{
    em_status status = EM_OK;
    size_t every = every_of(t), most = t->rows->chunk;
    emi_gpu_view view;
    if (!t->as_they_lie && every == 1) most = most / PIECES + 1;
    TRY(emi_gpu_rows_view(t->rows, first, most, &view, err));
    *taken = view.count;
    view.count = (view.count + every - 1) / every;
    view.row_step *= (ptrdiff_t)every;
    out->count = view.count;
    out->first = first == 0;
    out->Y = matrix(view.at, (size_t)view.row_step);
    if (t->kept) out->Y = matrix(t->rows->copy + first * t->rows->d * emi_real_size(t->real), t->rows->d * every);
    if (t->as_they_lie || t->kept) return EM_OK;
    out->Y.at = 0;
    TRY(emi_gpu_standardise(t->rows, view, &t->features, t->real, &out->Y.at, err));
    out->Y.step = t->rows->d;
done:
    return status;
}

/* S = Y' X, count x columns; beginning with what the mean takes off. */
static em_status find_scores(const emi_gpu_products *t, piece *c, em_error *err)
{
    em_status status = EM_OK;
    int single = t->real == EMI_SINGLE;
    size_t d = (size_t)t->C->d;
    TRY(emi_gpu_room(t->gpu, EMI_GPU_SCORES, emi_real_size(t->real) * c->count * t->columns, &c->S, err));
    size_t size = c->count * t->columns;
    long long numbers = (long long)size, count = (long long)c->count;
    emi_address begin = t->start;
    void *arguments[] = {&begin, &count, &numbers, &c->S};
    if (t->as_they_lie) TRY(launch(t->gpu, single ? EMI_GPU_BEGIN_F : EMI_GPU_BEGIN_D, size, arguments, err));
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
static em_status add_product(const emi_gpu_products *t, const piece *c, emi_gpu_product p, size_t by_a, size_t by_b,
                             emi_address sum, em_error *err)
{
    em_status status = EM_OK;
    size_t size = p.m * p.n, whole = c->count / SHORT, rest = c->count % SHORT, number = sizeof(float);
    p.single = t->real == EMI_SINGLE;
    p.k = c->count;
    p.C = matrix(sum, p.m);
    p.beta = c->first && need_no_zeros(t) ? 0 : 1;
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
    TRY(launch(t->gpu, EMI_GPU_ADD_UP, size, arguments, err));
done:
    return status;
}

static em_status multiply_chunk(const emi_gpu_products *t, size_t first, size_t *taken, em_error *err)
{
    em_status status = EM_OK;
    piece c;
    TRY(find_rows(t, first, &c, taken, err));
    TRY(find_scores(t, &c, err));
    emi_gpu_matrix S = matrix(c.S, c.count), S_across = across(c.S, c.count);
    TRY(add_product(t, &c, (emi_gpu_product){.m = (size_t)t->C->d, .n = t->columns, .A = c.Y, .B = S}, c.Y.step, 1,
                    t->Z, err));
    if (t->sums_up)
        TRY(add_product(t, &c, (emi_gpu_product){.m = t->columns, .n = 1, .A = S_across, .B = matrix(t->ones, c.count)},
                        1, 1, t->sums, err));
    if (t->measures)
        TRY(add_product(t, &c, (emi_gpu_product){.m = t->columns, .n = t->columns, .A = S_across, .B = S}, 1, 1,
                        t->squares, err));
done:
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

/* Is what rounding leaves of means that are taken off afterwards, as many times more as they are deviations away, nothing to who
 * judges? */
static int is_near_enough(const emi_gpu_products *t)
{
    static const double nothing = 0.001;
    const emi_standard *s = t->C->standard;
    double rounding = t->real == EMI_SINGLE ? EMI_ROUNDING_SINGLE : EMI_ROUNDING;
    return emi_standard_is_near(s) || (s->within > 0 && s->within * rounding <= nothing * t->judged);
}

/* Can rows be multiplied where they lie, and the mean be taken off afterwards? */
static int can_lie(const emi_gpu_products *t)
{
    return is_near_enough(t) && !t->C->standard->fill && is_own(t) && t->rows->column_step == 1 &&
           t->rows->row_step >= (ptrdiff_t)t->rows->d;
}

/* Scores about the rows' own mean sum up to nothing, but for what rounding leaves, which is the same for all rows: to leave it
 * is an error of the order of rounding, as to take it off is one of its square (data/rounding.h); where the mean is near. */
static int may_leave_sums(const emi_gpu_products *t)
{
    return t->judged > 0 && emi_standard_is_near(t->C->standard) && t->C->own_mean && t->C->every <= 1 &&
           t->real == EMI_DOUBLE;
}

em_status emi_gpu_products_open(emi_gpu_products *t, size_t most, em_error *err)
{
    em_status status = EM_OK;
    size_t longest = t->rows->chunk < t->rows->shard->count ? t->rows->chunk : t->rows->shard->count;
    t->gpu = t->rows->gpu;
    t->columns = most;
    TRY(emi_gpu_rows_settle(t->rows, err));
    t->as_they_lie = can_lie(t);
    t->sums_up = t->as_they_lie && t->C->standard->mean && !may_leave_sums(t);
    if (t->sums_up) TRY(emi_gpu_ones(t->gpu, t->real == EMI_SINGLE, longest, &t->ones, err));
    TRY(emi_gpu_features_put(t->gpu, t->C->standard, &t->features, err));
    int often = is_own(t) && !t->as_they_lie && !t->measures && t->C->every <= 1,
        copies = often && !(t->alone && t->rows->multiplied == 0);
    t->rows->multiplied += often;
    if (copies) TRY(emi_gpu_rows_keep(t->rows, t->C->standard, &t->features, err));
    t->kept = copies && t->rows->copy;
done:
    return status;
}

em_status emi_gpu_products_make(emi_gpu_products *t, emi_address X, size_t columns, em_error *err)
{
    em_status status = EM_OK;
    t->columns = columns;
    TRY(adapt(t, X, err));
    TRY(make_sums(t, err));
    for (size_t first = 0, taken; first < t->rows->shard->count; first += taken)
        TRY(multiply_chunk(t, first, &taken, err));
    TRY(correct(t, err));
done:
    return status;
}

/* ---- for the host -------------------------------------------------------------------------------------------------------- */

em_status emi_gpu_put_block(emi_gpu *gpu, emi_block X, emi_address *out, em_error *err)
{
    em_status status = EM_OK;
    size_t bytes = sizeof *X.v * (size_t)X.rows * (size_t)X.cols;
    void *hand;
    TRY(emi_gpu_room(gpu, EMI_GPU_BLOCK, bytes, out, err));
    TRY(emi_gpu_hand(gpu, bytes, &hand, err));
    memcpy(hand, X.v, bytes);
    TRY(emi_gpu_put(gpu, *out, hand, bytes, err));
done:
    return status;
}

em_status emi_gpu_get_block(emi_gpu *gpu, emi_address from, emi_block Z, em_error *err)
{
    em_status status = EM_OK;
    size_t bytes = sizeof *Z.v * (size_t)Z.rows * (size_t)Z.cols;
    void *hand;
    TRY(emi_gpu_hand(gpu, bytes, &hand, err));
    TRY(emi_gpu_get(gpu, hand, from, bytes, err));
    TRY(emi_gpu_wait(gpu, err));
    memcpy(Z.v, hand, bytes);
done:
    return status;
}

static em_status fetch(const emi_gpu_products *t, emi_block Z, double *squares, em_error *err)
{
    em_status status = EM_OK;
    size_t size = (size_t)Z.rows * t->columns, all = size_of_sums(t);
    void *hand;
    TRY(emi_gpu_hand(t->gpu, sizeof(double) * all, &hand, err));
    TRY(emi_gpu_get(t->gpu, hand, t->Z, sizeof(double) * all, err));
    TRY(emi_gpu_wait(t->gpu, err));
    const double *found = hand, *products = found + size;
    memcpy(Z.v, found, sizeof *found * size);
    for (size_t k = 0; squares && k < t->columns; k++) squares[k] = t->C->weight * products[k * t->columns + k];
done:
    return status;
}

/* Within. */
static em_status multiply_all(emi_gpu_products *t, emi_block X, emi_block Z, double *squares, em_error *err)
{
    em_status status = EM_OK;
    int most = X.cols < COLUMNS ? X.cols : COLUMNS;
    emi_address there;
    TRY(emi_gpu_products_open(t, (size_t)most, err));
    for (int first = 0, count; first < X.cols; first += count) {
        count = X.cols - first < most ? X.cols - first : most;
        TRY(emi_gpu_put_block(t->gpu, (emi_block){X.rows, count, emi_column_of(X, first)}, &there, err));
        TRY(emi_gpu_products_make(t, there, (size_t)count, err));
        TRY(fetch(t, (emi_block){X.rows, count, emi_column_of(Z, first)}, squares ? squares + first : NULL, err));
    }
done:
    return status;
}

em_status emi_gpu_rows_multiply(emi_gpu_rows *rows, const emi_operator *C, emi_real real, emi_block X, emi_block Z,
                                double *squares, em_error *err)
{
    emi_gpu_products t = {.rows = rows, .C = C, .real = real, .measures = squares != NULL, .alone = 1};
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    status = multiply_all(&t, X, Z, squares, err);
    emi_gpu_leave(rows->gpu);
    return status;
}

/* ---- scores --------------------------------------------------------------------------------------------------------------- */

/* Row by row, as they are wanted: columns x rows.  Within. */
static em_status score_all(emi_gpu_products *t, emi_block X, char *scores, em_error *err)
{
    em_status status = EM_OK;
    size_t row = emi_real_size(t->real) * t->columns, taken;
    emi_address there;
    TRY(emi_gpu_rows_settle(t->rows, err));
    TRY(emi_gpu_put_block(t->gpu, X, &there, err));
    TRY(emi_gpu_features_put(t->gpu, t->C->standard, &t->features, err));
    TRY(adapt(t, there, err));
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

em_status emi_gpu_rows_scores(emi_gpu_rows *rows, const emi_operator *C, emi_real real, emi_block X, void *scores,
                              em_error *err)
{
    emi_gpu_products t = {.rows = rows, .C = C, .gpu = rows->gpu, .real = real, .columns = (size_t)X.cols};
    em_status status = emi_gpu_enter(rows->gpu, err);
    if (status != EM_OK) return status;
    status = score_all(&t, X, scores, err);
    emi_gpu_leave(rows->gpu);
    return status;
}
