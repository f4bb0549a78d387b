/* The ends of a tridiagonal matrix's spectrum, against closed forms and LAPACK. */
#include "base/random.h"
#include "linalg/tridiagonal.h"
#include "support/check.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { ROWS = 300 };

static const double pi = 3.14159265358979323846;

static emi_tridiagonal make(const double *diagonal, const double *beside, int rows)
{
    emi_tridiagonal T = {0};
    em_error err = {0};
    for (int i = 0; i < rows; i++) assert_ok(emi_tridiagonal_append(&T, diagonal[i], beside[i], &err), &err);
    assert_int_equal(T.rows, rows);
    return T;
}

/* 2 on the diagonal and -1 beside it: 2 - 2 cos(k pi / (n + 1)); every younger T is another such matrix. */
static void second_differences(void **state)
{
    (void)state;
    double diagonal[ROWS], beside[ROWS];
    for (int i = 0; i < ROWS; i++) diagonal[i] = 2, beside[i] = -1;
    emi_tridiagonal T = make(diagonal, beside, ROWS);
    for (int rows = 1; rows <= ROWS; rows++) {
        emi_ends ends = emi_tridiagonal_ends(&T, rows);
        assert_close(ends.low, 2 - 2 * cos(pi / (rows + 1)), 4e-15);
        assert_close(ends.high, 2 + 2 * cos(pi / (rows + 1)), 4e-15);
    }
    emi_tridiagonal_free(&T);
    emi_tridiagonal_free(&T);
}

static void check_random(uint64_t seed, double size, double away)
{
    double diagonal[ROWS], beside[ROWS], values[ROWS], off[ROWS];
    emi_random random = emi_random_seed(seed, EMI_STREAM_DATA);
    int rows = 1 + (int)emi_random_below(&random, ROWS);
    for (int i = 0; i < rows; i++) {
        diagonal[i] = away + size * (emi_random_uniform(&random) - 0.5);
        beside[i] = emi_random_below(&random, 10) ? size * emi_random_uniform(&random) : 0; /* some fall apart */
    }
    emi_tridiagonal T = make(diagonal, beside, rows);
    memcpy(values, diagonal, sizeof values);
    memcpy(off, beside + 1, sizeof off - sizeof *off);
    assert_int_equal(LAPACKE_dsterf(rows, values, off), 0);
    emi_ends ends = emi_tridiagonal_ends(&T, rows);
    double error = 1e-14 * (fabs(away) + size);
    assert_close(ends.low, values[0], error);
    assert_close(ends.high, values[rows - 1], error);
    emi_tridiagonal_free(&T);
}

static void as_LAPACK_finds_them(void **state)
{
    (void)state;
    const double sizes[] = {1, 1e-8, 1e150, 1e-150}, away[] = {0, 1, -3e150, 0};
    for (uint64_t seed = 0; seed < 50; seed++)
        for (int s = 0; s < 4; s++) check_random(seed, sizes[s], away[s]);
}

static void a_single_row_and_zeros(void **state)
{
    (void)state;
    const double one[] = {-0.7, 0, 0}, nothing[] = {9, 0, 0};
    emi_tridiagonal T = make(one, nothing, 3);
    emi_ends ends = emi_tridiagonal_ends(&T, 1);
    assert_true(ends.low == -0.7 && ends.high == -0.7); /* beside[0] links to nothing */
    ends = emi_tridiagonal_ends(&T, 3);
    assert_close(ends.low, -0.7, 1e-15);
    assert_close(ends.high, 0, 1e-15);
    emi_tridiagonal_free(&T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_differences), cmocka_unit_test(as_LAPACK_finds_them),
                                       cmocka_unit_test(a_single_row_and_zeros)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
