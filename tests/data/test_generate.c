/* The paper's synthetic data: its spectrum, and the same numbers for the same seed. */
#include "support/check.h"
#include "support/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *generated(size_t d, size_t N, size_t K, double gap, uint64_t seed)
{
    em_data *data = NULL;
    em_error err = {0};
    double *rows = malloc(d * N * sizeof *rows);
    assert_non_null(rows);
    assert_ok(em_generate(&data, d, N, K, gap, seed, &err), &err);
    assert_int_equal(em_data_rows(data), N);
    assert_int_equal(em_data_columns(data), d);
    assert_int_equal(em_data_type(data), EM_F64);
    assert_ok(em_data_read(data, 0, N, rows, &err), &err);
    em_data_free(&data);
    return rows;
}

/* The sample covariance of N Gaussian samples has eigenvalues within lambda (1 +- 2 sqrt(d / N)), and its own scatter
 * of lambda sqrt(2 / N); the bound is twice the sum of both (Wainwright, "High-dimensional statistics", theorem 6.1). */
static void check_spectrum(int d, int K, double gap, const double *wanted)
{
    enum { N = 40000 };
    double values[8], vectors[64], *rows = generated((size_t)d, N, (size_t)K, gap, 7);
    truth_pca(rows, N, d, values, vectors);
    for (int k = 0; k < d; k++) assert_close(values[k] / wanted[k], 1, 2 * (2 * sqrt((double)d / N) + sqrt(2.0 / N)));
    free(rows);
}

static void the_spectrum_is_the_papers(void **state)
{
    (void)state;
    check_spectrum(6, 3, 0.5, (double[]){1, 0.9, 0.8, 0.4, 0.25, 0.1});
    check_spectrum(5, 1, 0.6, (double[]){1, 0.6, 0.6 - 0.5 / 3, 0.6 - 1.0 / 3, 0.1});
    check_spectrum(4, 2, 0.9, (double[]){1, 0.8, 0.72, 0.1});
    check_spectrum(3, 2, 0.7, (double[]){1, 0.8, 0.56});         /* a tail of one */
    check_spectrum(4, 1, 0.05, (double[]){1, 0.05, 0.05, 0.05}); /* below the floor: level */
    check_spectrum(2, 1, 1, (double[]){1, 1});
}

/* Components differ between draws: the basis is random, not the axes. */
static void the_basis_is_no_axis(void **state)
{
    (void)state;
    enum { N = 4000, D = 5 };
    double values[D], vectors[D * D], *rows = generated(D, N, 1, 0.2, 3);
    truth_pca(rows, N, D, values, vectors);
    for (int f = 0; f < D; f++) assert_true(fabs(vectors[f]) < 0.999);
    free(rows);
}

static void a_seed_is_a_table(void **state)
{
    (void)state;
    enum { D = 7, N = 600 };
    double *first = generated(D, N, 2, 0.5, 11), *again = generated(D, N, 2, 0.5, 11),
           *other = generated(D, N, 2, 0.5, 12);
    assert_memory_equal(first, again, D * N * sizeof *first);
    assert_int_not_equal(memcmp(first, other, D * N * sizeof *first), 0);
    for (size_t n = 0; n < D * N; n++) assert_true(isfinite(first[n]));
    free(other);
    free(again);
    free(first);
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    em_data *data = (em_data *)&state;
    em_error err = {0};
    assert_fails(em_generate(&data, 1, 10, 1, 0.5, 0, &err), EM_EINVAL, "features: 1", &err);
    assert_null(data);
    assert_fails(em_generate(&data, 5, 0, 1, 0.5, 0, &err), EM_EINVAL, "samples: 0", &err);
    assert_fails(em_generate(&data, 5, 10, 0, 0.5, 0, &err), EM_EINVAL, "components: 0 of 5", &err);
    assert_fails(em_generate(&data, 5, 10, 5, 0.5, 0, &err), EM_EINVAL, "try 1 to 4", &err);
    assert_fails(em_generate(&data, 5, 10, 2, 0, 0, &err), EM_EINVAL, "gap: 0", &err);
    assert_fails(em_generate(&data, 5, 10, 2, -1, 0, &err), EM_EINVAL, "gap: -1", &err);
    assert_fails(em_generate(&data, 5, 10, 2, 1.01, 0, &err), EM_EINVAL, "gap: 1.01", &err);
    assert_fails(em_generate(&data, 5, 10, 2, NAN, 0, &err), EM_EINVAL, "gap: ", &err);
    assert_fails(em_generate(&data, 5, SIZE_MAX / 2, 2, 0.5, 0, &err), EM_ENOMEM, "out of memory", &err);
    assert_fails(em_generate(&data, SIZE_MAX, 10, 2, 0.5, 0, &err), EM_EINVAL, "features", &err);
    assert_null(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spectrum_is_the_papers),
        cmocka_unit_test(the_basis_is_no_axis),
        cmocka_unit_test(a_seed_is_a_table),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
