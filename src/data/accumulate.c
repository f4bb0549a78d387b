#include "data/accumulate.h"

#include "base/memory.h"
#include "base/wide.h"
#include "data/names.h"
#include "linalg/blas.h"
#include "linalg/outer.h"

#include <cblas.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Rows that wait: a multiple of those whose products floats sum up at a time. */
enum { LEAST_ROOM = 128, MOST_ROOM = 1024, ROOM_BYTES = 8 << 20 };

/* ---- made and freed ------------------------------------------------------------------------------------------------------------ */

/* Rows of a block.  A sketch has room for no more than its directions. */
static size_t room_of(size_t d, size_t directions)
{
    size_t room = ROOM_BYTES / sizeof(double) / d, most = directions && directions < MOST_ROOM ? directions : MOST_ROOM;
    room = room < LEAST_ROOM ? LEAST_ROOM : room / EMI_SINGLE_ROWS * EMI_SINGLE_ROWS;
    return room < most ? room : most;
}

static em_status check_size(size_t columns, size_t directions, em_error *err)
{
    if (columns == 0) return emi_fail(err, EM_EINVAL, "moments: of no columns; try one or more");
    if (columns > INT_MAX / 2)
        return emi_fail(err, EM_EINVAL, "moments: %zu features are too many; try fewer", columns);
    if (directions == 0 && columns > EMI_MOMENTS_MOST)
        return emi_fail(
            err, EM_ENOTSUP,
            "moments: of %zu features, and they are held of up to %d; try keeping the rows, which are fitted as they "
            "are, or option directions=200 for a sketch with a bound",
            columns, EMI_MOMENTS_MOST);
    if (directions > columns)
        return emi_fail(err, EM_EINVAL,
                        "directions: %zu of them, and there are %zu features; try fewer, or none to be exact",
                        directions, columns);
    return EM_OK;
}

static em_status alloc_parts(em_moments *m, size_t directions, em_error *err)
{
    size_t d = (size_t)m->d;
    m->room = room_of(d, directions);
    m->mean = emi_calloc(5 * d, sizeof *m->mean);
    m->waiting = emi_doubles((m->room + 1) * d);
    if (directions == 0) m->scatter = emi_calloc(d * d, sizeof *m->scatter);
    if (!m->mean || !m->waiting || (directions == 0 && !m->scatter)) return emi_fail_memory(err, "moments");
    m->rest = m->mean + d, m->first = m->rest + d, m->away = m->first + d, m->off = m->away + d;
    em_status status = directions ? emi_directions_new(&m->sketch, m->d, (int)directions, err) : EM_OK;
    return status == EM_OK ? em_moments_set_threads(m, 1, err) : status;
}

em_status emi_moments_new(em_moments **out, size_t columns, size_t directions, em_error *err)
{
    *out = NULL;
    em_status status = check_size(columns, directions, err);
    if (status != EM_OK) return status;
    em_moments *m = emi_calloc(1, sizeof *m);
    if (!m) return emi_fail_memory(err, "moments");
    m->d = (int)columns;
    status = alloc_parts(m, directions, err);
    if (status != EM_OK) em_moments_free(&m);
    *out = m;
    return status;
}

em_status em_moments_create(em_moments **out, size_t columns, em_error *err)
{
    return emi_moments_new(out, columns, 0, err);
}

em_status em_moments_create_sketch(em_moments **out, size_t columns, size_t directions, em_error *err)
{
    *out = NULL;
    if (directions == 0) return emi_fail(err, EM_EINVAL, "directions: none of them; try ten a component");
    return emi_moments_new(out, columns, directions, err);
}

static void free_threads(em_moments *m)
{
    for (int t = 0; m->scratch && t < m->threads; t++) emi_free(m->scratch[t].v);
    emi_free(m->scratch);
    emi_pool_close(&m->pool);
    m->scratch = NULL;
    m->threads = 0;
}

/* Each of them needs a tile for sums in single precision. */
em_status em_moments_set_threads(em_moments *m, int threads, em_error *err)
{
    em_moments fresh = {0};
    em_status status = EM_OK;
    if (threads < 0) return emi_fail(err, EM_EINVAL, "threads: %d of them; try 1 or more, or 0 for all", threads);
    if (threads != 1) TRY(emi_pool_open(&fresh.pool, threads, err));
    if (fresh.pool) TRY(emi_pool_start(fresh.pool, err)); /* rows are taken in whole or not at all */
    fresh.threads = threads == 1 ? 1 : emi_pool_size(fresh.pool);
    fresh.scratch = emi_calloc((size_t)fresh.threads, sizeof *fresh.scratch);
    if (!fresh.scratch) TRY(emi_fail_memory(err, "threads"));
    for (int t = 0; t < fresh.threads; t++) {
        fresh.scratch[t] = (emi_scratch){emi_doubles(emi_outer_needs(1)), emi_outer_needs(1)};
        if (!fresh.scratch[t].v) TRY(emi_fail_memory(err, "threads"));
    }
    free_threads(m);
    m->pool = fresh.pool, m->scratch = fresh.scratch, m->threads = fresh.threads;
    fresh = (em_moments){0};
done:
    free_threads(&fresh);
    return status;
}

void em_moments_free(em_moments **handle)
{
    em_moments *m = *handle;
    if (!m) return;
    free_threads(m);
    emi_directions_free(&m->sketch);
    emi_free(m->names);
    emi_free(m->waiting);
    emi_free(m->scatter);
    emi_free(m->mean);
    emi_free(m);
    *handle = NULL;
}

/* ---- a block of rows ------------------------------------------------------------------------------------------------------------ */

/* Columns begin .. end.  first: the first row.  away: what the mean of all is off it. */
#define CENTRER(FROM)                                                                                                  \
    EMI_WIDE static void centre_##FROM(const FROM *from, FROM *to, size_t count, size_t d, size_t begin, size_t end,   \
                                       double *restrict first, double *restrict away)                                  \
    {                                                                                                                  \
        for (size_t f = begin; f < end; f++) first[f] = (double)from[f], away[f] = 0;                                  \
        for (size_t r = 0; r < count; r++)                                                                             \
            for (size_t f = begin; f < end; f++) away[f] += (double)from[r * d + f] - first[f];                        \
        for (size_t f = begin; f < end; f++) away[f] /= (double)count;                                                 \
        for (size_t r = 0; r < count; r++)                                                                             \
            for (size_t f = begin; f < end; f++)                                                                       \
                to[r * d + f] = (FROM)(((double)from[r * d + f] - first[f]) - away[f]);                                \
    }

CENTRER(double)
CENTRER(float)

typedef struct centring {
    em_moments *m;
    const void *from;
    size_t count;
} centring;

static em_status centre_body(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    enum { SOME = 128 }; /* columns of a block that the cache holds for the second pass */
    const centring *t = context;
    em_moments *m = t->m;
    size_t d = (size_t)m->d, begin, end, now;
    emi_moments_stripe(m, index, &begin, &end);
    for (; begin < end; begin = now) {
        now = end - begin < SOME ? end : begin + SOME;
        if (m->real == EMI_DOUBLE)
            centre_double(t->from, m->waiting, t->count, d, begin, now, m->first, m->away);
        else
            centre_float(t->from, m->waiting, t->count, d, begin, now, m->first, m->away);
    }
    return EM_OK;
}

void emi_moments_stripe(const em_moments *m, int index, size_t *begin, size_t *end)
{
    enum { LINE = 16 }; /* so that no two threads write to one line of memory */
    size_t d = (size_t)m->d, width = (d / (size_t)m->threads / LINE + 1) * LINE;
    *begin = (size_t)index * width < d ? (size_t)index * width : d;
    *end = d - *begin < width ? d : *begin + width;
}

/* From the mean so far to that of all, where `off` leads to that of others, first + away.  `row` is what the two add to M2, and may be
 * `away` itself. */
static void move_mean(em_moments *m, double weight, double *row)
{
    double all = m->weight + weight, part = weight / all, root = sqrt(m->weight * part);
    for (int f = 0; f < m->d; f++) {
        if (m->weight == 0) m->mean[f] = m->first[f], m->rest[f] = 0;
        double more = (m->weight == 0 ? m->away[f] : m->off[f] * part) + m->rest[f], high = m->mean[f] + more,
               less =
                   high - m->mean[f]; /* what a double does not hold of the sum of two: D. E. Knuth, TAOCP 2, 4.2.2 */
        row[f] = root * m->off[f];
        m->rest[f] = (m->mean[f] - (high - less)) + (more - less);
        m->mean[f] = high;
    }
}

static void find_off(em_moments *m)
{
    for (int f = 0; f < m->d; f++) m->off[f] = ((m->first[f] - m->mean[f]) - m->rest[f]) + m->away[f];
}

/* M2 += rows' rows, and of floats `more`, a row in double, or NULL. */
static em_status add_products(em_moments *m, const void *rows, size_t count, emi_real real, const double *more,
                              em_error *err)
{
    emi_outer outer = {
        .n = m->d, .C = m->scatter, .weight = 1, .real = real, .at_once = EMI_SINGLE_ROWS, .large = 1, .more = more};
    emi_blas_claim(1);
    em_status status = emi_outer_share(&outer, rows, count, m->pool, m->scratch, 0, err);
    emi_blas_release(1);
    return status;
}

/* What two means are apart is a row more, in double precision. */
em_status emi_moments_block(em_moments *m, const void *from, size_t count, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)m->d;
    double *rows = m->waiting, *last = m->real == EMI_DOUBLE ? rows + count * d : m->away;
    if (m->sketch) TRY(emi_directions_make_room(m->sketch, count + 1, err));
    centring all = {m, from, count};
    TRY(emi_pool_run(m->pool, m->threads, (double)(count * d), centre_body, &all, err));
    find_off(m);
    move_mean(m, (double)count, last);
    if (m->sketch)
        emi_directions_add(m->sketch, rows, count + 1);
    else if (m->real == EMI_DOUBLE)
        TRY(add_products(m, rows, count + 1, EMI_DOUBLE, NULL, err));
    else {
        TRY(add_products(m, m->waiting, count, EMI_SINGLE, last, err));
        m->single = 1;
    }
    m->weight += (double)count;
    m->squared += (double)count;
    m->rows += count;
    m->held = 0;
done:
    return status;
}

em_status emi_moments_settle(em_moments *m, em_error *err)
{
    return m->held ? emi_moments_block(m, m->waiting, m->held, err) : EM_OK;
}

/* ---- merging, forgetting ----------------------------------------------------------------------------------------------------------- */

em_status emi_moments_match(const em_moments *m, size_t columns, char *const *names, const char *whose, em_error *err)
{
    if (columns != (size_t)m->d)
        return emi_fail(err, EM_EDATA, "%s: has %zu columns, where the moments are of %d; try the same features", whose,
                        columns, m->d);
    for (size_t f = 0; names && m->names && f < columns; f++)
        if (strcmp(names[f], m->names[f]) != 0)
            return emi_fail(
                err, EM_EDATA,
                "%s: column %zu (from 0) is called '%.80s', where the moments have '%.80s'; try the same names, in "
                "the same order",
                whose, f, names[f], m->names[f]);
    return EM_OK;
}

em_status emi_moments_name(em_moments *m, char *const *names, em_error *err)
{
    if (!names || m->names) return EM_OK;
    m->names = emi_names_copy((const char *const *)names, (size_t)m->d);
    return m->names ? EM_OK : emi_fail_memory(err, "moments");
}

static em_status merge_settled(em_moments *m, const em_moments *more, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)m->d;
    if (m->sketch) TRY(emi_directions_merge(m->sketch, more->sketch, err));
    memcpy(m->first, more->mean, sizeof *m->first * d);
    memcpy(m->away, more->rest, sizeof *m->away * d);
    find_off(m);
    move_mean(m, more->weight, m->away);
    if (m->sketch) {
        emi_directions_add(m->sketch, m->away, 1);
    } else {
        for (size_t c = 0; c < d; c++)
            for (size_t r = 0; r <= c; r++) m->scatter[c * d + r] += more->scatter[c * d + r];
        TRY(add_products(m, m->away, 1, EMI_DOUBLE, NULL, err));
    }
    m->weight += more->weight;
    m->squared += more->squared;
    m->rows += more->rows;
    m->single |= more->single;
done:
    return status;
}

/* And its rows that wait: as many as there is room for at a time. */
static em_status take_waiting(em_moments *m, const em_moments *more, em_error *err)
{
    em_status status = EM_OK;
    size_t row = (size_t)m->d * emi_real_size(more->real), now;
    if (more->held && m->real != more->real) TRY(emi_moments_settle(m, err));
    if (more->held) m->real = more->real;
    for (size_t first = 0; first < more->held; first += now) {
        now = more->held - first < m->room - m->held ? more->held - first : m->room - m->held;
        memcpy((char *)m->waiting + m->held * row, (const char *)more->waiting + first * row, now * row);
        m->held += now;
        if (m->held == m->room) TRY(emi_moments_settle(m, err));
    }
done:
    return status;
}

em_status em_moments_merge(em_moments *m, const em_moments *more, em_error *err)
{
    em_status status = EM_OK;
    int here = m->sketch ? m->sketch->most : 0, there = more->sketch ? more->sketch->most : 0;
    TRY(emi_moments_match(m, (size_t)more->d, more->names, "moments", err));
    if (here != there)
        TRY(emi_fail(err, EM_EINVAL,
                     "moments: with %d directions, and these are with %d (0: exact); try the same for both", there,
                     here));
    if (m == more) TRY(emi_fail(err, EM_EINVAL, "moments: merged with themselves; try another one"));
    TRY(emi_moments_name(m, more->names, err));
    if (more->weight > 0) TRY(merge_settled(m, more, err));
    TRY(take_waiting(m, more, err));
done:
    return status;
}

em_status em_moments_forget(em_moments *m, double factor, em_error *err)
{
    if (!(factor > 0 && factor <= 1))
        return emi_fail(err, EM_EINVAL, "forget: a factor of %g; try one above 0, and up to 1", factor);
    em_status status = emi_moments_settle(m, err);
    if (status != EM_OK) return status;
    if (m->rows && m->squared * factor * factor < DBL_MIN)
        return emi_fail(
            err, EM_EINVAL,
            "forget: a factor of %g would leave less of the rows than doubles hold; try moments without them", factor);
    size_t d = (size_t)m->d;
    m->weight *= factor;
    m->squared *= factor * factor;
    if (m->sketch) emi_directions_weigh(m->sketch, factor);
    for (size_t n = 0; m->scatter && n < d * d; n++) m->scatter[n] *= factor;
    return EM_OK;
}
