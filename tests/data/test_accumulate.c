/* Moments: of batches in any shape, of weights, of hard streams and of values that cannot be.  Truth is a sum in long double over
 * all rows. */
#include "data/accumulate.h"
#include "data/rounding.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/moments.h"
#include "support/sparse.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 9, ROWS = 400 };

/* ---- exact -------------------------------------------------------------------------------------------------------------------- */

static void any_batches_give_the_same_bits(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static const size_t sizes[] = {1, 7, 128, 1000, MANY};
    double *rows = moments_rows(MANY, D, 3), first[D * D], other[D * D];
    em_error err = {0};
    for (int n = 0; n < 5; n++)
        for (int threads = 1; threads <= 3; threads += 2) {
            em_moments *m = moments_create(D);
            assert_ok(em_moments_set_threads(m, threads, &err), &err);
            for (size_t at = 0; at < MANY; at += sizes[n])
                moments_add(m, rows + at * D, EM_F64, MANY - at < sizes[n] ? MANY - at : sizes[n], D);
            assert_ok(em_moments_covariance(m, n == 0 && threads == 1 ? first : other, &err), &err);
            if (n > 0 || threads > 1) assert_memory_equal(first, other, sizeof first);
            moments_check(m, rows, NULL, MANY, 1e-14);
            em_moments_free(&m);
        }
    free(rows);
}

static void a_mean_of_1e8_deviations(void **state)
{
    (void)state;
    enum { MANY = SANITIZED ? 20000 : 1000000, FEW = 3 };
    double *rows = malloc((size_t)MANY * FEW * sizeof *rows), one[FEW];
    assert_non_null(rows);
    matrix_fill(rows, (size_t)MANY * FEW, 8);
    for (size_t n = 0; n < (size_t)MANY * FEW; n++) rows[n] = 1e8 * (double)(n % FEW + 1) + rows[n] * sqrt(3);
    em_moments *m = moments_create(FEW);
    for (size_t r = 0; r < MANY; r++) { /* a batch of one row each */
        memcpy(one, rows + r * FEW, sizeof one);
        moments_add(m, one, EM_F64, 1, FEW);
    }
    assert_int_equal(em_moments_rows(m), MANY);
    moments_check(m, rows, NULL, MANY, 1e-12); /* 1e-8 is asked for */
    em_moments_free(&m);
    free(rows);
}

static void types_of_numbers(void **state)
{
    (void)state;
    double *rows = moments_rows(ROWS, D, 4);
    float *narrow = malloc(sizeof *narrow * ROWS * D);
    int16_t *whole = malloc(sizeof *whole * ROWS * D);
    assert_non_null(narrow);
    assert_non_null(whole);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) {
        whole[n] = (int16_t)(rows[n] * 100);
        narrow[n] = (float)whole[n] / 8;
    }
    em_moments *m = moments_create(D);
    moments_add(m, whole, EM_I16, ROWS, D);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) rows[n] = whole[n];
    moments_check(m, rows, NULL, ROWS, 1e-14);
    em_moments_free(&m);
    m = moments_create(D);
    moments_add(m, narrow, EM_F32, ROWS, D);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) rows[n] = (double)narrow[n];
    moments_check(m, rows, NULL, ROWS, 8 * FLT_EPSILON);
    assert_true(m->single);
    em_moments_free(&m);
    for (size_t n = 0; n < (size_t)ROWS * D; n++) rows[n] = (double)(narrow[n] *= 0x1p40F);
    m = moments_create(D); /* whose squares are no floats */
    moments_add(m, narrow, EM_F32, ROWS, D);
    moments_check(m, rows, NULL, ROWS, 1e-14);
    assert_false(m->single);
    em_moments_free(&m);
    free(whole);
    free(narrow);
    free(rows);
}

/* How far an entry is off what it should be, beside the deviations of both features. */
static double worst_loss(em_moments *m, const double *rows, size_t count, size_t d)
{
    em_error err = {0};
    double *wanted = malloc((2 * d * d + d) * sizeof *wanted), *got = wanted + d * d, *mean = got + d * d, worst = 0;
    assert_non_null(wanted);
    moments_truth(rows, NULL, count, d, mean, wanted);
    assert_ok(em_moments_covariance(m, got, &err), &err);
    for (size_t f = 0; f < d; f++)
        for (size_t g = 0; g < d; g++) {
            double deviations = sqrt(wanted[f * d + f] * wanted[g * d + g]);
            worst = fmax(worst, fabs(got[f * d + g] - wanted[f * d + g]) / deviations);
        }
    free(wanted);
    return worst;
}

/* What a fit of floats allows for is no less than what was lost, also where all rows lose alike, and not much more; of doubles it allows
 * for a formed covariance's rounding beside it. */
static void what_is_lost_is_allowed_for(void **state)
{
    (void)state;
    enum { WIDE = 40, MOST = SANITIZED ? 3000 : 20000 };
    static const size_t counts[] = {60, 300, 1000, 3000, 20000};
    float *narrow = malloc(sizeof *narrow * MOST * WIDE);
    double most = 0;
    assert_non_null(narrow);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        double *rows = moments_rows(MOST, WIDE, seed);
        for (size_t n = 0; n < (size_t)MOST * WIDE; n++) { /* any values, or few whole numbers */
            double value =
                seed % 2 ? rows[n] + 3 : 1000 + floor((rows[n] - (double)(n % WIDE)) / pow(0.8, (double)(n % WIDE)));
            rows[n] = (double)(narrow[n] = (float)value);
        }
        for (size_t c = 0; c < sizeof counts / sizeof *counts && counts[c] <= MOST; c++) {
            em_moments *single = moments_create(WIDE), *wide = moments_create(WIDE);
            moments_add(single, narrow, EM_F32, counts[c], WIDE);
            moments_add(wide, rows, EM_F64, counts[c], WIDE);
            double lost = worst_loss(single, rows, counts[c], WIDE) / emi_moments_rounding(single);
            assert_true(single->single && lost <= 1);
            most = fmax(most, lost);
            assert_true(worst_loss(wide, rows, counts[c], WIDE) <= EMI_ROUNDING + emi_moments_rounding(wide));
            em_moments_free(&wide);
            em_moments_free(&single);
        }
        free(rows);
    }
    printf("floats lose up to %.2g of what is allowed for\n", most);
    assert_true(most > 0.1);
    free(narrow);
}

static void sparse_rows(void **state)
{
    (void)state;
    em_error err = {0};
    sparse_table t = sparse_make((sparse_plan){ROWS, D, 0.3, EM_F64, EM_I32, 1, 5});
    em_data *sparse = sparse_open(&t), *dense = sparse_open_dense(&t);
    double *rows = malloc(sizeof *rows * ROWS * D);
    assert_non_null(rows);
    assert_ok(em_data_read(dense, 0, ROWS, rows, &err), &err);
    em_moments *m = moments_create(D);
    assert_ok(em_moments_update(m, sparse, &err), &err);
    moments_check(m, rows, NULL, ROWS, 1e-14);
    em_moments_free(&m);
    free(rows);
    em_data_free(&sparse);
    em_data_free(&dense);
    sparse_free(&t);
}

/* Weights that fall with every batch; and a window: a ring of accumulators, of which the oldest is dropped. */
static void forgetting_and_windows(void **state)
{
    (void)state;
    enum { BATCH = 40, BATCHES = 10, WINDOW = 4 };
    em_error err = {0};
    double *rows = moments_rows(BATCH * BATCHES, D, 6), weights[BATCH * BATCHES], factor = 0.7;
    em_moments *m = moments_create(D), *ring[WINDOW] = {0}, *now = moments_create(D);
    for (size_t b = 0; b < BATCHES; b++) {
        assert_ok(em_moments_forget(m, b ? factor : 1, &err), &err);
        moments_add(m, rows + b * BATCH * D, EM_F64, BATCH, D);
        em_moments_free(&ring[b % WINDOW]);
        ring[b % WINDOW] = moments_create(D);
        moments_add(ring[b % WINDOW], rows + b * BATCH * D, EM_F64, BATCH, D);
    }
    for (size_t r = 0; r < (size_t)BATCH * BATCHES; r++) weights[r] = pow(factor, (double)(BATCHES - 1 - r / BATCH));
    moments_check(m, rows, weights, BATCH * BATCHES, 1e-14);
    assert_int_equal(em_moments_rows(m), BATCH * BATCHES);
    assert_close(em_moments_weight(m), BATCH * (1 - pow(factor, BATCHES)) / (1 - factor), 1e-14);
    for (int w = 0; w < WINDOW; w++) {
        assert_ok(em_moments_merge(now, ring[w], &err), &err);
        em_moments_free(&ring[w]);
    }
    moments_check(now, rows + (size_t)BATCH * (BATCHES - WINDOW) * D, NULL, BATCH * WINDOW, 1e-14);
    em_moments_free(&now);
    em_moments_free(&m);
    free(rows);
}

static void rows_that_are_few_or_the_same(void **state)
{
    (void)state;
    em_error err = {0};
    double rows[3 * 2] = {0.1, 7, 0.1, 9, 0.1, 8}, mean[2], C[4];
    em_moments *m = moments_create(2), *none = moments_create(2);
    assert_fails(em_moments_mean(m, mean, &err), EM_EDATA, "of no rows", &err);
    assert_ok(em_moments_forget(m, 0.5, &err), &err);
    assert_ok(em_moments_merge(m, none, &err), &err);
    moments_add(m, rows, EM_F64, 1, 2);
    assert_ok(em_moments_covariance(m, C, &err), &err);
    assert_true(C[0] == 0 && C[3] == 0); /* as of one row */
    moments_add(m, rows + 2, EM_F64, 2, 2);
    assert_ok(em_moments_covariance(m, C, &err), &err);
    assert_ok(em_moments_mean(m, mean, &err), &err);
    assert_true(mean[0] == 0.1 && C[0] == 0 && C[1] == 0);
    assert_close(C[3], 1, 1e-15);
    assert_ok(em_moments_merge(none, m, &err), &err); /* into an empty one */
    assert_ok(em_moments_covariance(none, C, &err), &err);
    assert_close(C[3], 1, 1e-15);
    double before = em_moments_weight(m);
    assert_fails(em_moments_forget(m, 1e-160, &err), EM_EINVAL, "would leave less of the rows than doubles hold", &err);
    assert_true(em_moments_weight(m) == before);
    em_moments_free(&none);
    em_moments_free(&m);
}

/* ---- refused ------------------------------------------------------------------------------------------------------------------- */

static void refused(em_moments *m, const double *rows, size_t count, em_missing missing, em_status code,
                    const char *words)
{
    em_error err = {0};
    em_data *data = moments_table(rows, EM_F64, count, D);
    assert_ok(emi_data_missing(data, missing, &err), &err);
    assert_fails(em_moments_update(m, data, &err), code, words, &err);
    em_data_free(&data);
}

static void a_bad_row_adds_nothing(void **state)
{
    (void)state;
    enum { MANY = 2500, BAD = 2222 };
    em_error err = {0};
    double *rows = moments_rows(MANY, D, 7), before[D * D], after[D * D], *bad = &rows[(size_t)BAD * D + 4];
    em_moments *m = moments_create(D);
    moments_add(m, rows, EM_F64, 100, D);
    assert_ok(em_moments_covariance(m, before, &err), &err);
    *bad = NAN;
    refused(m, rows, MANY, EM_MISSING_ERROR, EM_EDATA, "row 2222, column 4 (from 0) is not a number");
    refused(m, rows, MANY, EM_MISSING_MEAN, EM_EDATA,
            "row 2222, column 4 (from 0) is missing, and moments take whole rows");
    *bad = INFINITY;
    refused(m, rows, MANY, EM_MISSING_ERROR, EM_EDATA, "row 2222, column 4 (from 0) is infinite");
    *bad = 1e200;
    refused(m, rows, MANY, EM_MISSING_ERROR, EM_EDATA,
            "row 2222, column 4 (from 0) is so large that sums of its square");
    for (size_t n = 0; n < (size_t)MANY * D; n++) rows[n] = 1e-200;
    refused(m, rows, MANY, EM_MISSING_ERROR, EM_EDATA, "sums of such squares are no doubles");
    assert_int_equal(em_moments_rows(m), 100);
    assert_ok(em_moments_covariance(m, after, &err), &err);
    assert_memory_equal(before, after, sizeof before);
    em_moments_free(&m);
    free(rows);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    em_error err = {0};
    double rows[2 * D] = {0};
    em_moments *m = moments_create(D), *other = moments_create(D + 1), *sketch = NULL;
    assert_fails(em_moments_create(&sketch, 0, &err), EM_EINVAL, "of no columns", &err);
    assert_fails(em_moments_create(&sketch, 5001, &err), EM_ENOTSUP, "up to 5000; try keeping the rows", &err);
    assert_fails(em_moments_create_sketch(&sketch, 5, 0, &err), EM_EINVAL, "none of them", &err);
    assert_fails(em_moments_create_sketch(&sketch, 5, 6, &err), EM_EINVAL, "6 of them, and there are 5 features", &err);
    assert_null(sketch);
    assert_fails(em_moments_merge(m, other, &err), EM_EDATA, "has 10 columns, where the moments are of 9", &err);
    assert_fails(em_moments_merge(m, m, &err), EM_EINVAL, "merged with themselves", &err);
    assert_ok(em_moments_create_sketch(&sketch, D, 3, &err), &err);
    assert_fails(em_moments_merge(m, sketch, &err), EM_EINVAL, "with 3 directions, and these are with 0", &err);
    for (int n = 0; n < 3; n++)
        assert_fails(em_moments_forget(m, (const double[]){0, 1.5, NAN}[n], &err), EM_EINVAL, "a factor of", &err);
    assert_fails(em_moments_set_threads(m, -1, &err), EM_EINVAL, "threads: -1", &err);
    em_data *data = moments_table(rows, EM_F64, 2, D);
    assert_ok(em_data_set_column_names(data, (const char *const[]){"a", "b", "c", "d", "e", "f", "g", "h", "i"}, &err),
              &err);
    assert_ok(em_moments_update(m, data, &err), &err);
    assert_string_equal(em_moments_column_name(m, 8), "i");
    assert_null(em_moments_column_name(m, 9));
    assert_ok(em_data_set_column_names(data, (const char *const[]){"a", "c", "b", "d", "e", "f", "g", "h", "i"}, &err),
              &err);
    assert_fails(em_moments_update(m, data, &err), EM_EDATA,
                 "column 1 (from 0) is called 'c', where the moments have 'b'", &err);
    em_data_free(&data);
    em_moments_free(&sketch);
    em_moments_free(&other);
    em_moments_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_batches_give_the_same_bits),
        cmocka_unit_test(a_mean_of_1e8_deviations),
        cmocka_unit_test(types_of_numbers),
        cmocka_unit_test(what_is_lost_is_allowed_for),
        cmocka_unit_test(sparse_rows),
        cmocka_unit_test(forgetting_and_windows),
        cmocka_unit_test(rows_that_are_few_or_the_same),
        cmocka_unit_test(a_bad_row_adds_nothing),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
