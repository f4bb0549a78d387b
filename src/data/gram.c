/* The side of the rows: with n rows of more than n features, Y Y' is smaller than Y' Y and has the same eigenvalues. */
#include "data/covariance.h"

#include "linalg/outer.h"

/* Some features of all rows at a time, as many as there is scratch for. */
typedef struct forming {
    const emi_cov *C;
    const emi_helpers *helpers;
    size_t from, count; /* features        */
    size_t shared;      /* doubles of the first thread's scratch that are everyone's */
    void *rows;         /* [rows * count]  */
} forming;

static em_status read_body(void *context, int row, int worker, em_error *err)
{
    const forming *t = context;
    return emi_standard_read_part(t->C->standard, t->C->shard, (size_t)row, t->from, t->count, t->C->real,
                                  (char *)t->rows + (size_t)row * t->count * emi_real_size(t->C->real),
                                  t->helpers->scratch[worker].v + t->shared, err);
}

static em_status add_features(const emi_cov *C, double *gram, const emi_helpers *helpers, emi_scratch scratch,
                              em_error *err)
{
    em_status status = EM_OK;
    size_t n = C->shard->count, own = (size_t)C->d > emi_outer_needs() ? (size_t)C->d : emi_outer_needs(),
           shared = scratch.count - own, most = shared / n;
    forming t = {.C = C, .helpers = helpers, .shared = shared, .rows = scratch.v};
    emi_outer sum = {.n = (int)n, .C = gram, .weight = C->weight, .real = C->real, .across = 1};
    for (; t.from < (size_t)C->d; t.from += t.count) {
        t.count = (size_t)C->d - t.from < most ? (size_t)C->d - t.from : most;
        TRY(emi_pool_run(helpers->pool, (int)n, (double)n * (double)t.count, read_body, &t, err));
        TRY(emi_outer_add(&sum, t.rows, t.count, helpers->pool, helpers->scratch, shared, err));
    }
done:
    return status;
}

em_status emi_gram_form(emi_cov *C, emi_scratch scratch, em_error *err)
{
    return emi_form_matrix(C, (int)C->shard->count, add_features, &C->gram, scratch, err);
}

em_status emi_gram_lift(const emi_cov *C, emi_block U, emi_block X, emi_scratch scratch, em_error *err)
{
    em_status status = EM_OK;
    size_t d = (size_t)C->d, n = C->shard->count, most = scratch.count / (d + (size_t)U.cols), count;
    for (size_t first = 0; first < n; first += count) {
        count = n - first < most ? n - first : most;
        double *rows = scratch.v, *part = rows + count * d; /* the same rows of U, row by row */
        TRY(emi_standard_read(C->standard, C->shard, first, count, EMI_DOUBLE, rows, NULL, err));
        for (size_t r = 0; r < count; r++)
            for (int k = 0; k < U.cols; k++) part[(size_t)k * count + r] = emi_column_of(U, k)[first + r];
        emi_mul(1, (emi_block){C->d, (int)count, rows}, (emi_block){(int)count, U.cols, part}, first > 0,
                (emi_block){C->d, U.cols, X.v});
    }
done:
    return status;
}
