/* Rows as the solver sees them: every type of number, in place or read, whole or in part, in double and in single. */
#include "data/dtype.h"
#include "data/standard.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { ROWS = 12, D = 5 };

static const double mean[D] = {1, 2, 3, 4, 5.5}, inverse[D] = {1, 0.5, 0.25, 2, 3};

static double value_of(size_t r, size_t f)
{
    return (double)((r * 7 + f * 3) % 11) + (double)f;
}

static double number(emi_real real, const void *rows, size_t n)
{
    return real == EMI_SINGLE ? (double)((const float *)rows)[n] : ((const double *)rows)[n];
}

static void check_rows(const emi_standard *standard, const emi_shard *shard, size_t first, size_t count, emi_real real)
{
    double rows[ROWS * D], room[ROWS * D], part[2], one[D];
    em_error err = {0};
    assert_ok(emi_standard_read(standard, shard, first, count, real, rows, room, &err), &err);
    for (size_t r = 0; r < count; r++) {
        size_t row = shard->order ? shard->order[shard->first + first + r] : shard->first + first + r;
        assert_ok(emi_standard_read_part(standard, shard, first + r, 2, 2, real, part, one, &err), &err);
        for (size_t f = 0; f < D; f++) {
            double wanted = value_of(row, f);
            if (standard->mean) wanted -= mean[f];
            if (standard->inverse_scale) wanted *= inverse[f];
            assert_true(number(real, rows, r * D + f) == wanted); /* small whole numbers: exact in either */
            if (f >= 2 && f < 4) assert_true(number(real, part, f - 2) == wanted);
        }
    }
}

static void check_shards(const em_data *data)
{
    const size_t order[ROWS] = {5, 3, 8, 0, 1, 2, 11, 10, 9, 4, 6, 7};
    const emi_shard in_order = {.data = data, .first = 2, .count = 9},
                    shuffled = {.data = data, .first = 1, .count = 10, .order = order};
    for (int way = 0; way < 4; way++) {
        emi_standard standard = {
            .d = D, .mean = way & 1 ? (double *)mean : NULL, .inverse_scale = way & 2 ? (double *)inverse : NULL};
        for (int real = EMI_DOUBLE; real <= EMI_SINGLE; real++) {
            check_rows(&standard, &in_order, 1, 8, (emi_real)real);
            check_rows(&standard, &shuffled, 0, 10, (emi_real)real);
        }
    }
}

static void every_type_of_number(void **state)
{
    (void)state;
    static const em_dtype types[] = {EM_F64, EM_F32, EM_F16, EM_I8, EM_U8, EM_I16, EM_U32, EM_I64};
    double values[ROWS * D];
    for (size_t n = 0; n < ROWS * D; n++) values[n] = value_of(n / D, n % D);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        em_error err = {0};
        em_data *data = NULL;
        _Alignas(8) unsigned char numbers[ROWS * D * 8];
        assert_int_equal(emi_encode(types[t], 0, values, (size_t)ROWS * D, numbers), ROWS * D);
        assert_ok(em_data_from_array(&data, numbers, types[t], ROWS, D, 0, 0, &err), &err);
        check_shards(data);
        em_data_free(&data);
    }
}

/* Columns of a wider array, which do not lie side by side. */
static void with_gaps_between_rows(void **state)
{
    (void)state;
    em_error err = {0};
    em_data *data = NULL;
    float numbers[ROWS][D + 3];
    for (size_t r = 0; r < ROWS; r++)
        for (size_t f = 0; f < D + 3; f++) numbers[r][f] = f < D ? (float)value_of(r, f) : NAN;
    assert_ok(em_data_from_array(&data, numbers, EM_F32, ROWS, D, sizeof numbers[0], 0, &err), &err);
    check_shards(data);
    em_data_free(&data);
}

/* Centred in double and rounded once: what the mean's own digits would lose stays. */
static void single_precision_keeps_small_differences(void **state)
{
    (void)state;
    em_error err = {0};
    em_data *data = NULL;
    const float numbers[2] = {16777216.0F, 16777218.0F};
    double far[1] = {16777217.25}, room[2];
    float rows[2];
    const emi_standard standard = {.d = 1, .mean = far};
    assert_ok(em_data_from_array(&data, numbers, EM_F32, 2, 1, 0, 0, &err), &err);
    const emi_shard shard = {.data = data, .count = 2};
    assert_ok(emi_standard_read(&standard, &shard, 0, 2, EMI_SINGLE, rows, room, &err), &err);
    assert_true(rows[0] == -1.25F && rows[1] == 0.75F);
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_of_number), cmocka_unit_test(with_gaps_between_rows),
                                       cmocka_unit_test(single_precision_keeps_small_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
