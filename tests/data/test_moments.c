/* What is found of a shard's rows, against plain loops; and where values that are no numbers are found. */
#include "data/moments.h"
#include "data/standard.h"
#include "support/check.h"
#include "support/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More rows than one part of the survey has, at 8 columns. */
enum { ROWS = 9000, D = 8 };

typedef struct fixture {
    double *values; /* as doubles */
    void *stored;   /* and in their own type */
    em_data *data;
    em_shards *shards;
    emi_scratch scratch; /* exactly what is asked for: the sanitizer sees a double more */
} fixture;

static void *numbers(size_t count, size_t size)
{
    void *out = malloc(count * size);
    assert_non_null(out);
    return out;
}

/* Stored as numbers of that type, which `values` then are too. */
static void store(fixture *f, em_dtype type, size_t count)
{
    f->stored = numbers(count, sizeof(double));
    for (size_t n = 0; n < count; n++) {
        double *value = &f->values[n];
        if (type == EM_F64) ((double *)f->stored)[n] = *value;
        if (type == EM_F32) *value = ((float *)f->stored)[n] = (float)*value;
        if (type == EM_U8) *value = ((uint8_t *)f->stored)[n] = (uint8_t)(100 + 10 * *value);
        if (type == EM_I8) *value = ((int8_t *)f->stored)[n] = (int8_t)(10 * *value);
    }
}

/* Takes the values. */
static fixture open_values(double *values, em_dtype type, size_t rows, int d, int nodes, const char *split)
{
    fixture f = {.values = values};
    em_error err = {0};
    store(&f, type, rows * (size_t)d);
    assert_ok(em_data_from_array(&f.data, f.stored, type, rows, (size_t)d, 0, 0, &err), &err);
    assert_ok(em_shards_split(&f.shards, f.data, nodes, split, 3, &err), &err);
    f.scratch.count = emi_moments_needs(d);
    f.scratch.v = numbers(f.scratch.count, sizeof(double));
    return f;
}

static fixture open_table(size_t rows, int d, em_dtype type, const char *split)
{
    double *values = numbers(rows * (size_t)d, sizeof *values);
    matrix_fill_table(values, rows, d, 1);
    return open_values(values, type, rows, d, 2, split);
}

static void close_table(fixture *f)
{
    free(f->scratch.v);
    em_shards_free(&f->shards);
    em_data_free(&f->data);
    free(f->stored);
    free(f->values);
}

/* Row r of a shard, where it lies in the table. */
static const double *row_of(const fixture *f, int node, size_t r, int d)
{
    const emi_shard *shard = &f->shards->shard[node];
    size_t row = shard->order ? shard->order[shard->first + r] : shard->first + r;
    return f->values + row * (size_t)d;
}

/* One column by two passes in long double, from a value of its own; missing values are left out. */
static void check_column(const fixture *f, int node, int d, int c, const double *found, double tolerance)
{
    long double sum = 0, squares = 0, count = 0, first = 0;
    double highest = -INFINITY, lowest = -INFINITY, is[EMI_SURVEY];
    for (int n = 0; n < EMI_SURVEY; n++) is[n] = found[n * d + c];
    for (size_t r = 0; r < em_shards_rows(f->shards, node); r++) {
        double y = row_of(f, node, r, d)[c];
        if (isnan(y)) continue;
        if (count++ == 0) first = y;
        sum += y - first, highest = fmax(highest, y), lowest = fmax(lowest, -y);
    }
    for (size_t r = 0; r < em_shards_rows(f->shards, node); r++) {
        long double away = row_of(f, node, r, d)[c] - first - sum / count;
        if (!isnan((double)away)) squares += away * away;
    }
    assert_true(is[EMI_COUNT] == (double)count && is[EMI_HIGHEST] == highest && is[EMI_LOWEST] == lowest);
    if (count == 0) return;
    double mean = is[EMI_ORIGIN] + is[EMI_SUM] / is[EMI_COUNT], size = fmax(highest, lowest);
    assert_close(mean / size, (double)(first + sum / count) / size, 1e-15);
    if (squares == 0)
        assert_true(is[EMI_SQUARES] == 0);
    else
        assert_close(is[EMI_SQUARES] / (double)squares, 1, tolerance);
}

static void check_node(const fixture *f, int node, int d, double tolerance)
{
    em_error err = {0};
    double *found = numbers(EMI_SURVEY * (size_t)d, sizeof *found);
    assert_ok(emi_survey(&f->shards->shard[node], NULL, found, NULL, f->scratch, &err), &err);
    for (int c = 0; c < d; c++) check_column(f, node, d, c, found, tolerance);
    free(found);
}

static void all_is_as_by_plain_loops(void **state)
{
    (void)state;
    const char *const splits[] = {"contiguous", "shuffle", "sizes:8999,1"};
    const em_dtype types[] = {EM_F64, EM_F32, EM_U8, EM_I8};
    for (int n = 0; n < 12; n++) {
        fixture f = open_table(ROWS, D, types[n / 3], splits[n % 3]);
        for (int node = 0; node < 2; node++) check_node(&f, node, D, 4e-15);
        close_table(&f);
    }
}

/* ---- squares keep their digits ----------------------------------------------------------------------------------- */

/* Columns that undo one way or another of summing squares: far from zero, the first far from the others, sorted, all but one
 * equal, few different ones in long runs, constant. */
static void hard_columns(double *values, size_t rows)
{
    enum { FAR, FIRST, SORTED, ONE, RUNS, LAST, CONSTANT, NEAR };
    matrix_fill_table(values, rows, D, 7);
    for (size_t r = 0; r < rows; r++) {
        double *row = values + r * D;
        row[FAR] += 3e8;
        row[FIRST] += r == 0 ? 1e6 : 0;
        row[SORTED] = 1e7 + 0.1 * (double)r;
        row[ONE] = r == 0 ? 0.1 : 0.3;
        row[RUNS] = 1e5 + 0.7 * floor((double)r / 1000);
        row[LAST] += r == rows - 1 ? 1e9 : 0;
        row[CONSTANT] = 0.1;
    }
}

static void squares_keep_their_digits(void **state)
{
    (void)state;
    const size_t rows[] = {2, 255, 4097, 300000};
    for (int n = 0; n < 8; n++) {
        double *values = numbers(rows[n / 2] * D, sizeof *values);
        hard_columns(values, rows[n / 2]);
        fixture f = open_values(values, EM_F64, rows[n / 2], D, 1, n % 2 ? "shuffle" : NULL);
        check_node(&f, 0, D, 1e-14);
        close_table(&f);
    }
}

/* Of a million and one numbers about 1e8 in one column, which come in long blocks. */
static void long_sums_keep_their_digits(void **state)
{
    (void)state;
    enum { MANY = 1000001 };
    double *values = numbers(MANY, sizeof *values);
    for (int n = 0; n < MANY; n++) values[n] = 1e8 + 0.1 * n;
    fixture f = open_values(values, EM_F64, MANY, 1, 1, NULL);
    check_node(&f, 0, 1, 1e-14);
    close_table(&f);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { MANY = 30001, MOST = 4 };
    double alone[EMI_SURVEY * D], together[EMI_SURVEY * D], *values = numbers((size_t)MANY * D, sizeof *values);
    em_error err = {0};
    emi_scratch scratch[MOST];
    hard_columns(values, MANY);
    fixture f = open_values(values, EM_F64, MANY, D, 1, NULL);
    for (int t = 0; t < MOST; t++)
        scratch[t] = (emi_scratch){numbers(emi_moments_needs(D), sizeof(double)), emi_moments_needs(D)};
    assert_ok(emi_survey(f.shards->shard, NULL, alone, NULL, f.scratch, &err), &err);
    for (int threads = 1; threads <= MOST; threads++) {
        emi_helpers helpers = {.scratch = scratch};
        assert_ok(emi_pool_open(&helpers.pool, threads, &err), &err);
        assert_ok(emi_survey(f.shards->shard, NULL, together, &helpers, scratch[0], &err), &err);
        assert_memory_equal(alone, together, sizeof alone);
        emi_pool_close(&helpers.pool);
    }
    for (int t = 0; t < MOST; t++) free(scratch[t].v);
    close_table(&f);
}

/* Here and there, at first for long, and altogether. */
static void missing_values_count_as_nothing(void **state)
{
    (void)state;
    enum { MANY = 30000 }; /* more than a block */
    double *values = numbers((size_t)MANY * D, sizeof *values);
    hard_columns(values, MANY);
    for (size_t r = 0; r < MANY; r++) {
        for (size_t c = 0; c < 3; c++)
            if ((r + c) % 7 == 0) values[r * D + c] = NAN;
        if (r < 5000) values[r * D + 3] = NAN;
        if (r != 4321) values[r * D + 4] = NAN;
        values[r * D + 5] = NAN;
        if (r < 20000) values[r * D + 7] = NAN;
    }
    fixture f = open_values(values, EM_F64, MANY, D, 1, NULL);
    f.data->holes = 1;
    check_node(&f, 0, D, 1e-14);
    close_table(&f);
}

/* With a unit they are doubles again; the extremes are there either way. */
static void numbers_beyond_doubles_need_a_unit(void **state)
{
    (void)state;
    const double sizes[] = {1e307, 1e200, 1e-200, 1e-300};
    for (int n = 0; n < 4; n++) {
        double found[EMI_SURVEY * D], in_unit[EMI_SURVEY * D], plain[EMI_SURVEY * D], unit[D];
        double *values = numbers((size_t)ROWS * D, sizeof *values);
        em_error err = {0};
        matrix_fill_table(values, ROWS, D, 1);
        for (int c = 0; c < D; c++) unit[c] = c == 5 ? ldexp(1, ilogb(sizes[n])) : 1;
        fixture usual = open_values(values, EM_F64, ROWS, D, 1, NULL);
        assert_ok(emi_survey(usual.shards->shard, NULL, plain, NULL, usual.scratch, &err), &err);
        for (size_t r = 0; r < ROWS; r++) ((double *)usual.stored)[r * D + 5] *= unit[5];
        assert_ok(emi_survey(usual.shards->shard, NULL, found, NULL, usual.scratch, &err), &err);
        assert_false(isnormal(found[EMI_SQUARES * D + 5]));
        assert_true(found[EMI_HIGHEST * D + 5] == plain[EMI_HIGHEST * D + 5] * unit[5]);
        assert_ok(emi_survey(usual.shards->shard, unit, in_unit, NULL, usual.scratch, &err), &err);
        assert_memory_equal(in_unit, plain, sizeof plain);
        close_table(&usual);
    }
}

static void rows_are_centred_and_scaled(void **state)
{
    (void)state;
    double mean[D], inverse[D], rows[5 * D];
    em_error err = {0};
    fixture f = open_table(20, D, EM_F64, NULL);
    for (int c = 0; c < D; c++) mean[c] = c, inverse[c] = 2 + c;
    const emi_standard standard = {.d = D, .mean = mean, .inverse_scale = inverse};
    assert_ok(emi_standard_read(&standard, &f.shards->shard[1], 3, 5, EMI_DOUBLE, rows, NULL, &err), &err);
    for (size_t r = 0; r < 5; r++)
        for (int c = 0; c < D; c++)
            assert_true(rows[r * D + (size_t)c] == (row_of(&f, 1, 3 + r, D)[c] - mean[c]) * inverse[c]);
    close_table(&f);
}

static void values_that_are_no_numbers_are_named(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const size_t rows[] = {4500, 6789, ROWS - 1}; /* all in node 1's half */
    for (int n = 0; n < 3; n++)
        for (int way = 0; way < 4; way++) {
            const em_dtype type = way / 2 ? EM_F32 : EM_F64;
            const int shuffle = way % 2;
            double found[EMI_SURVEY * D];
            char row[32], column[32];
            em_error err = {0};
            fixture f = open_table(ROWS, D, type, shuffle ? "shuffle" : NULL);
            if (type == EM_F64) ((double *)f.stored)[rows[n] * D + (size_t)n] = bad[n];
            if (type == EM_F32) ((float *)f.stored)[rows[n] * D + (size_t)n] = (float)bad[n];
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
        cmocka_unit_test(all_is_as_by_plain_loops),
        cmocka_unit_test(squares_keep_their_digits),
        cmocka_unit_test(long_sums_keep_their_digits),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(missing_values_count_as_nothing),
        cmocka_unit_test(numbers_beyond_doubles_need_a_unit),
        cmocka_unit_test(rows_are_centred_and_scaled),
        cmocka_unit_test(values_that_are_no_numbers_are_named),
        cmocka_unit_test(blocks_fit_any_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
