#include "data/csr_block.h"

#include "base/wide.h"

#include <math.h>

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

static int as_it_lies(const emi_csr_view *v)
{
    return v->m->type == (v->real == EMI_SINGLE ? EM_F32 : EM_F64) && v->m->index_type == EM_I32 && !v->less &&
           !v->fill;
}

static void find_rows(const emi_csr_view *v, size_t first, size_t count, emi_csr_block *b)
{
    *b = (emi_csr_block){.rows = count, .feature = v->m->indices, .value = v->m->values};
    for (size_t r = 0; r < count; r++) {
        size_t row = emi_csr_row(v->shard, first + r);
        b->begin[r] = emi_csr_start(v->m, row);
        b->end[r] = emi_csr_start(v->m, row + 1);
    }
}

/* Room for entries. */
typedef struct room {
    emi_real real;
    void *value;
    int32_t *feature;
    size_t count;
} room;

static room divide(emi_real real, emi_scratch scratch)
{
    size_t count = scratch.count / 3 * 2; /* a double and half of one */
    return (room){real, scratch.v, (int32_t *)(void *)(scratch.v + count), count};
}

static void put(const room *to, size_t n, size_t feature, double value)
{
    to->feature[n] = (int32_t)feature;
    if (to->real == EMI_SINGLE)
        ((float *)to->value)[n] = (float)value;
    else
        ((double *)to->value)[n] = value;
}

/* One row: full columns first, all of them.  Returns how many entries it has, which are no more than columns. */
static size_t copy_row(const emi_csr_view *v, size_t row, const room *to, size_t at)
{
    const emi_csr *m = v->m;
    size_t full = v->less ? m->full_count : 0, count = full;
    for (size_t n = 0; n < full; n++) put(to, at + n, (size_t)m->full[n], -v->less[m->full[n]]);
    for (size_t n = emi_csr_start(m, row), end = emi_csr_start(m, row + 1); n < end; n++) {
        size_t f = emi_csr_index(m, n);
        double value = emi_csr_value(m, n);
        if (v->fill && isnan(value)) value = v->fill[f];
        if (full && v->slot[f] >= 0)
            put(to, at + (size_t)v->slot[f], f, value - v->less[f]);
        else
            put(to, at + count++, f, value);
    }
    return count;
}

static void copy_rows(const emi_csr_view *v, size_t first, size_t count, const room *to, emi_csr_block *b)
{
    size_t used = 0;
    *b = (emi_csr_block){.feature = to->feature, .value = to->value};
    while (b->rows < count && used + v->m->columns <= to->count) {
        b->begin[b->rows] = used;
        used += copy_row(v, emi_csr_row(v->shard, first + b->rows), to, used);
        b->end[b->rows++] = used;
    }
}

void emi_csr_take(const emi_csr_view *v, size_t first, size_t count, emi_scratch scratch, emi_csr_block *b)
{
    const room to = divide(v->real, scratch);
    size_t most = count < EMI_CSR_ROWS ? count : EMI_CSR_ROWS;
    if (as_it_lies(v))
        find_rows(v, first, most, b);
    else
        copy_rows(v, first, most, &to, b);
}

/* ---- products: a number of a row meets a whole panel of columns --------------------------------------------------------- */

typedef double doubles __attribute__((vector_size(EMI_PANEL_BYTES), aligned(sizeof(double)), may_alias));
typedef float floats __attribute__((vector_size(EMI_PANEL_BYTES), aligned(sizeof(float)), may_alias));
typedef double wide_doubles __attribute__((vector_size(2 * EMI_PANEL_BYTES), aligned(sizeof(double)), may_alias));

/* Sums of every other entry do not wait for each other. */
#define SCORES(REAL, PANEL)                                                                                            \
    EMI_WIDE static void scores_of_##PANEL(const emi_csr_block *b, const PANEL *X, const PANEL *start, PANEL *S)       \
    {                                                                                                                  \
        const REAL *value = b->value;                                                                                  \
        const int32_t *feature = b->feature;                                                                           \
        for (size_t r = 0; r < b->rows; r++) {                                                                         \
            size_t n = b->begin[r], end = b->end[r];                                                                   \
            PANEL even = *start, odd = {0};                                                                            \
            for (; n + 1 < end; n += 2) {                                                                              \
                even += value[n] * X[feature[n]];                                                                      \
                odd += value[n + 1] * X[feature[n + 1]];                                                               \
            }                                                                                                          \
            if (n < end) even += value[n] * X[feature[n]];                                                             \
            S[r] = even + odd;                                                                                         \
        }                                                                                                              \
    }

#define SUMS(REAL, PANEL, SUM)                                                                                         \
    EMI_WIDE static void sums_of_##PANEL(const emi_csr_block *b, const PANEL *S, SUM *Z)                               \
    {                                                                                                                  \
        const REAL *value = b->value;                                                                                  \
        const int32_t *feature = b->feature;                                                                           \
        for (size_t r = 0; r < b->rows; r++) {                                                                         \
            SUM s = __builtin_convertvector(S[r], SUM);                                                                \
            for (size_t n = b->begin[r]; n < b->end[r]; n++) Z[feature[n]] += (double)value[n] * s;                    \
        }                                                                                                              \
    }

SCORES(double, doubles)
SCORES(float, floats)
SUMS(double, doubles, doubles)
SUMS(float, floats, wide_doubles)

void emi_csr_scores(const emi_csr_block *b, emi_real real, const void *X, const void *start, void *S)
{
    if (real == EMI_SINGLE)
        scores_of_floats(b, X, start, S);
    else
        scores_of_doubles(b, X, start, S);
}

void emi_csr_sums(const emi_csr_block *b, emi_real real, const void *S, double *Z)
{
    if (real == EMI_SINGLE)
        sums_of_floats(b, S, (wide_doubles *)Z);
    else
        sums_of_doubles(b, S, (doubles *)Z);
}
