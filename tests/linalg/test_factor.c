/* Orthonormal bases and the leading eigenpairs. */
#include "linalg/block.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 130 };

static em_status orthonormalise(double *A, int d, int K, emi_qr_signs signs, em_error *err)
{
    size_t needs = emi_orthonormalise_needs(d, K);
    double *room = malloc(needs * sizeof *room); /* exactly what it asks for: the sanitizer sees a double more */
    assert_non_null(room);
    em_status status = emi_orthonormalise((emi_block){d, K, A}, signs, (emi_scratch){room, needs}, err);
    free(room);
    return status;
}

static double dot(const double *x, const double *y, int d)
{
    double sum = 0;
    for (int i = 0; i < d; i++) sum += x[i] * y[i];
    return sum;
}

static const struct {
    int d, K;
} sizes[] = {{1, 1}, {2, 2}, {7, 1}, {10, 4}, {33, 33}, {MOST, 70}};

/* Q is orthonormal, R = Q'A is upper triangular with a positive diagonal, and A = QR: A's columns lie in the span
 * of Q's, leading ones in that of leading ones. */
static void positive_signs_make_it_unique(void **state)
{
    (void)state;
    static double A[MOST * MOST], Q[MOST * MOST], R[MOST * MOST], again[MOST * MOST];
    em_error err = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int d = sizes[s].d, K = sizes[s].K;
        matrix_fill(A, (size_t)(d * K), s + 1);
        memcpy(Q, A, sizeof Q);
        assert_ok(orthonormalise(Q, d, K, EMI_QR_POSITIVE, &err), &err);
        assert_true(matrix_departure_from_orthonormal(Q, d, K) < 1e-13);
        for (int k = 0; k < K; k++)
            for (int l = 0; l < K; l++) R[k * K + l] = dot(Q + l * d, A + k * d, d);
        for (int k = 0; k < K; k++) {
            assert_true(R[k * K + k] > 0);
            for (int l = k + 1; l < K; l++) assert_true(fabs(R[k * K + l]) < 1e-12);
        }
        matrix_multiply(Q, R, again, d, K, K);
        for (int n = 0; n < d * K; n++) assert_close(again[n], A[n], 1e-12);
    }
}

static void free_signs_differ_by_signs_alone(void **state)
{
    (void)state;
    enum { D = 12, K = 5 };
    double positive[D * K], other[D * K];
    em_error err = {0};
    matrix_fill(positive, D * K, 3);
    memcpy(other, positive, sizeof other);
    assert_ok(orthonormalise(positive, D, K, EMI_QR_POSITIVE, &err), &err);
    assert_ok(orthonormalise(other, D, K, EMI_QR_FREE, &err), &err);
    int turned = 0;
    for (int k = 0; k < K; k++) {
        double along = dot(positive + k * D, other + k * D, D);
        assert_close(fabs(along), 1, 1e-14);
        turned += along < 0;
    }
    assert_true(turned > 0); /* LAPACK's reflections make diagonals negative more often than not */
}

/* What is orthonormal already stays, down to rounding. */
static void a_basis_stays_as_it_is(void **state)
{
    (void)state;
    enum { D = 20, K = 6 };
    double spectrum[D] = {0}, A[D * D], Q[D * D], before[D * D];
    em_error err = {0};
    matrix_of_spectrum(A, Q, D, spectrum, 5);
    memcpy(before, Q, sizeof Q);
    assert_ok(orthonormalise(Q, D, K, EMI_QR_POSITIVE, &err), &err);
    for (int n = 0; n < D * K; n++) assert_close(Q[n], before[n], 1e-14);
}

static void dependent_columns_still_give_a_basis(void **state)
{
    (void)state;
    enum { D = 8, K = 3 };
    double A[D * K];
    em_error err = {0};
    matrix_fill(A, D, 9);
    memcpy(A + D, A, sizeof *A * D);
    memset(A + 2 * D, 0, sizeof *A * D);
    assert_ok(orthonormalise(A, D, K, EMI_QR_POSITIVE, &err), &err);
    assert_true(matrix_departure_from_orthonormal(A, D, K) < 1e-13);
}

static void finds_the_leading_eigenpairs(void **state)
{
    (void)state;
    static double A[MOST * MOST], work[MOST * MOST], Q[MOST * MOST], vectors[MOST * MOST];
    double spectrum[MOST], values[MOST];
    em_error err = {0};
    const int dims[] = {1, 2, 3, 10, 64, MOST};
    for (size_t n = 0; n < sizeof dims / sizeof *dims; n++) {
        int d = dims[n], some[] = {1, (d + 1) / 2, d};
        for (int i = 0; i < d; i++) spectrum[i] = 5 - 6.0 * i / d; /* negative ones come last, not by size */
        matrix_of_spectrum(A, Q, d, spectrum, n);
        for (int s = 0; s < 3; s++) {
            int K = some[s];
            memcpy(work, A, sizeof A);
            assert_ok(emi_top_eigen(work, d, K, values, vectors, &err), &err);
            assert_true(matrix_departure_from_orthonormal(vectors, d, K) < 1e-12);
            for (int k = 0; k < K; k++) {
                assert_close(values[k], spectrum[k], 1e-13);
                assert_true(emi_sin2(d, vectors + k * d, Q + k * d) < 1e-22);
            }
        }
    }
}

/* A graded matrix holds small eigenvalues to all digits: D H D, H near I. */
static void refines_the_vectors_of_small_eigenvalues(void **state)
{
    (void)state;
    enum { D = 4 };
    double A[D * D], work[D * D], values[D], vectors[D * D];
    em_error err = {0};
    for (int j = 0; j < D; j++)
        for (int i = 0; i < D; i++) A[j * D + i] = (i == j ? 1 : 0.1) * pow(10, -4.0 * (i + j));
    memcpy(work, A, sizeof A);
    assert_ok(emi_top_eigen(work, D, D, values, vectors, &err), &err);
    assert_ok(emi_refine_eigen(A, D, NULL, values, vectors, &err), &err);
    /* By Schur complements, to first order in 1e-8: pivots of elimination, and v_3 = (0, 0, -a_23 / a_22, 1). */
    assert_close(values[0], 1, 1e-9);
    assert_close(values[1] / 1e-8, 0.99, 1e-7);
    assert_close(values[2] / 1e-16, 1 - 2 * 0.1 * 0.1 / 1.1, 1e-7);
    assert_close(values[3] / 1e-24, 1 - 3 * 0.1 * 0.1 / 1.2, 1e-7);
    assert_true(matrix_departure_from_orthonormal(vectors, D, D) < 1e-15);
    assert_close(fabs(vectors[3 * D + 2]) * 1e4, 0.1 / 1.2, 1e-7);
}

static void repeated_eigenvalues_give_their_space(void **state)
{
    (void)state;
    enum { D = 12 };
    const double spectrum[D] = {2, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0};
    double A[D * D], Q[D * D], values[5], vectors[D * 5];
    em_error err = {0};
    matrix_of_spectrum(A, Q, D, spectrum, 2);
    assert_ok(emi_top_eigen(A, D, 5, values, vectors, &err), &err);
    assert_true(matrix_departure_from_orthonormal(vectors, D, 5) < 1e-13);
    for (int k = 0; k < 5; k++) {
        double inside = 0; /* of the first three eigenvectors' space, or of the next two's */
        for (int l = k < 3 ? 0 : 3; l < (k < 3 ? 3 : 5); l++) inside += pow(dot(vectors + k * D, Q + l * D, D), 2);
        assert_close(values[k], spectrum[k], 1e-14);
        assert_close(inside, 1, 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positive_signs_make_it_unique),
        cmocka_unit_test(free_signs_differ_by_signs_alone),
        cmocka_unit_test(a_basis_stays_as_it_is),
        cmocka_unit_test(dependent_columns_still_give_a_basis),
        cmocka_unit_test(refines_the_vectors_of_small_eigenvalues),
        cmocka_unit_test(finds_the_leading_eigenpairs),
        cmocka_unit_test(repeated_eigenvalues_give_their_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
