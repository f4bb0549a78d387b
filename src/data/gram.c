/* The side of the rows: with n rows of more than n features, Y Y' is smaller than Y' Y and has the same eigenvalues. */
#include "data/form.h"

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
