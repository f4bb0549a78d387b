/* IDX: every type, sizes that lie, and MNIST itself. */
#include "support/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void every_type_is_read_big_endian(void **state)
{
    (void)state;
    static const struct {
        em_dtype type;
        size_t count;
        unsigned char bytes[48];
        double wanted[2];
    } cases[] = {
        {EM_U8, 2, {0, 255}, {0, 255}},
        {EM_I8, 2, {0x80, 127}, {-128, 127}},
        {EM_I16, 4, {0x80, 0, 1, 2}, {-32768, 258}},
        {EM_I32, 8, {0x80, 0, 0, 0, 1, 2, 3, 4}, {-2147483648.0, 16909060}},
        {EM_F32, 8, {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}, {1, -2.5}},
        {EM_F64, 16, {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 4, 0, 0, 0, 0, 0, 0}, {1, -2.5}},
    };
    static const unsigned char codes[] = {8, 9, 0x0B, 0x0C, 0x0D, 0x0E};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        unsigned char file[64] = {0, 0, codes[n], 2, 0, 0, 0, 1, 0, 0, 0, 2};
        memcpy(file + 12, cases[n].bytes, cases[n].count);
        const char *path = scratch_file("types.idx", file, 12 + cases[n].count);
        assert_table(path, NULL, 1, 2, cases[n].wanted[0], cases[n].wanted[1]);
        em_data *data = open_table(path);
        assert_int_equal(em_data_type(data), cases[n].type);
        assert_string_equal(em_data_format(data), "idx");
        em_data_free(&data);
        assert_no_prefix_opens("cut.idx", file, 12 + cases[n].count);
        assert_refused(scratch_file("long.idx", file, 13 + cases[n].count), NULL, EM_EDATA, "holds more");
    }
}

static void dimensions_after_the_first_are_columns(void **state)
{
    (void)state;
    const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9};
    assert_table(scratch_file("images-idx3-ubyte", images, sizeof images), NULL, 2, 3, 1, 2, 3, 4, 5, 6);
    assert_refused(scratch_file("labels-idx1-ubyte", labels, sizeof labels), NULL, EM_EDATA,
                   "one dimension, as labels");
}

static void sizes_that_lie_are_refused(void **state)
{
    (void)state;
    const unsigned char overflow[] = {0,    0,    0x0E, 3,    0xff, 0xff, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const unsigned char huge[] = {0, 0, 8, 2, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff};
    const unsigned char no_rows[] = {0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 2};
    const unsigned char no_columns[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 0};
    const unsigned char nine_dims[64] = {0, 0, 8, 9};
    const unsigned char no_dims[64] = {0, 0, 8, 0};
    const unsigned char no_type[64] = {0, 0, 0x0A, 2};
    const em_read_options some = {.size = sizeof(em_read_options), .header = EM_HEADER_AUTO, .columns = "0"};
    assert_refused(scratch_file("overflow.idx", overflow, sizeof overflow), NULL, EM_EDATA, "more than memory holds");
    assert_refused(scratch_file("huge.idx", huge, sizeof huge), NULL, EM_EDATA, "cut short, its header promises");
    assert_refused(scratch_file("no-rows.idx", no_rows, sizeof no_rows), NULL, EM_EDATA, "0 rows of 2 columns");
    assert_refused(scratch_file("none.idx", no_columns, sizeof no_columns), NULL, EM_EDATA, "2 rows of 0 columns");
    assert_refused(scratch_file("none.idx", no_columns, sizeof no_columns), &some, EM_EDATA, "2 rows of 0 columns");
    assert_refused(scratch_file("nine.idx", nine_dims, sizeof nine_dims), NULL, EM_EDATA, "no format");
    assert_refused(scratch_file("zero.idx", no_dims, sizeof no_dims), NULL, EM_EDATA, "no format");
    assert_refused(scratch_file("type.idx", no_type, sizeof no_type), NULL, EM_EDATA, "no format");
}

static void mnist_has_its_known_mean(void **state)
{
    (void)state;
    enum { ROWS = 60000, PIXELS = 784, AT_ONCE = 1000 };
    const char *path = shared_file("data/mnist/train-images-idx3-ubyte.gz");
    if (!path) skip_for("no shared/data/mnist beside the checkout");
    em_data *data = open_table(path);
    em_error err = {0};
    double sum = 0, *block = malloc(AT_ONCE * PIXELS * sizeof *block);
    assert_non_null(block);
    assert_int_equal(em_data_rows(data), ROWS);
    assert_int_equal(em_data_columns(data), PIXELS);
    for (size_t first = 0; first < ROWS; first += AT_ONCE) {
        assert_ok(em_data_read(data, first, AT_ONCE, block, &err), &err);
        for (size_t n = 0; n < AT_ONCE * PIXELS; n++) sum += block[n];
    }
    assert_close(sum / 255 / ROWS / PIXELS, 0.1307, 5e-5); /* as every MNIST tutorial normalises it */
    free(block);
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_big_endian),
        cmocka_unit_test(dimensions_after_the_first_are_columns),
        cmocka_unit_test(sizes_that_lie_are_refused),
        cmocka_unit_test(mnist_has_its_known_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
