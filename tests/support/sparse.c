#include "support/sparse.h"

#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>

static void *room(size_t count, size_t size)
{
    void *out = calloc(count + 1, size);
    if (!out) abort();
    return out;
}

static double rounded(em_dtype type, double value)
{
    return type == EM_F32 ? (double)(float)value : value;
}

sparse_table sparse_make(sparse_plan plan)
{
    sparse_table t = {.plan = plan};
    size_t count = plan.rows * plan.columns;
    double *chance = room(count, sizeof *chance);
    t.dense = room(count, sizeof *t.dense);
    matrix_fill(chance, count, plan.seed);
    matrix_fill(t.dense, count, plan.seed + 1);
    for (size_t n = 0; n < count; n++) {
        size_t r = n / plan.columns, c = n % plan.columns;
        int empty = plan.filled <= 1 && (r % 7 == 3 || (chance[n] + 1) / 2 >= plan.filled);
        t.dense[n] = empty ? 0 : rounded(plan.type, (t.dense[n] + 0.7) * 3 * pow(0.9, (double)c));
    }
    free(chance);
    sparse_store(&t);
    return t;
}

static void put(sparse_table *t, size_t n, size_t column, double value)
{
    if (t->plan.index_type == EM_I32)
        ((int32_t *)t->indices)[n] = (int32_t)column;
    else
        ((int64_t *)t->indices)[n] = (int64_t)column;
    if (t->plan.type == EM_F32)
        ((float *)t->values)[n] = (float)value;
    else
        ((double *)t->values)[n] = value;
}

/* Returns how many entries there are then. */
static size_t put_row(sparse_table *t, size_t r, size_t n)
{
    size_t d = t->plan.columns, first = n, untidy = t->plan.untidy != 0;
    for (size_t k = 0; k < d; k++) {
        size_t c = untidy ? d - 1 - k : k;
        double value = t->dense[r * d + c];
        if (value == 0 && !(untidy && n == first && k + 1 == d)) continue;
        if (untidy && n == first) {
            put(t, n++, c, value / 2);
            put(t, n++, c, value / 2);
        } else {
            put(t, n++, c, value);
        }
    }
    return n;
}

void sparse_store(sparse_table *t)
{
    size_t rows = t->plan.rows, n = 0, most = rows * (t->plan.columns + 1);
    free(t->values), free(t->indices), free(t->starts);
    t->values = room(most, sizeof(double));
    t->indices = room(most, sizeof(int64_t));
    t->starts = room(rows + 1, sizeof(int64_t));
    for (size_t r = 0; r < rows; r++) {
        n = put_row(t, r, n);
        if (t->plan.index_type == EM_I32)
            ((int32_t *)t->starts)[r + 1] = (int32_t)n;
        else
            ((int64_t *)t->starts)[r + 1] = (int64_t)n;
    }
}

void sparse_free(sparse_table *t)
{
    free(t->dense), free(t->values), free(t->indices), free(t->starts);
    *t = (sparse_table){0};
}

em_data *sparse_open(const sparse_table *t)
{
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_from_csr(&data, t->values, t->plan.type, t->indices, t->starts, t->plan.index_type, t->plan.rows,
                               t->plan.columns, &err),
              &err);
    return data;
}

em_data *sparse_open_dense(const sparse_table *t)
{
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_from_array(&data, t->dense, EM_F64, t->plan.rows, t->plan.columns, 0, 0, &err), &err);
    return data;
}
