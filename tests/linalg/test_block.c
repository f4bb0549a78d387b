/* Products, Sanger's direction and angles, against plain loops. */
#include "linalg/block.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <string.h>

enum { ROOM = 40 * 40 };

static void check_equal(const double *got, const double *wanted, int count)
{
    for (int n = 0; n < count; n++) assert_close(got[n], wanted[n], 1e-13);
}

static const struct {
    int n, m, k;
} sizes[] = {{1, 1, 1}, {5, 3, 2}, {1, 7, 4}, {40, 1, 6}, {17, 40, 1}, {40, 39, 38}};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void products_are_those_of_plain_loops(void **state)
{
    (void)state;
    static double A[ROOM], B[ROOM], C[ROOM], C0[ROOM], wanted[ROOM];
    for (int s = 0; s < SIZES; s++) {
        int n = sizes[s].n, m = sizes[s].m, k = sizes[s].k;
        matrix_fill(A, ROOM, 1), matrix_fill(B, ROOM, 2), matrix_fill(C0, ROOM, 3);
        memcpy(C, C0, sizeof C);
        matrix_multiply(A, B, wanted, n, m, k);
        for (int t = 0; t < n * k; t++) wanted[t] = 2 * wanted[t] - 0.5 * C0[t];
        emi_mul(2, (emi_block){n, m, A}, (emi_block){m, k, B}, -0.5, (emi_block){n, k, C});
        check_equal(C, wanted, n * k);
        assert_memory_equal(C + n * k, C0 + n * k, sizeof *C * (size_t)(ROOM - n * k)); /* and nothing beyond */
    }
}

static void transposed_products_too(void **state)
{
    (void)state;
    static double A[ROOM], At[ROOM], B[ROOM], C[ROOM], wanted[ROOM];
    for (int s = 0; s < SIZES; s++) {
        int n = sizes[s].n, m = sizes[s].m, k = sizes[s].k;
        matrix_fill(A, ROOM, 4), matrix_fill(B, ROOM, 5);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) At[i * n + j] = A[j * m + i];
        matrix_multiply(At, B, wanted, n, m, k);
        for (int t = 0; t < n * k; t++) C[t] = NAN; /* beta = 0 does not look at what was there */
        emi_mul_tn(1, (emi_block){m, n, A}, (emi_block){m, k, B}, 0, (emi_block){n, k, C});
        check_equal(C, wanted, n * k);
    }
}

static void upper_triangle_is_kept(void **state)
{
    (void)state;
    double T[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const double wanted[] = {1, 0, 0, 4, 5, 0, 7, 8, 9};
    emi_keep_upper((emi_block){3, 3, T});
    assert_memory_equal(T, wanted, sizeof T);
    assert_ptr_equal(emi_column_of((emi_block){3, 3, T}, 2), T + 6);
}

/* H(X)_k = C x_k - sum_{l <= k} x_l (x_l' C x_k), entry by entry. */
static void naive_sanger(const double *C, const double *X, double *H, int d, int K)
{
    static double CX[ROOM];
    matrix_multiply(C, X, CX, d, d, K);
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < d; i++) H[k * d + i] = CX[k * d + i];
        for (int l = 0; l <= k; l++) {
            double along = 0;
            for (int i = 0; i < d; i++) along += X[l * d + i] * CX[k * d + i];
            for (int i = 0; i < d; i++) H[k * d + i] -= along * X[l * d + i];
        }
    }
}

static void sanger_is_the_formula(void **state)
{
    (void)state;
    static double C[ROOM], X[ROOM], H[ROOM], wanted[ROOM];
    double spectrum[12], scratch[12 * 12];
    for (int d = 1; d <= 12; d += d < 3 ? 1 : 3)
        for (int K = 1; K <= d; K++) {
            for (int i = 0; i < d; i++) spectrum[i] = 1.0 / (1 + i);
            matrix_of_spectrum(C, NULL, d, spectrum, 8);
            matrix_fill(X, (size_t)(d * K), (uint64_t)K);
            naive_sanger(C, X, wanted, d, K);
            matrix_multiply(C, X, H, d, d, K);
            emi_sanger((emi_block){d, K, X}, (emi_block){d, K, H}, (emi_scratch){scratch, (size_t)(K * K)});
            check_equal(H, wanted, d * K);
        }
}

/* Leading eigenvectors in order are where it comes to rest; in another order they are not, since what is found
 * first must not be disturbed by what comes after. */
static void sanger_rests_at_the_eigenvectors(void **state)
{
    (void)state;
    enum { D = 9, K = 4 };
    double spectrum[D], C[D * D], Q[D * D], H[D * K], scratch[K * K];
    for (int i = 0; i < D; i++) spectrum[i] = pow(0.7, i);
    matrix_of_spectrum(C, Q, D, spectrum, 3);
    matrix_multiply(C, Q, H, D, D, K);
    emi_sanger((emi_block){D, K, Q}, (emi_block){D, K, H}, (emi_scratch){scratch, K * K});
    for (int n = 0; n < D * K; n++) assert_true(fabs(H[n]) < 1e-14);

    double basis[D * K]; /* the same plane, but a basis that is not the eigenvectors */
    memcpy(basis, Q, sizeof basis);
    for (int i = 0; i < D; i++) {
        basis[i] = (Q[i] + Q[D + i]) / sqrt(2);
        basis[D + i] = (Q[i] - Q[D + i]) / sqrt(2);
    }
    matrix_multiply(C, basis, H, D, D, K);
    emi_sanger((emi_block){D, K, basis}, (emi_block){D, K, H}, (emi_scratch){scratch, K * K});
    assert_true(emi_norm(D, H) > 0.1);
}

static void small_angles_keep_their_digits(void **state)
{
    (void)state;
    enum { D = 50 };
    double spectrum[D], A[D * D], Q[D * D], x[D];
    for (int i = 0; i < D; i++) spectrum[i] = 1;
    matrix_of_spectrum(A, Q, D, spectrum, 11);
    const double *q = Q, *across = Q + D;
    for (double angle = 1e-2; angle > 1e-13; angle /= 10) {
        for (int i = 0; i < D; i++) x[i] = 3 * (cos(angle) * q[i] + sin(angle) * across[i]);
        double sin2 = sin(angle) * sin(angle), got = emi_sin2(D, x, q);
        assert_true(fabs(got - sin2) <= 1e-15 * angle + 1e-31);
    }
    for (int i = 0; i < D; i++) x[i] = q[i] + 1e-12 * across[i];
    assert_close(emi_sin2(D, x, q) * 1e24, 1, 1e-2);
}

static void angles_at_the_ends(void **state)
{
    (void)state;
    const double x[] = {0, -2, 0}, q[] = {0, 1, 0}, across[] = {0, 0, 1}, zero[] = {0, 0, 0}, half[] = {0, 1, 1};
    assert_true(emi_sin2(3, x, q) == 0); /* the sign does not matter */
    assert_true(emi_sin2(3, x, across) == 1);
    assert_true(emi_sin2(3, zero, q) == 1); /* what points nowhere is as wrong as can be */
    assert_close(emi_sin2(3, half, q), 0.5, 1e-15);
    const double huge[] = {0, 3e200, 0}, tiny[] = {4e-200, 0, 3e-200};
    assert_true(emi_sin2(3, huge, q) == 0);
    assert_close(emi_norm(3, huge) / 1e200, 3, 1e-15);
    assert_close(emi_norm(3, tiny) * 1e200, 5, 1e-15);
}

/* The first entry of largest magnitude, wherever it is, with lanes full or not. */
static void direction_is_that_of_the_largest_entry(void **state)
{
    (void)state;
    enum { LONGEST = 37 };
    for (int d = 1; d <= LONGEST; d++)
        for (int at = 0; at < d; at++)
            for (int tie = at; tie < d; tie++) {
                double x[LONGEST];
                for (int n = 0; n < d; n++) x[n] = n % 3 - 1; /* of either sign, and zeros */
                x[tie] = 2;
                x[at] = -2;
                assert_true(emi_points_down(d, x));
                for (int n = 0; n < d; n++) x[n] = -x[n];
                assert_false(emi_points_down(d, x));
            }
    assert_false(emi_points_down(3, (double[]){0, 0, 0}));
}

/* Lengths whose squares are no numbers are lengths all the same. */
static void lengths_of_any_size(void **state)
{
    (void)state;
    for (int order = -305; order <= 305; order += 5) {
        double unit = pow(10, order), x[5] = {2 * unit, -4 * unit, 5 * unit, 6 * unit, 0};
        assert_close(emi_norm(5, x) / unit, 9, 1e-14);
    }
    assert_true(emi_norm(2, (double[]){0, 0}) == 0);
    assert_true(isnan(emi_norm(2, (double[]){NAN, 1})));
    assert_true(isinf(emi_norm(2, (double[]){INFINITY, 1})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_plain_loops),
        cmocka_unit_test(transposed_products_too),
        cmocka_unit_test(upper_triangle_is_kept),
        cmocka_unit_test(sanger_is_the_formula),
        cmocka_unit_test(sanger_rests_at_the_eigenvectors),
        cmocka_unit_test(small_angles_keep_their_digits),
        cmocka_unit_test(angles_at_the_ends),
        cmocka_unit_test(direction_is_that_of_the_largest_entry),
        cmocka_unit_test(lengths_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
