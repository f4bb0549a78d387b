/* The largest eigenvalue of an operator, against matrices whose spectrum is known. */
#include "linalg/lanczos.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix_operator {
    const double *A;
    int d;
    int products;
    int fail_at; /* the product that fails; -1: none */
} matrix_operator;

static em_status apply(void *context, const double *v, double *z, em_error *err)
{
    matrix_operator *m = context;
    if (m->products++ == m->fail_at) return emi_fail(err, EM_ENET, "product %d: meant to fail", m->fail_at);
    matrix_multiply(m->A, v, z, m->d, m->d, 1);
    return EM_OK;
}

/* Returns the number of products that were needed. */
static int check_largest(const double *spectrum, int d, double tolerance, double wanted)
{
    double *A = malloc(sizeof *A * (size_t)(d * d)), value = -1;
    em_error err = {0};
    assert_non_null(A);
    matrix_of_spectrum(A, NULL, d, spectrum, (uint64_t)d);
    matrix_operator m = {.A = A, .d = d, .fail_at = -1};
    assert_ok(emi_largest_eigenvalue(apply, &m, d, tolerance, &value, &(double){0}, &err), &err);
    assert_close(value, wanted, tolerance + 1e-13);
    free(A);
    return m.products;
}

static void spread_spectra(void **state)
{
    (void)state;
    double spectrum[200];
    for (int d = 1; d <= 200; d += d < 10 ? 1 : 95) {
        for (int i = 0; i < d; i++) spectrum[i] = 3.5 * pow(0.9, i);
        assert_true(check_largest(spectrum, d, 1e-10, 3.5) <= d);
    }
}

static void one_dimension_takes_one_product(void **state)
{
    (void)state;
    const double spectrum[] = {7.25};
    assert_int_equal(check_largest(spectrum, 1, 1e-13, 7.25), 1);
}

static void repeated_eigenvalues(void **state)
{
    (void)state;
    double spectrum[60];
    for (int i = 0; i < 60; i++) spectrum[i] = i < 20 ? 2 : 0.5;
    assert_true(check_largest(spectrum, 60, 1e-12, 2) <= 4); /* two distinct values: a Krylov space of two */
    for (int i = 0; i < 60; i++) spectrum[i] = 1;
    assert_true(check_largest(spectrum, 60, 1e-12, 1) <= 2);
}

static void nothing_at_all(void **state)
{
    (void)state;
    const double spectrum[30] = {0};
    assert_int_equal(check_largest(spectrum, 30, 1e-12, 0), 1);
}

static void clustered_at_the_top(void **state)
{
    (void)state;
    double spectrum[100];
    for (int i = 0; i < 100; i++) spectrum[i] = i < 10 ? 1 - 1e-5 * i : 0.9 * (100 - i) / 100.0;
    (void)check_largest(spectrum, 100, 1e-9, 1);
    for (int i = 0; i < 100; i++) spectrum[i] = 1 - 1e-9 * i;
    (void)check_largest(spectrum, 100, 1e-6, 1);
}

static void any_size_of_numbers(void **state)
{
    (void)state;
    double spectrum[40], A[40 * 40], value = 0;
    em_error err = {0};
    for (double size = 1e-150; size < 1e151; size *= 1e50) {
        for (int i = 0; i < 40; i++) spectrum[i] = size * pow(0.8, i);
        matrix_of_spectrum(A, NULL, 40, spectrum, 1);
        matrix_operator m = {.A = A, .d = 40, .fail_at = -1};
        assert_ok(emi_largest_eigenvalue(apply, &m, 40, 1e-10, &value, &(double){0}, &err), &err);
        assert_close(value / size, 1, 1e-9);
    }
}

static void a_product_that_fails_ends_it(void **state)
{
    (void)state;
    double spectrum[30], A[30 * 30], value = 0;
    for (int i = 0; i < 30; i++) spectrum[i] = 30 - i;
    matrix_of_spectrum(A, NULL, 30, spectrum, 1);
    for (int n = 0; n < 4; n++) {
        em_error err = {0};
        matrix_operator m = {.A = A, .d = 30, .fail_at = n};
        assert_fails(emi_largest_eigenvalue(apply, &m, 30, 1e-12, &value, &(double){0}, &err), EM_ENET, "meant to fail",
                     &err);
        assert_int_equal(m.products, n + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_spectra),
        cmocka_unit_test(one_dimension_takes_one_product),
        cmocka_unit_test(repeated_eigenvalues),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(clustered_at_the_top),
        cmocka_unit_test(any_size_of_numbers),
        cmocka_unit_test(a_product_that_fails_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
