/* Rows to scores: a table's own numbers, read once. */
#include "base/memory.h"
#include "data/by_rows.h"

#include <limits.h>

static em_status check(const em_data *rows, const double *scale, const double *components, int K, em_dtype type,
                       const void *scores, int threads, em_error *err)
{
    if (!rows || !components || !scores)
        return emi_fail(err, EM_EINVAL, "project: rows, components or scores are NULL; try all three");
    if (K < 1 || rows->columns > (size_t)(INT_MAX / 2))
        return emi_fail(err, EM_EINVAL, "project: %d components of %zu features; try 1 or more", K, rows->columns);
    if (type != EM_F64 && type != EM_F32)
        return emi_fail(err, EM_EINVAL, "project: scores are EM_F64 or EM_F32; try one of these");
    if (threads < 0) return emi_fail(err, EM_EINVAL, "project: %d threads; try 0, for one a core", threads);
    for (size_t f = 0; scale && f < rows->columns; f++)
        if (!(scale[f] > 0)) return emi_fail(err, EM_EINVAL, "project: scale %zu is %g; try 1", f, scale[f]);
    return EM_OK;
}

/* Threads, and scratch for each. */
typedef struct crew {
    emi_helpers helpers;
    int size;
} crew;

/* Rows that are few are not worth a thread. */
static em_status gather(crew *c, int threads, size_t rows, size_t needs, em_error *err)
{
    enum { FEW = 2048 };
    em_status status = EM_OK;
    TRY(emi_pool_open(&c->helpers.pool, rows <= FEW ? 1 : threads, err));
    int size = emi_pool_size(c->helpers.pool);
    c->helpers.scratch = emi_calloc((size_t)size, sizeof *c->helpers.scratch);
    if (!c->helpers.scratch) TRY(emi_fail_memory(err, "scores"));
    for (; c->size < size; c->size++) {
        double *room = emi_doubles(needs);
        if (!room) TRY(emi_fail_memory(err, "scores"));
        c->helpers.scratch[c->size] = (emi_scratch){room, needs};
    }
done:
    return status;
}

static void dismiss(crew *c)
{
    for (int n = 0; n < c->size; n++) emi_free(c->helpers.scratch[n].v);
    emi_free(c->helpers.scratch);
    emi_pool_close(&c->helpers.pool);
}

em_status em_project(const em_data *rows, const double *mean, const double *scale, const double *components,
                     int components_count, em_dtype type, void *scores, int threads, em_error *err)
{
    em_status status = check(rows, scale, components, components_count, type, scores, threads, err);
    if (status != EM_OK) return status;
    int d = (int)rows->columns;
    crew team = {0};
    emi_standard standard = {.d = d, .mean = (double *)mean};
    const emi_shard all = {rows, 0, rows->rows, NULL};
    TRY(gather(&team, threads, rows->rows, emi_operator_needs(d, components_count), err));
    if (scale) {
        standard.inverse_scale = emi_doubles((size_t)d);
        if (!standard.inverse_scale) TRY(emi_fail_memory(err, "scores"));
        for (int f = 0; f < d; f++) standard.inverse_scale[f] = 1 / scale[f];
    }
    const emi_operator C = {.d = d, .weight = 1, .shard = &all, .standard = &standard, .helpers = &team.helpers};
    TRY(emi_by_rows_scores(&C, type == EM_F32 ? EMI_SINGLE : EMI_DOUBLE,
                           (emi_block){d, components_count, (double *)components}, scores, team.helpers.scratch[0],
                           err));
done:
    emi_free(standard.inverse_scale);
    dismiss(&team);
    return status;
}
