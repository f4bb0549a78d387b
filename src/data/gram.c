/* The side of the rows: with n rows of more than n features, Y Y' is smaller than Y' Y and has the same eigenvalues. */
#include "data/form.h"

#include "linalg/blas.h"

#include <cblas.h>

static em_status read_features(const emi_cov *C, size_t first, size_t count, void *out, size_t stride, double *room,
                               em_error *err)
{
    em_status status = EM_OK;
    size_t size = emi_real_size(C->real) * stride;
    for (size_t row = 0; row < C->shard->count && status == EM_OK; row++)
        status = emi_standard_read_part(C->standard, C->shard, row, first, count, C->real, (char *)out + row * size,
                                        room, err);
    return status;
}

em_status emi_gram_form(emi_cov *C, emi_scratch scratch, em_error *err)
{
    const emi_vectors features = {.n = (int)C->shard->count, .count = (size_t)C->d, .across = 1, .read = read_features};
    return emi_form(C, &features, &C->gram, scratch, err);
}

/* Some features of all rows, and of X, at a time. */
typedef struct lifting {
    const emi_cov *C;
    emi_block U, X;
    const emi_helpers *helpers;
} lifting;

enum { FEATURES = EMI_LIFT_FEATURES };

static em_status lift_body(void *context, int index, int worker, em_error *err)
{
    const lifting *t = context;
    size_t first = (size_t)index * FEATURES, d = (size_t)t->C->d, count = d - first < FEATURES ? d - first : FEATURES;
    double *features = t->helpers->scratch[worker].v, *room = features + FEATURES * (size_t)t->U.rows;
    emi_cov in_double = *t->C;
    in_double.real = EMI_DOUBLE;
    em_status status = read_features(&in_double, first, count, features, count, room, err);
    if (status != EM_OK) return status;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)count, t->U.cols, t->U.rows, 1, features, (int)count,
                t->U.v, t->U.rows, 0, t->X.v + first, t->X.rows);
    return EM_OK;
}

em_status emi_gram_lift(const emi_cov *C, emi_block U, emi_block X, emi_scratch scratch, em_error *err)
{
    const emi_helpers alone = {NULL, &scratch};
    lifting t = {C, U, X, C->helpers ? C->helpers : &alone};
    emi_blas_claim(1);
    em_status status = emi_pool_run(t.helpers->pool, (C->d + FEATURES - 1) / FEATURES, 2.0 * C->d * U.rows * U.cols,
                                    lift_body, &t, err);
    emi_blas_release(1);
    return status;
}
