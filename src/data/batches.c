/* Batches of rows for moments: looked at before any of them is added, then taken to those that wait. */
#include "base/memory.h"
#include "base/wide.h"
#include "data/accumulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- looked at ----------------------------------------------------------------------------------------------------------------- */

/* The largest magnitude of each column: of numbers without their sign, the bits are in the order of what they stand for, and those
 * of what is no number come last. */
#define EXAMINER(FROM, WORD)                                                                                           \
    EMI_WIDE static void look_##FROM(const FROM *restrict values, size_t rows, size_t columns, size_t begin,           \
                                     size_t end, WORD *restrict tops)                                                  \
    {                                                                                                                  \
        for (size_t r = 0; r < rows; r++)                                                                              \
            for (size_t c = begin; c < end; c++) {                                                                     \
                WORD bits;                                                                                             \
                memcpy(&bits, &values[r * columns + c], sizeof bits);                                                  \
                bits = (WORD)(bits & ~((WORD)1 << (8 * sizeof bits - 1)));                                             \
                tops[c] = bits > tops[c] ? bits : tops[c];                                                             \
            }                                                                                                          \
    }                                                                                                                  \
    static void tops_##FROM(const FROM *values, size_t rows, size_t columns, size_t begin, size_t end, void *words,    \
                            double *tops)                                                                              \
    {                                                                                                                  \
        FROM top;                                                                                                      \
        memset((WORD *)words + begin, 0, (end - begin) * sizeof(WORD));                                                \
        look_##FROM(values, rows, columns, begin, end, words);                                                         \
        for (size_t c = begin; c < end; c++) {                                                                         \
            memcpy(&top, (WORD *)words + c, sizeof top);                                                               \
            if (!((double)top <= tops[c])) tops[c] = (double)top;                                                      \
        }                                                                                                              \
    }

EXAMINER(double, uint64_t)
EXAMINER(float, uint32_t)

/* Of what is examined: room for some rows and for words of the columns, and each column's largest magnitude. */
typedef struct look {
    double *rows, *words, *tops;
    double most,
        least; /* of the columns' largest, but for those of zeros; NaN where there is one, both 0 where there are none */
} look;

static const double too_large = 0x1p500, too_small = 0x1p-500; /* for squares, and sums of these, to be doubles */

/* In words, where the value is. */
static em_status refuse_value(const em_data *data, size_t first, size_t count, const double *rows, em_error *err)
{
    size_t d = data->columns;
    em_status status = emi_data_check_finite(data, first, count, rows, err);
    for (size_t n = 0; status == EM_OK && n < count * d; n++)
        if (!(fabs(rows[n]) <= too_large))
            status =
                emi_fail(err, EM_EDATA, "%s: row %zu, column %zu (from 0) is %s", data->name,
                         emi_data_row(data, first + n / d), data->pick ? data->pick[n % d] : n % d,
                         isnan(rows[n]) ? "missing, and moments take whole rows; try missing=drop, or filling it"
                                        : "so large that sums of its square may be no double; try dividing the column");
    return status;
}

static void weigh(look *at, size_t columns)
{
    at->most = at->least = 0;
    for (size_t c = 0; c < columns; c++) {
        double top = at->tops[c];
        if (isnan(top) || top > at->most) at->most = top;
        if (isnan(top)) break;
        if (top > 0 && (at->least == 0 || top < at->least)) at->least = top;
    }
}

typedef struct looking {
    const em_moments *m;
    const look *at;
    const void *rows;
    size_t count;
    int single;
} looking;

static em_status look_body(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    const looking *t = context;
    size_t d = (size_t)t->m->d, begin, end;
    emi_moments_stripe(t->m, index, &begin, &end);
    if (t->single)
        tops_float(t->rows, t->count, d, begin, end, t->at->words, t->at->tops);
    else
        tops_double(t->rows, t->count, d, begin, end, t->at->words, t->at->tops);
    return EM_OK;
}

static em_status examine_rows(const em_moments *m, const em_data *data, size_t first, size_t count, look *at,
                              em_error *err)
{
    int in_place = data->type == EM_F64 || data->type == EM_F32;
    const void *rows = in_place ? emi_data_in_place(data, first) : NULL;
    em_status status = rows ? EM_OK : em_data_read(data, first, count, at->rows, err);
    if (status != EM_OK) return status;
    looking all = {m, at, rows ? rows : at->rows, count, rows && data->type == EM_F32};
    status = emi_pool_run(m->pool, m->threads, (double)(count * data->columns), look_body, &all, err);
    if (status != EM_OK) return status;
    weigh(at, data->columns);
    if (rows) status = emi_data_check(data, first, count, err);
    if (status != EM_OK || at->most <= too_large) return status;
    status = em_data_read(data, first, count, at->rows, err);
    return status == EM_OK ? refuse_value(data, first, count, at->rows, err) : status;
}

/* All of them, before any is added; some at a time, whatever there is room for to wait. */
static em_status examine(const em_moments *m, const em_data *data, look *at, em_error *err)
{
    enum { NUMBERS = 1 << 20 };
    em_status status = EM_OK;
    size_t d = data->columns, at_once = NUMBERS / d + 1, now;
    if (at_once > data->rows) at_once = data->rows + 1;
    at->tops = emi_doubles((at_once + 2) * d);
    if (!at->tops) return emi_fail_memory(err, "moments");
    at->words = at->tops + d;
    at->rows = at->words + d;
    memset(at->tops, 0, d * sizeof *at->tops);
    for (size_t first = 0; first < data->rows && status == EM_OK; first += now) {
        now = data->rows - first < at_once ? data->rows - first : at_once;
        status = examine_rows(m, data, first, now, at, err);
    }
    emi_free(at->tops);
    if (status == EM_OK && at->most > 0 && at->most < too_small)
        status = emi_fail(
            err, EM_EDATA,
            "%s: no value is larger than %g, and sums of such squares are no doubles; try multiplying them by 1e200",
            data->name, at->most);
    return status;
}

/* ---- added --------------------------------------------------------------------------------------------------------------------- */

/* Have floats all digits of these numbers, and of the squares of every column's? */
static emi_real real_of(const em_moments *m, const em_data *data, const look *at)
{
    enum { MOST = 30, LEAST = -50 };
    int few = data->type == EM_F32 || data->type == EM_F16;
    int near = at->most == 0 || (ilogb(at->most) <= MOST && ilogb(at->least) >= LEAST);
    return few && near && !m->sketch ? EMI_SINGLE : EMI_DOUBLE;
}

/* Rows of the table behind those that wait; `room` is for what is to be floats, and NULL where doubles wait. */
static em_status take_rows(em_moments *m, const em_data *data, size_t first, size_t count, double *room, em_error *err)
{
    size_t d = data->columns, at = m->held * d;
    if (!room) return em_data_read(data, first, count, (double *)m->waiting + at, err);
    float *to = (float *)m->waiting + at;
    const void *rows = data->type == EM_F32 ? emi_data_in_place(data, first) : NULL;
    if (rows) {
        memcpy(to, rows, sizeof *to * count * d);
        return emi_data_check(data, first, count, err);
    }
    em_status status = em_data_read(data, first, count, room, err);
    for (size_t n = 0; status == EM_OK && n < count * d; n++) to[n] = (float)room[n];
    return status;
}

/* A whole block, where it lies as it is: it need not wait. */
static const void *whole_block(const em_moments *m, const em_data *data, size_t first)
{
    em_dtype type = m->real == EMI_SINGLE ? EM_F32 : EM_F64;
    if (m->held > 0 || data->rows - first < m->room || data->type != type) return NULL;
    return emi_data_in_place(data, first);
}

static em_status add_rows(em_moments *m, const em_data *data, em_error *err)
{
    em_status status = EM_OK;
    size_t now;
    double *room = m->real == EMI_SINGLE ? emi_doubles(m->room * data->columns) : NULL; /* of what is to be floats */
    if (m->real == EMI_SINGLE && !room) return emi_fail_memory(err, "moments");
    for (size_t first = 0; first < data->rows; first += now) {
        const void *block = whole_block(m, data, first);
        now = data->rows - first < m->room - m->held ? data->rows - first : m->room - m->held;
        if (block) {
            TRY(emi_moments_block(m, block, now, err));
            TRY(emi_data_check(data, first, now, err));
            continue;
        }
        TRY(take_rows(m, data, first, now, room, err));
        m->held += now;
        if (m->held == m->room) TRY(emi_moments_settle(m, err));
    }
done:
    emi_free(room);
    return status;
}

em_status em_moments_update(em_moments *m, const em_data *rows, em_error *err)
{
    em_status status = EM_OK;
    look at = {0};
    const em_moments *more = em_data_moments(rows);
    TRY(emi_moments_match(m, rows->columns, rows->names, rows->name, err));
    if (!more) TRY(examine(m, rows, &at, err));
    TRY(emi_moments_name(m, rows->names, err));
    if (more) return em_moments_merge(m, more, err);
    emi_real real = real_of(m, rows, &at);
    if (real != m->real) TRY(emi_moments_settle(m, err));
    m->real = real;
    TRY(add_rows(m, rows, err));
done:
    return status;
}
