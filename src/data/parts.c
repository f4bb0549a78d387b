#include "data/parts.h"

#include "base/memory.h"
#include "linalg/blas.h"

#include <stdint.h>
#include <string.h>

enum {
    PART_NUMBERS = 1 << 19, /* of rows, about, so that threads find something to share in any shape      */
    FEWEST_ROWS = 64,
    MOST_ROWS = 512, /* of such a part; more where there would be too many parts                  */
    FEWEST = 16,
    MOST = 64,      /* parts of many rows                                                        */
    SUMS = 1 << 24, /* numbers of all parts' sums, where that leaves more than the fewest        */
    SLICE = 1 << 12 /* numbers of a sum that a thread adds up at a time                          */
};

typedef struct parts {
    size_t rows, each, size, count;
    emi_part_fn *part;
    emi_merge_fn *merge;
    void *context;
    const emi_helpers *helpers;
    double *sums; /* [count][size] */
} parts;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t within(size_t least, size_t value, size_t most)
{
    return value < least ? least : smaller(value, most);
}

static em_status part_at(const parts *p, size_t index, double *sum, emi_scratch scratch, em_error *err)
{
    size_t first = index * p->each;
    return p->part(p->context, first, smaller(p->rows - first, p->each), sum, scratch, err);
}

static em_status part_body(void *context, int index, int worker, em_error *err)
{
    const parts *p = context;
    return part_at(p, (size_t)index, p->sums + (size_t)index * p->size, p->helpers->scratch[worker], err);
}

static void add(double *sum, const double *more, size_t size)
{
    for (size_t n = 0; n < size; n++) sum[n] += more[n];
}

/* Some numbers of all sums, one part after the other, into the first one's place. */
static em_status merge_body(void *context, int index, int worker, em_error *err)
{
    (void)worker, (void)err;
    const parts *p = context;
    size_t from = p->merge == add ? (size_t)index * SLICE : 0,
           size = p->merge == add ? smaller(SLICE, p->size - from) : p->size;
    for (size_t i = 1; i < p->count; i++) p->merge(p->sums + from, p->sums + i * p->size + from, size);
    return EM_OK;
}

/* Threads do whole parts, each with a BLAS library that runs on one. */
static em_status sum_together(parts *p, double *sum, em_error *err)
{
    size_t slices = p->merge == add ? (p->size + SLICE - 1) / SLICE : 1;
    p->sums = emi_doubles(p->count * p->size);
    if (!p->sums) return emi_fail_memory(err, "sums");
    emi_blas_claim(1);
    em_status status = emi_pool_run(p->helpers->pool, (int)p->count, 1e12, part_body, p, err);
    emi_blas_release(1);
    if (status == EM_OK) {
        (void)emi_pool_run(p->helpers->pool, (int)slices, (double)(p->count * p->size), merge_body, p, err);
        memcpy(sum, p->sums, p->size * sizeof *sum);
    }
    emi_free(p->sums);
    return status;
}

static em_status sum_alone(const parts *p, double *sum, emi_scratch scratch, em_error *err)
{
    em_status status = part_at(p, 0, sum, scratch, err);
    if (p->count == 1 || status != EM_OK) return status;
    double *next = emi_doubles(p->size);
    if (!next) return emi_fail_memory(err, "sums");
    for (size_t i = 1; i < p->count && status == EM_OK; i++) {
        status = part_at(p, i, next, scratch, err);
        if (status == EM_OK) p->merge(sum, next, p->size);
    }
    emi_free(next);
    return status;
}

em_status emi_gather_parts(emi_extent rows, double *found, size_t size, emi_part_fn *part, emi_merge_fn *merge,
                           void *context, const emi_helpers *helpers, emi_scratch scratch, em_error *err)
{
    parts p = {.rows = rows.count, .size = size, .part = part, .merge = merge, .context = context, .helpers = helpers};
    size_t each = within(FEWEST_ROWS, PART_NUMBERS / rows.width, MOST_ROWS), most = within(FEWEST, SUMS / size, MOST);
    p.count = within(1, (p.rows + each - 1) / each, most);
    p.each = within(1, (p.rows + p.count - 1) / p.count, SIZE_MAX);
    p.count = within(1, (p.rows + p.each - 1) / p.each, most);
    if (helpers && helpers->pool && p.count > 1) return sum_together(&p, found, err);
    return sum_alone(&p, found, scratch, err);
}

em_status emi_sum_parts(emi_extent rows, double *sum, size_t size, emi_part_fn *part, void *context,
                        const emi_helpers *helpers, emi_scratch scratch, em_error *err)
{
    return emi_gather_parts(rows, sum, size, part, add, context, helpers, scratch, err);
}
