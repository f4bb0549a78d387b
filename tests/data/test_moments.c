/* Sums over a shard's rows, against plain loops; and where values that are no numbers are found. */
#include "data/moments.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More rows than one block of the sums holds, at 8 columns. */
enum { ROWS = 9000, D = 8 };

typedef struct fixture {
    double *values;
    em_data *data;
    em_shards *shards;
    emi_scratch scratch; /* exactly what is asked for: the sanitizer sees a double more */
} fixture;

static fixture open_table(size_t rows, int d, const char *split)
{
    fixture f = {.values = malloc(rows * (size_t)d * sizeof(double))};
    em_error err = {0};
    assert_non_null(f.values);
    matrix_fill_table(f.values, rows, d, 1);
    assert_ok(em_data_from_array(&f.data, f.values, EM_F64, rows, (size_t)d, 0, 0, &err), &err);
    assert_ok(em_shards_split(&f.shards, f.data, 2, split, 3, &err), &err);
    f.scratch.count = emi_moments_needs(d);
    f.scratch.v = malloc(f.scratch.count * sizeof(double));
    assert_non_null(f.scratch.v);
    return f;
}

static void close_table(fixture *f)
{
    free(f->scratch.v);
    em_shards_free(&f->shards);
    em_data_free(&f->data);
    free(f->values);
}

/* Row r of a shard, where it lies in the table. */
static const double *row_of(const fixture *f, int node, size_t r, int d)
{
    const emi_shard *shard = &f->shards->shard[node];
    size_t row = shard->order ? shard->order[shard->first + r] : shard->first + r;
    return f->values + row * (size_t)d;
}

static void sums_and_extremes_are_those_of_plain_loops(void **state)
{
    (void)state;
    const char *const splits[] = {"contiguous", "shuffle", "sizes:8999,1"};
    em_error err = {0};
    for (int s = 0; s < 3; s++) {
        fixture f = open_table(ROWS, D, splits[s]);
        for (int node = 0; node < 2; node++) {
            double found[EMI_SURVEY * D];
            assert_ok(emi_survey(&f.shards->shard[node], NULL, found, NULL, f.scratch, &err), &err);
            for (int c = 0; c < D; c++) {
                long double wanted = 0;
                double highest = -INFINITY, lowest = INFINITY;
                for (size_t r = 0; r < em_shards_rows(f.shards, node); r++) {
                    double y = row_of(&f, node, r, D)[c];
                    wanted += y, highest = fmax(highest, y), lowest = fmin(lowest, y);
                }
                assert_close(found[c], (double)wanted, 1e-13);
                assert_true(found[EMI_HIGHEST * D + c] == highest && found[EMI_LOWEST * D + c] == -lowest &&
                            found[EMI_MISSING * D + c] == 0);
            }
        }
        close_table(&f);
    }
}

static void squares_are_of_what_the_solver_sees(void **state)
{
    (void)state;
    double mean[D], inverse[D], sum[D];
    em_error err = {0};
    for (int c = 0; c < D; c++) mean[c] = c + 0.75, inverse[c] = 1 / (0.5 + c);
    for (int which = 0; which < 4; which++) {
        fixture f = open_table(ROWS, D, which % 2 ? "shuffle" : NULL);
        const emi_standard standard = {
            .d = D, .mean = which & 1 ? mean : NULL, .inverse_scale = which & 2 ? inverse : NULL};
        assert_ok(emi_sum_squares(&standard, &f.shards->shard[1], sum, NULL, f.scratch, &err), &err);
        for (int c = 0; c < D; c++) {
            long double wanted = 0;
            for (size_t r = 0; r < em_shards_rows(f.shards, 1); r++) {
                long double y = row_of(&f, 1, r, D)[c] - (which & 1 ? mean[c] : 0);
                if (which & 2) y *= inverse[c];
                wanted += y * y;
            }
            assert_close(sum[c], (double)wanted, 1e-13);
        }
        close_table(&f);
    }
}

static void rows_are_centred_and_scaled(void **state)
{
    (void)state;
    double mean[D], inverse[D], rows[5 * D];
    em_error err = {0};
    fixture f = open_table(20, D, NULL);
    for (int c = 0; c < D; c++) mean[c] = c, inverse[c] = 2 + c;
    const emi_standard standard = {.d = D, .mean = mean, .inverse_scale = inverse};
    assert_ok(emi_standard_read(&standard, &f.shards->shard[1], 3, 5, EMI_DOUBLE, rows, NULL, &err), &err);
    for (size_t r = 0; r < 5; r++)
        for (int c = 0; c < D; c++)
            assert_true(rows[r * D + (size_t)c] == (row_of(&f, 1, 3 + r, D)[c] - mean[c]) * inverse[c]);
    close_table(&f);
}

/* Of a million and one numbers about 1e8, the sum keeps its digits. */
static void long_sums_keep_their_digits(void **state)
{
    (void)state;
    enum { MANY = 1000001 };
    double *values = malloc(sizeof *values * MANY), found[EMI_SURVEY];
    em_error err = {0};
    em_data *data = NULL;
    em_shards *shards = NULL;
    assert_non_null(values);
    long double wanted = 0;
    for (int n = 0; n < MANY; n++) values[n] = 1e8 + 0.1 * n, wanted += values[n];
    assert_ok(em_data_from_array(&data, values, EM_F64, MANY, 1, 0, 0, &err), &err);
    assert_ok(em_shards_split(&shards, data, 1, NULL, 0, &err), &err);
    emi_scratch scratch = {malloc(emi_moments_needs(1) * sizeof(double)), emi_moments_needs(1)};
    assert_non_null(scratch.v);
    assert_ok(emi_survey(shards->shard, NULL, found, NULL, scratch, &err), &err);
    assert_close(found[0], (double)wanted, 1e-13);
    assert_true(found[EMI_HIGHEST] == values[MANY - 1] && found[EMI_LOWEST] == -values[0]);
    free(scratch.v);
    em_shards_free(&shards);
    em_data_free(&data);
    free(values);
}

static void values_that_are_no_numbers_are_named(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const size_t rows[] = {4500, 6789, ROWS - 1}; /* all in node 1's half */
    for (int n = 0; n < 3; n++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            double found[EMI_SURVEY * D];
            char row[32], column[32];
            em_error err = {0};
            fixture f = open_table(ROWS, D, shuffle ? "shuffle" : NULL);
            f.values[rows[n] * D + (size_t)n] = bad[n];
            em_status status = EM_OK;
            for (int node = 0; node < 2 && status == EM_OK; node++)
                status = emi_survey(&f.shards->shard[node], NULL, found, NULL, f.scratch, &err);
            (void)snprintf(row, sizeof row, "row %zu", rows[n]);
            (void)snprintf(column, sizeof column, "column %d", n);
            assert_fails(status, EM_EDATA, row, &err);
            assert_fails(status, EM_EDATA, column, &err);
            close_table(&f);
        }
}

/* With a factor they are doubles again; the extremes are there either way. */
static void sums_beyond_doubles_need_a_factor(void **state)
{
    (void)state;
    double found[EMI_SURVEY * D], factor[D];
    em_error err = {0};
    fixture f = open_table(ROWS, D, "sizes:8999,1");
    for (size_t r = 0; r < ROWS; r++) f.values[r * D + 5] = 1e307;
    for (int c = 0; c < D; c++) factor[c] = c == 5 ? 0x1p-100 : 1;
    assert_ok(emi_survey(&f.shards->shard[0], NULL, found, NULL, f.scratch, &err), &err);
    assert_true(isinf(found[5]) && found[EMI_HIGHEST * D + 5] == 1e307 && found[EMI_LOWEST * D + 5] == -1e307);
    assert_ok(emi_survey(&f.shards->shard[0], factor, found, NULL, f.scratch, &err), &err);
    assert_close(found[5] / 8999 / (1e307 * 0x1p-100), 1, 1e-12);
    close_table(&f);
}

static void blocks_fit_any_width(void **state)
{
    (void)state;
    assert_int_equal(emi_rows_at_once(1, 800), 96);
    assert_int_equal(emi_rows_at_once(100, 80000), 96);
    assert_int_equal(emi_rows_at_once(1000000, 800), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_extremes_are_those_of_plain_loops),
        cmocka_unit_test(squares_are_of_what_the_solver_sees),
        cmocka_unit_test(rows_are_centred_and_scaled),
        cmocka_unit_test(long_sums_keep_their_digits),
        cmocka_unit_test(values_that_are_no_numbers_are_named),
        cmocka_unit_test(sums_beyond_doubles_need_a_factor),
        cmocka_unit_test(blocks_fit_any_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
