#include "support/moments.h"

#include "support/check.h"
#include "support/matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

em_data *moments_table(const void *values, em_dtype type, size_t rows, size_t d)
{
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_from_array(&data, values, type, rows, d, 0, 0, &err), &err);
    return data;
}

void moments_add(em_moments *m, const void *values, em_dtype type, size_t rows, size_t d)
{
    em_error err = {0};
    em_data *data = moments_table(values, type, rows, d);
    assert_ok(em_moments_update(m, data, &err), &err);
    em_data_free(&data);
}

em_moments *moments_create(size_t d)
{
    em_moments *m = NULL;
    em_error err = {0};
    assert_ok(em_moments_create(&m, d, &err), &err);
    return m;
}

/* Weighted, as numpy.cov(rows.T, aweights=weights) divides: by W - sum of squares / W. */
void moments_truth(const double *rows, const double *weights, size_t count, size_t d, double *mean, double *covariance)
{
    long double all = 0, squares = 0, *mu = calloc(d, sizeof *mu), *sum = calloc(d * d, sizeof *sum);
    assert_non_null(mu);
    assert_non_null(sum);
    for (size_t r = 0; r < count; r++) {
        long double w = weights ? weights[r] : 1;
        all += w, squares += w * w;
        for (size_t f = 0; f < d; f++) mu[f] += w * rows[r * d + f];
    }
    for (size_t f = 0; f < d; f++) mu[f] /= all;
    for (size_t r = 0; r < count; r++)
        for (size_t f = 0; f < d; f++)
            for (size_t g = 0; g < d; g++)
                sum[f * d + g] += (weights ? weights[r] : 1) * (rows[r * d + f] - mu[f]) * (rows[r * d + g] - mu[g]);
    for (size_t f = 0; f < d; f++) mean[f] = (double)mu[f];
    for (size_t n = 0; n < d * d; n++) covariance[n] = (double)(sum[n] / (all - squares / all));
    free(mu);
    free(sum);
}

/* Entry by entry, beside the deviations of both. */
void moments_check(em_moments *m, const double *rows, const double *weights, size_t count, double tolerance)
{
    em_error err = {0};
    size_t d = em_moments_columns(m);
    double *wanted = malloc((2 * d * d + 2 * d) * sizeof *wanted), *got = wanted + d * d, *mean = got + d * d,
           *mu = mean + d;
    assert_non_null(wanted);
    moments_truth(rows, weights, count, d, mu, wanted);
    assert_ok(em_moments_mean(m, mean, &err), &err);
    assert_ok(em_moments_covariance(m, got, &err), &err);
    for (size_t f = 0; f < d; f++) {
        double deviation = sqrt(wanted[f * d + f]);
        assert_true(fabs(mean[f] - mu[f]) <= tolerance * deviation + 4 * DBL_EPSILON * fabs(mu[f]));
        for (size_t g = 0; g < d; g++)
            assert_true(fabs(got[f * d + g] - wanted[f * d + g]) <= tolerance * deviation * sqrt(wanted[g * d + g]));
    }
    free(wanted);
}

double *moments_rows(size_t count, size_t d, uint64_t seed)
{
    double *rows = malloc(count * d * sizeof *rows);
    assert_non_null(rows);
    matrix_fill_table(rows, count, (int)d, seed);
    return rows;
}
