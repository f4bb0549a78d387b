/* Bases that grow, polar factors, and whole spectra. */
#include "linalg/basis.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 40, MOST = 60 };

/* B (d x b) followed by room for R (d x n). */
static int extend(double *B, int d, int b, int n, double scale)
{
    int kept = -1;
    em_error err = {0};
    assert_ok(emi_extend_basis((emi_block){d, b, B}, (emi_block){d, n, B + b * d}, scale, &kept, &err), &err);
    return kept;
}

/* How far v lies outside the span of Q's orthonormal columns. */
static double outside(const double *v, const double *Q, int d, int count)
{
    double rest[MOST], norm = 0;
    memcpy(rest, v, sizeof *v * (size_t)d);
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < count; k++) {
            double along = 0;
            for (int i = 0; i < d; i++) along += Q[k * d + i] * rest[i];
            for (int i = 0; i < d; i++) rest[i] -= along * Q[k * d + i];
        }
    for (int i = 0; i < d; i++) norm += rest[i] * rest[i];
    return sqrt(norm);
}

/* Block after block until the space is full: orthonormal throughout, and what was given is inside. */
static void grows_until_the_space_is_full(void **state)
{
    (void)state;
    static double B[D * (D + 7)], given[D * 7];
    int size = 0;
    for (uint64_t turn = 0; size < D; turn++) {
        matrix_fill(given, D * 7, turn + 1);
        memcpy(B + size * D, given, sizeof given);
        int kept = extend(B, D, size, 7, 1e-8), room = D - size;
        assert_int_equal(kept, room < 7 ? room : 7);
        size += kept;
        assert_true(matrix_departure_from_orthonormal(B, D, size) < 1e-14);
        for (int k = 0; k < 7; k++) assert_true(outside(given + k * D, B, D, size) < 1e-13);
    }
    matrix_fill(B + size * D, D * 7, 99);
    assert_int_equal(extend(B, D, D, 7, 1e-8), 0); /* nothing is left to add */
}

/* Copies, sums, zeros, and what lies in the basis already add nothing, wherever they stand. */
static void dependent_columns_are_dropped(void **state)
{
    (void)state;
    static double B[D * 20];
    matrix_fill(B, D * 4, 1);
    assert_int_equal(extend(B, D, 0, 4, 1e-8), 4);
    double *R = B + 4 * D;
    matrix_fill(R, D * 9, 2);
    for (int i = 0; i < D; i++) {
        R[0 * D + i] = 0;
        R[2 * D + i] = R[1 * D + i];
        R[4 * D + i] = R[1 * D + i] - 3 * R[3 * D + i];
        R[5 * D + i] = B[i] - 2 * B[3 * D + i];
        R[6 * D + i] = R[3 * D + i] + B[D + i];
    }
    static double given[D * 9];
    memcpy(given, R, sizeof given);
    assert_int_equal(extend(B, D, 4, 9, 1e-8), 4); /* 1, 3, 7 and 8 */
    assert_true(matrix_departure_from_orthonormal(B, D, 8) < 1e-14);
    for (int k = 0; k < 9; k++) assert_true(outside(given + k * D, B, D, 8) < 1e-13);
}

/* Tiny columns count or not by the scale alone; what they add is orthonormal to the last digit all the same. */
static void the_scale_decides(void **state)
{
    (void)state;
    static double B[D * 12];
    for (int tiny = 0; tiny < 2; tiny++) {
        matrix_fill(B, D * 12, 5);
        assert_int_equal(extend(B, D, 0, 6, 1e-8), 6);
        for (int n = 6 * D; n < 12 * D; n++) B[n] = B[n - 6 * D] + 1e-9 * B[n]; /* almost in the basis */
        assert_int_equal(extend(B, D, 6, 6, tiny ? 1e-12 : 1e-6), tiny ? 6 : 0);
        assert_true(matrix_departure_from_orthonormal(B, D, tiny ? 12 : 6) < 1e-14);
    }
}

static void odd_shapes(void **state)
{
    (void)state;
    double one[2] = {-3, 5}, wide[2 * 5];
    assert_int_equal(extend(one, 1, 0, 2, 1e-8), 1);
    assert_true(fabs(one[0]) == 1);
    matrix_fill(wide, 10, 3);
    assert_int_equal(extend(wide, 2, 0, 5, 1e-8), 2);
    assert_true(matrix_departure_from_orthonormal(wide, 2, 2) < 1e-15);
    assert_int_equal(extend(wide, 2, 2, 0, 1e-8), 0);
    memset(wide, 0, sizeof wide);
    assert_int_equal(extend(wide, 2, 0, 5, 1e-300), 0);
}

/* A = U V' of A0 is orthonormal, and A'A0 = V Sigma V' symmetric and positive: no other orthonormal A does that. */
static void polar_factor(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {5, 1}, {5, 5}, {40, 3}, {60, 17}};
    static double A[MOST * MOST], A0[MOST * MOST], P[MOST * MOST], values[MOST];
    em_error err = {0};
    for (int s = 0; s < 5; s++) {
        int d = sizes[s][0], K = sizes[s][1];
        size_t needs = emi_polar_needs(d, K);
        double *room = malloc(needs * sizeof *room); /* exactly what it asks for */
        assert_non_null(room);
        matrix_fill(A0, (size_t)(d * K), (uint64_t)s + 1);
        memcpy(A, A0, sizeof A);
        assert_ok(emi_polar((emi_block){d, K, A}, (emi_scratch){room, needs}, &err), &err);
        free(room);
        assert_true(matrix_departure_from_orthonormal(A, d, K) < 1e-14);
        emi_mul_tn(1, (emi_block){d, K, A}, (emi_block){d, K, A0}, 0, (emi_block){K, K, P});
        for (int i = 0; i < K; i++)
            for (int j = 0; j < i; j++) assert_close(P[i * K + j], P[j * K + i], 1e-14);
        assert_ok(emi_all_eigen(P, K, values, &err), &err);
        assert_true(values[K - 1] > 0);
    }
}

/* What is orthonormal already stays: this is what keeps deepca's basis from turning. */
static void polar_factor_of_a_basis_is_itself(void **state)
{
    (void)state;
    static double Q[D * 5], A[D * 5];
    size_t needs = emi_polar_needs(D, 5);
    double *room = malloc(needs * sizeof *room);
    em_error err = {0};
    assert_non_null(room);
    matrix_fill(Q, D * 5, 4);
    assert_int_equal(extend(Q, D, 0, 5, 1e-8), 5);
    for (int n = 0; n < D * 5; n++) A[n] = 7 * Q[n];
    assert_ok(emi_polar((emi_block){D, 5, A}, (emi_scratch){room, needs}, &err), &err);
    for (int n = 0; n < D * 5; n++) assert_close(A[n], Q[n], 1e-14);
    free(room);
}

static void all_eigenpairs(void **state)
{
    (void)state;
    static double A[MOST * MOST], V[MOST * MOST], spectrum[MOST], values[MOST];
    const int sizes[] = {1, 2, 9, MOST};
    em_error err = {0};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        for (int k = 0; k < n; k++) spectrum[k] = k < 3 ? 2 : 1.0 / (k + 1) - 0.1 * (k == n - 1); /* 2, 2, 2, ... */
        if (n > 3) spectrum[n - 1] = -1;
        matrix_of_spectrum(A, NULL, n, spectrum, 3);
        memcpy(V, A, sizeof V);
        assert_ok(emi_all_eigen(V, n, values, &err), &err);
        assert_true(matrix_departure_from_orthonormal(V, n, n) < 1e-14);
        for (int k = 0; k < n; k++) {
            assert_close(values[k], spectrum[k], 1e-14);
            for (int i = 0; i < n; i++) {
                double product = 0;
                for (int j = 0; j < n; j++) product += A[j * n + i] * V[k * n + j];
                assert_close(product, values[k] * V[k * n + i], 1e-14);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_until_the_space_is_full),
        cmocka_unit_test(dependent_columns_are_dropped),
        cmocka_unit_test(the_scale_decides),
        cmocka_unit_test(odd_shapes),
        cmocka_unit_test(polar_factor),
        cmocka_unit_test(polar_factor_of_a_basis_is_itself),
        cmocka_unit_test(all_eigenpairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
