#include "data/parts.h"

#include "base/memory.h"
#include "linalg/blas.h"

#include <string.h>

enum { PART_ROWS = 4096, PARTS_MOST = 64 };

typedef struct parts {
    size_t rows, each, size;
    emi_part_fn *part;
    emi_merge_fn *merge;
    void *context;
    const emi_helpers *helpers;
    double *sums; /* [parts][size] */
} parts;

static em_status part_at(const parts *p, size_t index, double *sum, emi_scratch scratch, em_error *err)
{
    size_t first = index * p->each, count = p->rows - first < p->each ? p->rows - first : p->each;
    return p->part(p->context, first, count, sum, scratch, err);
}

static em_status part_body(void *context, int index, int worker, em_error *err)
{
    const parts *p = context;
    return part_at(p, (size_t)index, p->sums + (size_t)index * p->size, p->helpers->scratch[worker], err);
}

/* Threads do whole parts, each with a BLAS library that runs on one. */
static em_status sum_together(parts *p, int count, double *sum, em_error *err)
{
    p->sums = emi_doubles((size_t)count * p->size);
    if (!p->sums) return emi_fail_memory(err, "sums");
    emi_blas_claim(1);
    em_status status = emi_pool_run(p->helpers->pool, count, 1e12, part_body, p, err);
    emi_blas_release(1);
    for (int i = 0; i < count && status == EM_OK; i++) {
        if (i == 0)
            memcpy(sum, p->sums, p->size * sizeof *sum);
        else
            p->merge(sum, p->sums + (size_t)i * p->size, p->size);
    }
    emi_free(p->sums);
    return status;
}

static em_status sum_alone(const parts *p, size_t count, double *sum, emi_scratch scratch, em_error *err)
{
    em_status status = part_at(p, 0, sum, scratch, err);
    if (count == 1 || status != EM_OK) return status;
    double *next = emi_doubles(p->size);
    if (!next) return emi_fail_memory(err, "sums");
    for (size_t i = 1; i < count && status == EM_OK; i++) {
        status = part_at(p, i, next, scratch, err);
        if (status == EM_OK) p->merge(sum, next, p->size);
    }
    emi_free(next);
    return status;
}

em_status emi_gather_parts(size_t rows, double *found, size_t size, emi_part_fn *part, emi_merge_fn *merge,
                           void *context, const emi_helpers *helpers, emi_scratch scratch, em_error *err)
{
    parts p = {.rows = rows, .size = size, .part = part, .merge = merge, .context = context, .helpers = helpers};
    size_t count = rows > PART_ROWS ? (rows + PART_ROWS - 1) / PART_ROWS : 1;
    if (count > PARTS_MOST) count = PARTS_MOST;
    p.each = rows ? (rows + count - 1) / count : 1;
    count = rows ? (rows + p.each - 1) / p.each : 1;
    if (helpers && helpers->pool && count > 1) return sum_together(&p, (int)count, found, err);
    return sum_alone(&p, count, found, scratch, err);
}

static void add(double *sum, const double *more, size_t size)
{
    for (size_t n = 0; n < size; n++) sum[n] += more[n];
}

em_status emi_sum_parts(size_t rows, double *sum, size_t size, emi_part_fn *part, void *context,
                        const emi_helpers *helpers, emi_scratch scratch, em_error *err)
{
    return emi_gather_parts(rows, sum, size, part, add, context, helpers, scratch, err);
}
