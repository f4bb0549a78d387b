/* Sketches of moments, and their bound. */
#include "data/accumulate.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/moments.h"

#include <math.h>
#include <stdlib.h>

/* x'Ax of a random unit vector. */
static double along(const double *A, size_t d, uint64_t seed)
{
    double *x = malloc(d * sizeof *x), square = 0, sum = 0;
    assert_non_null(x);
    matrix_fill(x, d, seed);
    for (size_t f = 0; f < d; f++) square += x[f] * x[f];
    for (size_t f = 0; f < d; f++)
        for (size_t g = 0; g < d; g++) sum += x[f] * A[f * d + g] * x[g] / square;
    free(x);
    return sum;
}

/* What is lacking is between nothing and the bound, in any direction; and squares are all there. */
static void check_bound(em_moments *m, const double *rows, const double *weights, size_t count)
{
    em_error err = {0};
    size_t d = em_moments_columns(m);
    double *mu = malloc((d + 2 * d * d) * sizeof *mu), *all = mu + d, *has = all + d * d, bound = 0;
    assert_non_null(mu);
    moments_truth(rows, weights, count, d, mu, all);
    assert_ok(em_moments_bound(m, &bound, &err), &err);
    assert_ok(em_moments_covariance(m, has, &err), &err);
    assert_true(bound > 0);
    for (size_t n = 0; n < d; n++)
        assert_close(m->sketch->squares[n] / emi_degrees(m->weight, m->squared), all[n * d + n], 1e-12);
    for (size_t n = 0; n < d * d; n++) all[n] -= has[n];
    for (uint64_t seed = 0; seed < 200; seed++) {
        double lacks = along(all, d, seed);
        assert_true(lacks >= -1e-12 && lacks <= bound * (1 + 1e-12));
    }
    free(mu);
}

static void sketches_lack_no_more_than_their_bound(void **state)
{
    (void)state;
    enum { WIDE = 60, MANY = 900, DIRECTIONS = 12 };
    em_error err = {0};
    double *rows = moments_rows(MANY, WIDE, 12), weights[MANY];
    for (int way = 0; way < 3; way++) {
        em_moments *m = NULL, *other = NULL;
        assert_ok(em_moments_create_sketch(&m, WIDE, DIRECTIONS, &err), &err);
        assert_ok(em_moments_create_sketch(&other, WIDE, DIRECTIONS, &err), &err);
        for (size_t r = 0; r < MANY; r += 30) {
            moments_add(way == 1 && r % 60 ? other : m, rows + r * WIDE, EM_F64, 30, WIDE);
            if (way == 2) assert_ok(em_moments_forget(m, 0.95, &err), &err);
        }
        for (size_t r = 0; r < MANY; r++) weights[r] = pow(0.95, (double)(MANY / 30 - r / 30));
        assert_ok(em_moments_merge(m, other, &err), &err);
        assert_int_equal(em_moments_rows(m), MANY);
        check_bound(m, rows, way == 2 ? weights : NULL, MANY);
        em_moments_free(&other);
        em_moments_free(&m);
    }
    free(rows);
}

/* More features than are turned at a time, and than M2 could be held of. */
static void sketches_of_many_features(void **state)
{
    (void)state;
    enum { WIDE = 9001, MANY = 60, DIRECTIONS = 7 };
    em_error err = {0};
    double *rows = moments_rows(MANY, WIDE, 15), *mean = calloc(2 * WIDE, sizeof *mean), *x = mean + WIDE, bound = 0;
    em_moments *m = NULL;
    assert_non_null(mean);
    assert_ok(em_moments_create_sketch(&m, WIDE, DIRECTIONS, &err), &err);
    moments_add(m, rows, EM_F64, MANY, WIDE);
    assert_ok(em_moments_bound(m, &bound, &err), &err);
    for (size_t n = 0; n < (size_t)MANY * WIDE; n++) mean[n % WIDE] += rows[n] / MANY;
    for (int t = 0; t < 20; t++) { /* along the first rows, where there is most, and along any */
        double all = 0, has = 0, square = 0;
        matrix_fill(x, WIDE, (uint64_t)t);
        for (size_t f = 0; f < WIDE && t < 10; f++) x[f] = rows[(size_t)t * WIDE + f] - mean[f];
        for (size_t f = 0; f < WIDE; f++) square += x[f] * x[f];
        for (size_t r = 0; r < MANY; r++) {
            double score = 0;
            for (size_t f = 0; f < WIDE; f++) score += x[f] * (rows[r * WIDE + f] - mean[f]);
            all += score * score / square / (MANY - 1);
        }
        for (int r = 0; r < m->sketch->held; r++) {
            double score = 0;
            for (size_t f = 0; f < WIDE; f++) score += x[f] * m->sketch->rows[(size_t)r * WIDE + f];
            has += score * score / square / (MANY - 1);
        }
        assert_true(bound > 0 && all - has >= -1e-9 * all && all - has <= bound * (1 + 1e-9));
    }
    em_moments_free(&m);
    free(mean);
    free(rows);
}

/* Rows of no more directions than it holds are all there. */
static void a_sketch_of_few_directions_lacks_nothing(void **state)
{
    (void)state;
    enum { WIDE = 40, MANY = 300, RANK = 5 };
    em_error err = {0};
    double *rows = calloc((size_t)MANY * WIDE, sizeof *rows), *scores = moments_rows(MANY, RANK, 13), turn[RANK * WIDE],
           bound = 1;
    assert_non_null(rows);
    matrix_fill(turn, (size_t)RANK * WIDE, 14);
    for (size_t r = 0; r < MANY; r++)
        for (size_t f = 0; f < WIDE; f++)
            for (size_t k = 0; k < RANK; k++) rows[r * WIDE + f] += scores[r * RANK + k] * turn[k * WIDE + f];
    em_moments *m = NULL;
    assert_ok(em_moments_create_sketch(&m, WIDE, RANK + 3, &err), &err);
    moments_add(m, rows, EM_F64, MANY, WIDE);
    assert_ok(em_moments_bound(m, &bound, &err), &err);
    assert_true(bound < 1e-12);
    moments_check(m, rows, NULL, MANY, 1e-12);
    em_moments_free(&m);
    free(scores);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketches_lack_no_more_than_their_bound),
        cmocka_unit_test(sketches_of_many_features),
        cmocka_unit_test(a_sketch_of_few_directions_lacks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
