/* The side of the rows: with n rows of more than n features, Y Y' is smaller than Y' Y and has the same eigenvalues. */
#include "base/memory.h"
#include "data/by_rows.h"
#include "data/form.h"
#include "linalg/blas.h"

#include <cblas.h>

/* Of one row, from the copy. */
static void take(const double *from, size_t count, emi_real real, void *to)
{
    for (size_t f = 0; f < count; f++)
        if (real == EMI_SINGLE)
            ((float *)to)[f] = (float)from[f];
        else
            ((double *)to)[f] = from[f];
}

static em_status read_features(const emi_operator *C, size_t first, size_t count, void *out, size_t stride,
                               double *room, em_error *err)
{
    em_status status = EM_OK;
    size_t size = emi_real_size(C->real) * stride;
    for (size_t row = 0; row < C->shard->count && status == EM_OK; row++) {
        char *to = (char *)out + row * size;
        if (C->packed)
            take(C->packed + row * (size_t)C->d + first, count, C->real, to);
        else
            status = emi_standard_read_part(C->standard, C->shard, row, first, count, C->real, to, room, err);
    }
    return status;
}

/* Rows of which only the whole can be read are read once. */
static em_status pack_rows(emi_operator *C, em_error *err)
{
    const emi_shard *shard = C->shard;
    size_t size;
    if (emi_standard_reads_in_place(shard)) return EM_OK;
    if (emi_size_overflows(shard->count, (size_t)C->d, &size) || !(C->packed = emi_doubles(size)))
        return emi_fail_memory_try(err, "covariance", "method=krylov");
    return emi_standard_read(C->standard, shard, 0, shard->count, EMI_DOUBLE, C->packed, NULL, err);
}

static em_status form(emi_operator *C, emi_scratch scratch, em_error *err)
{
    if (C->gram) return EM_OK;
    const emi_vectors features = {.n = (int)C->shard->count, .count = (size_t)C->d, .across = 1, .read = read_features};
    em_status status = pack_rows(C, err);
    return status == EM_OK ? emi_form(C, &features, &C->gram, scratch, err) : status;
}

/* Some features of all rows, and of X, at a time. */
typedef struct lifting {
    const emi_operator *C;
    emi_block U, X;
    const emi_helpers *helpers;
} lifting;

enum { FEATURES = 128 };

size_t emi_gram_needs(int n, int d)
{
    size_t forming = emi_form_needs(n, d), coming_back = FEATURES * (size_t)n + (size_t)d;
    return forming > coming_back ? forming : coming_back;
}

static em_status lift_body(void *context, int index, int worker, em_error *err)
{
    const lifting *t = context;
    size_t first = (size_t)index * FEATURES, d = (size_t)t->C->d, count = d - first < FEATURES ? d - first : FEATURES;
    double *features = t->helpers->scratch[worker].v, *room = features + FEATURES * (size_t)t->U.rows;
    emi_operator in_double = *t->C;
    in_double.real = EMI_DOUBLE;
    em_status status = read_features(&in_double, first, count, features, count, room, err);
    if (status != EM_OK) return status;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)count, t->U.cols, t->U.rows, 1, features, (int)count,
                t->U.v, t->U.rows, 0, t->X.v + first, t->X.rows);
    return EM_OK;
}

static em_status lift(const emi_operator *C, emi_block U, emi_block X, emi_scratch scratch, em_error *err)
{
    const emi_helpers alone = {NULL, &scratch};
    lifting t = {C, U, X, C->helpers ? C->helpers : &alone};
    emi_blas_claim(1);
    em_status status = emi_pool_run(t.helpers->pool, (C->d + FEATURES - 1) / FEATURES, 2.0 * C->d * U.rows * U.cols,
                                    lift_body, &t, err);
    emi_blas_release(1);
    return status;
}

static emi_block matrix(const emi_operator *C)
{
    int n = (int)C->shard->count;
    return (emi_block){n, n, C->gram};
}

const emi_operator_kind emi_by_gram = {
    .name = "gram",
    .cost = emi_by_rows_cost, /* products are made with the rows: only the matrix is smaller */
    .apply = emi_by_rows_apply,
    .measure = emi_by_rows_measure,
    .form = form,
    .matrix = matrix,
    .lift = lift};
