/* Kac's walk: a rotation, and one that leaves no axis recognisable. */
#include "lab/tables/generate.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Q, column by column: axes turned, in panels that are full but for the last. */
static double *columns_of(int dimensions, uint64_t seed)
{
    em_error err = {0};
    lab_walk walk;
    emi_random random = emi_random_seed(seed, EMI_STREAM_DATA);
    assert_ok(lab_walk_draw(&walk, dimensions, &random, &err), &err);
    size_t d = (size_t)dimensions;
    double *Q = malloc(d * d * sizeof *Q), *panel = malloc(d * LAB_WALK_LANES * sizeof *panel);
    assert_non_null(Q);
    assert_non_null(panel);
    for (size_t k = 0; k < d; k++) {
        size_t lane = k % LAB_WALK_LANES; /* whichever lane, the same arithmetic */
        memset(panel, 0, d * LAB_WALK_LANES * sizeof *panel);
        panel[k * LAB_WALK_LANES + lane] = 1;
        lab_walk_turn(&walk, panel);
        for (size_t f = 0; f < d; f++) Q[k * d + f] = panel[f * LAB_WALK_LANES + lane];
    }
    free(panel);
    lab_walk_free(&walk);
    assert_null(walk.turns);
    return Q;
}

static double dot(const double *x, const double *y, int d)
{
    double sum = 0;
    for (int f = 0; f < d; f++) sum += x[f] * y[f];
    return sum;
}

static void it_is_a_rotation(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 4, 17, 301};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        int d = sizes[n];
        double *Q = columns_of(d, n);
        for (int k = 0; k < d; k++)
            for (int l = 0; l <= k; l++) assert_close(dot(Q + k * d, Q + l * d, d), k == l, 1e-13);
        free(Q);
    }
}

/* Among d^2 entries of a uniformly random basis, each about N(0, 1 / d), the largest is about sqrt(2 ln(d^2)) / sqrt(d),
 * and the fourth powers of a column add up to 3 / (d + 2), give or take sqrt(96 / d) / d. */
static void columns_are_as_spread_as_random_ones(void **state)
{
    (void)state;
    enum { D = 800 };
    double *Q = columns_of(D, 1), largest = 0, mean = 0;
    for (int k = 0; k < D; k++) {
        double fourth = 0;
        for (int f = 0; f < D; f++) {
            largest = fmax(largest, fabs(Q[k * D + f]));
            fourth += pow(Q[k * D + f], 4);
        }
        assert_true(D * fourth > 3 - 6 * sqrt(96.0 / D) && D * fourth < 3 + 9 * sqrt(96.0 / D));
        mean += D * fourth / D;
    }
    assert_true(largest * sqrt(D) < sqrt(4 * log(D)) + 0.7);
    assert_close(mean / 3, 1, 0.02);
    free(Q);
}

/* Nor do rows or columns agree between seeds, or the basis with the axes. */
static void seeds_give_bases_of_their_own(void **state)
{
    (void)state;
    enum { D = 300 };
    double *Q = columns_of(D, 1), *again = columns_of(D, 1), *other = columns_of(D, 2), trace = 0;
    assert_memory_equal(Q, again, sizeof(double) * D * D);
    for (int k = 0; k < D; k++) {
        assert_true(fabs(dot(Q + k * D, other + k * D, D)) < 5 / sqrt(D));
        trace += Q[k * D + k];
    }
    assert_true(fabs(trace) < 5); /* of variance 1 for a random rotation, D for no rotation */
    free(other);
    free(again);
    free(Q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_rotation),
        cmocka_unit_test(columns_are_as_spread_as_random_ones),
        cmocka_unit_test(seeds_give_bases_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
