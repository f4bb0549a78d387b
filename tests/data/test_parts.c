/* Sums in parts: the same bits whoever does them, and right. */
#include "data/parts.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { SIZE = 3, THREADS_MOST = 4, MANY = 10000 };

typedef struct rows {
    int size;
    size_t failing; /* the part that holds this row fails; SIZE_MAX: none does */
} rows;

static double value(size_t row, int n)
{
    return sin(1.0 + 0.37 * (double)row * (n + 1)) * pow(10, (double)(row % 7));
}

static em_status add_rows(void *context, size_t first, size_t count, double *sum, emi_scratch scratch, em_error *err)
{
    const rows *r = context;
    assert_true(scratch.count > 0);
    for (int n = 0; n < r->size; n++) sum[n] = 0;
    for (size_t row = first; row < first + count; row++) {
        if (row == r->failing) return emi_fail(err, EM_EDATA, "row %zu: bad; try another", row);
        for (int n = 0; n < r->size; n++) sum[n] += value(row, n);
    }
    return EM_OK;
}

static em_status sum_with(int threads, emi_extent extent, rows r, double *sum, em_error *err)
{
    double room[THREADS_MOST][1];
    emi_scratch scratch[THREADS_MOST];
    emi_helpers helpers = {.scratch = scratch};
    size_t size = (size_t)r.size;
    for (int t = 0; t < THREADS_MOST; t++) scratch[t] = (emi_scratch){room[t], 1};
    for (int n = 0; n < r.size; n++) sum[n] = NAN; /* whatever was there */
    if (threads == 0) return emi_sum_parts(extent, sum, size, add_rows, &r, NULL, scratch[0], err);
    assert_ok(emi_pool_open(&helpers.pool, threads, err), err);
    em_status status = emi_sum_parts(extent, sum, size, add_rows, &r, &helpers, scratch[0], err);
    emi_pool_close(&helpers.pool);
    return status;
}

static void check_crews(emi_extent extent, int size)
{
    static double alone[MANY], together[MANY];
    em_error err = {0};
    rows r = {size, SIZE_MAX};
    assert_ok(sum_with(0, extent, r, alone, &err), &err);
    for (int n = 0; n < size; n += 1 + size / 5) {
        long double exact = 0;
        for (size_t row = 0; row < extent.count; row++) exact += value(row, n);
        assert_close(alone[n], (double)exact, 1e-6);
    }
    for (int threads = 1; threads <= THREADS_MOST; threads++) {
        assert_ok(sum_with(threads, extent, r, together, &err), &err);
        assert_memory_equal(alone, together, sizeof *alone * (size_t)size);
    }
}

/* Rows for one part, for some, and for more than there may be; narrow, wide, and so wide that a part has the fewest; sums that
 * a thread adds up in one go, and in more. */
static void same_bits_for_any_crew(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 63, 64, 65, 511, 512, 513, 8193, 100000}, widths[] = {1, 3000, 1000000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            check_crews((emi_extent){counts[c], widths[w]}, SIZE);
    check_crews((emi_extent){200, 100000}, MANY);
}

static void a_part_that_fails_is_reported(void **state)
{
    (void)state;
    for (int threads = 0; threads <= 3; threads += 3)
        for (size_t row = 0; row < 20000; row += 4999) {
            em_error err = {0};
            double sum[SIZE];
            char wanted[64];
            (void)snprintf(wanted, sizeof wanted, "row %zu: bad", row);
            assert_fails(sum_with(threads, (emi_extent){20000, 5}, (rows){SIZE, row}, sum, &err), EM_EDATA, wanted,
                         &err);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_crew),
        cmocka_unit_test(a_part_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
