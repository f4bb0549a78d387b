/* Tables over the caller's own memory, and rows asked of any table. */
#include "support/tables.h"

#include <math.h>
#include <string.h>

static void check_array(const void *values, em_dtype type, size_t rows, size_t columns, ptrdiff_t row_stride,
                        ptrdiff_t column_stride, const double *wanted)
{
    em_data *data = NULL;
    em_error err = {0};
    double got[64];
    assert_ok(em_data_from_array(&data, values, type, rows, columns, row_stride, column_stride, &err), &err);
    assert_int_equal(em_data_rows(data), rows);
    assert_int_equal(em_data_columns(data), columns);
    assert_int_equal(em_data_type(data), type);
    assert_string_equal(em_data_format(data), "array");
    assert_ok(em_data_read(data, 0, rows, got, &err), &err);
    for (size_t n = 0; n < rows * columns; n++) assert_true(got[n] == wanted[n]);
    for (size_t r = 0; r < rows; r++) {
        assert_ok(em_data_read(data, r, 1, got, &err), &err);
        for (size_t c = 0; c < columns; c++) assert_true(got[c] == wanted[r * columns + c]);
    }
    em_data_free(&data);
    assert_null(data);
}

static void strides_walk_any_way(void **state)
{
    (void)state;
    enum { ITEM = sizeof(double) };
    const double a[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; /* 3 x 4 */
    check_array(a, EM_F64, 3, 4, 0, 0, a);
    check_array(a, EM_F64, 3, 4, 4 * ITEM, ITEM, a);
    check_array(a, EM_F64, 4, 3, ITEM, 4 * ITEM, (double[]){0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});   /* transposed */
    check_array(a, EM_F64, 2, 2, 8 * ITEM, 2 * ITEM, (double[]){0, 2, 8, 10});                        /* every other */
    check_array(a + 8, EM_F64, 3, 4, -4 * ITEM, 0, (double[]){8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}); /* from below */
    check_array(a + 3, EM_F64, 3, 4, 4 * ITEM, -ITEM, (double[]){3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8});
    check_array(a + 11, EM_F64, 3, 4, -4 * ITEM, -ITEM, (double[]){11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
}

/* A number may lie at any byte. */
static void numbers_need_no_alignment(void **state)
{
    (void)state;
    unsigned char bytes[1 + 4 * 5] = {0};
    for (int n = 0; n < 4; n++) bytes[1 + 5 * n] = (unsigned char)(n + 1); /* int32 n + 1, five bytes apart */
    if (*(const unsigned char *)&(const uint16_t){1} != 1)
        skip_for("the bytes here are those of a little-endian machine");
    check_array(bytes + 1, EM_I32, 2, 2, 10, 5, (double[]){1, 2, 3, 4});
}

static void every_type_is_converted(void **state)
{
    (void)state;
    const double wanted[2] = {1, 100}, truths[2] = {1, 0};
#define CASE(type, T) check_array((const T[]){1, 100}, type, 1, 2, 0, 0, wanted)
    CASE(EM_F64, double);
    CASE(EM_F32, float);
    CASE(EM_LONG_DOUBLE, long double);
    CASE(EM_I8, int8_t);
    CASE(EM_I16, int16_t);
    CASE(EM_I32, int32_t);
    CASE(EM_I64, int64_t);
    CASE(EM_U8, uint8_t);
    CASE(EM_U16, uint16_t);
    CASE(EM_U32, uint32_t);
    CASE(EM_U64, uint64_t);
#undef CASE
    check_array((const uint16_t[]){0x3c00, 0x5640}, EM_F16, 1, 2, 0, 0, wanted);
    check_array((const unsigned char[]){7, 0}, EM_BOOL, 1, 2, 0, 0, truths);
}

/* IEEE 754 binary16, every number of it, against its definition. */
static void every_half_is_converted(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 1U << 16; bits++) {
        uint16_t half = (uint16_t)bits;
        unsigned exponent = (bits >> 10) & 31, fraction = bits & 1023;
        double got, size = exponent ? (1 + fraction / 1024.0) * pow(2, (double)exponent - 15) : fraction * 0x1p-24;
        em_data *data = NULL;
        em_error err = {0};
        assert_ok(em_data_from_array(&data, &half, EM_F16, 1, 1, 0, 0, &err), &err);
        assert_ok(em_data_read(data, 0, 1, &got, &err), &err);
        em_data_free(&data);
        assert_int_equal(!!signbit(got), bits >> 15);
        if (exponent == 31)
            assert_true(fraction ? isnan(got) : isinf(got));
        else
            assert_true(fabs(got) == size);
    }
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    const double a[1] = {0};
    em_data *data = (em_data *)&state;
    em_error err = {0};
    assert_fails(em_data_from_array(&data, NULL, EM_F64, 1, 1, 0, 0, &err), EM_EINVAL, "array: ", &err);
    assert_null(data);
    assert_fails(em_data_from_array(&data, a, EM_F64, 0, 1, 0, 0, &err), EM_EINVAL, "0 rows of 1 columns", &err);
    assert_fails(em_data_from_array(&data, a, EM_F64, 1, 0, 0, 0, &err), EM_EINVAL, "1 rows of 0 columns", &err);
    assert_fails(em_data_from_array(&data, a, (em_dtype)(EM_BOOL + 1), 1, 1, 0, 0, &err), EM_EINVAL, "no such type",
                 &err);
    assert_fails(em_data_from_array(&data, a, EM_F64, SIZE_MAX, 1, 0, 0, &err), EM_EINVAL, "memory holds", &err);
    assert_fails(em_data_from_array(&data, a, EM_F64, (size_t)1 << 32, (size_t)1 << 32, 0, 0, &err), EM_EINVAL,
                 "memory holds", &err);
    assert_int_equal(em_data_from_array(&data, NULL, EM_F64, 1, 1, 0, 0, NULL), EM_EINVAL); /* no error wanted */
}

static void rows_that_are_not_there_are_refused(void **state)
{
    (void)state;
    const double a[6] = {0, 1, 2, 3, 4, 5};
    double out[6] = {-1, -1, -1, -1, -1, -1};
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_from_array(&data, a, EM_F64, 3, 2, 0, 0, &err), &err);
    assert_fails(em_data_read(data, 0, 4, out, &err), EM_EINVAL, "and it has 3", &err);
    assert_fails(em_data_read(data, 3, 1, out, &err), EM_EINVAL, "and it has 3", &err);
    assert_fails(em_data_read(data, 4, 0, out, &err), EM_EINVAL, "and it has 3", &err);
    assert_fails(em_data_read(data, 1, SIZE_MAX, out, &err), EM_EINVAL, "and it has 3", &err);
    assert_fails(em_data_read(data, SIZE_MAX, 2, out, &err), EM_EINVAL, "and it has 3", &err);
    for (int n = 0; n < 6; n++) assert_true(out[n] == -1);
    assert_ok(em_data_read(data, 3, 0, out, &err), &err); /* none is always there */
    assert_ok(em_data_read(data, 2, 1, out, &err), &err);
    assert_true(out[0] == 4 && out[1] == 5 && out[2] == -1);
    em_data_free(&data);
    em_data_free(&data); /* accepts NULL */
}

/* As long as a model's file keeps them: what is longer would be cut there, and not be found again. */
static void names_that_are_too_long_are_refused(void **state)
{
    (void)state;
    enum { LONGEST = 1024 };
    const double a[2] = {0, 1};
    char name[2 * LONGEST + 3] = "";
    for (int n = 0; n < LONGEST; n++) memcpy(name + 2 * n, "\xc3\xb6", 2);
    const char *const names[] = {"a", name};
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_from_array(&data, a, EM_F64, 1, 2, 0, 0, &err), &err);
    assert_ok(em_data_set_column_names(data, names, &err), &err);
    name[2 * LONGEST] = 'x';
    assert_fails(em_data_set_column_names(data, names, &err), EM_EDATA,
                 "the name of column 1 (from 0) is longer than 1024 letters", &err);
    assert_int_equal(strlen(em_data_column_name(data, 1)), 2 * LONGEST); /* those that it had */
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_walk_any_way),
        cmocka_unit_test(numbers_need_no_alignment),
        cmocka_unit_test(every_type_is_converted),
        cmocka_unit_test(every_half_is_converted),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(rows_that_are_not_there_are_refused),
        cmocka_unit_test(names_that_are_too_long_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
