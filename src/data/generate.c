/* The paper's synthetic data (Gang and Bajwa 2022, section V): Gaussian samples with a given eigengap. */
#include "base/memory.h"
#include "base/random.h"
#include "data/strided.h"
#include "linalg/blas.h"
#include "linalg/block.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* lambda_1 .. lambda_K evenly from 1 to 0.8 (1 alone when K = 1), lambda_{K+1} = gap lambda_K, then evenly down to
 * 0.1, or level where lambda_{K+1} is below that already. */
static void spectrum(int d, int K, double gap, double *lambda)
{
    for (int k = 0; k < K; k++) lambda[k] = K == 1 ? 1 : 1 - 0.2 * k / (K - 1);
    double first = gap * lambda[K - 1], last = fmin(first, 0.1);
    int tail = d - K;
    for (int k = 0; k < tail; k++) lambda[K + k] = tail == 1 ? first : first + (last - first) * k / (tail - 1);
}

static em_status check_request(size_t d, size_t N, size_t K, double gap, em_error *err)
{
    size_t total;
    if (d < 2 || d > INT_MAX / 2) return emi_fail(err, EM_EINVAL, "features: %zu of them; try 2 or more", d);
    if (N < 1) return emi_fail(err, EM_EINVAL, "samples: %zu of them; try 1 or more", N);
    if (K < 1 || K >= d) return emi_fail(err, EM_EINVAL, "components: %zu of %zu features; try 1 to %zu", K, d, d - 1);
    if (!(gap > 0 && gap <= 1)) return emi_fail(err, EM_EINVAL, "gap: %g; try a ratio above 0, at most 1", gap);
    if (emi_size_overflows(d, N, &total) || total > PTRDIFF_MAX / sizeof(double))
        return emi_fail_memory(err, "generate");
    return EM_OK;
}

/* y = Q sqrt(Lambda) z, a block of rows at a time, in place of the normals. */
static em_status colour(double *rows, size_t N, int d, const double *basis, em_error *err)
{
    enum { AT_ONCE = 256 };
    size_t n = (size_t)d, count;
    double *normals = emi_doubles(AT_ONCE * n);
    if (!normals) return emi_fail_memory(err, "generate");
    emi_block Q = {d, d, (double *)basis};
    for (size_t first = 0; first < N; first += count) {
        count = N - first < AT_ONCE ? N - first : AT_ONCE;
        memcpy(normals, rows + first * n, count * n * sizeof *normals);
        emi_mul(1, Q, (emi_block){d, (int)count, normals}, 0, (emi_block){d, (int)count, rows + first * n});
    }
    emi_free(normals);
    return EM_OK;
}

/* Random orthonormal columns, each times the square root of its eigenvalue. */
static em_status random_basis(emi_random *random, int d, const double *lambda, double *basis, em_error *err)
{
    size_t needs = emi_orthonormalise_needs(d, d);
    double *work = emi_doubles(needs);
    if (!work) return emi_fail_memory(err, "generate");
    emi_block Q = {d, d, basis};
    emi_random_normals(random, basis, (size_t)d * (size_t)d);
    em_status status = emi_orthonormalise(Q, EM_QR_POSITIVE, (emi_scratch){work, needs}, err);
    emi_free(work);
    for (int k = 0; k < d; k++)
        for (int f = 0; f < d; f++) emi_column_of(Q, k)[f] *= sqrt(lambda[k]);
    return status;
}

em_status em_generate(em_data **out, size_t features, size_t samples, size_t components, double gap, uint64_t seed,
                      em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    double *lambda = NULL, *basis = NULL, *rows = NULL;
    *out = NULL;
    emi_blas_claim(1); /* the same bits on any machine */
    TRY(check_request(features, samples, components, gap, err));
    int d = (int)features;
    data = emi_calloc(1, sizeof *data);
    lambda = emi_doubles(features);
    basis = emi_doubles(features * features);
    rows = emi_doubles(features * samples);
    if (!data || !lambda || !basis || !rows || !(data->name = emi_strdup("generated")))
        TRY(emi_fail_memory(err, "generate"));
    data->format = "generated";
    emi_random random = emi_random_seed(seed, EMI_STREAM_DATA);
    spectrum(d, (int)components, gap, lambda);
    TRY(random_basis(&random, d, lambda, basis, err));
    emi_random_normals(&random, rows, features * samples);
    TRY(colour(rows, samples, d, basis, err));
    emi_bytes held = {(unsigned char *)rows, features * samples * sizeof *rows, EMI_HELD};
    emi_layout layout = {.type = EM_F64,
                         .rows = samples,
                         .columns = features,
                         .row_stride = (ptrdiff_t)(features * sizeof *rows),
                         .column_stride = sizeof *rows};
    TRY(emi_strided_open(data, &held, &layout, err));
    rows = NULL;
    *out = data;
    data = NULL;
done:
    emi_free(rows);
    emi_free(basis);
    emi_free(lambda);
    em_data_free(&data);
    emi_blas_release(1);
    return status;
}
