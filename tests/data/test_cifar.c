/* CIFAR-10 binary: records of a label and 3072 pixels. */
#include "support/tables.h"

#include <stdlib.h>

enum { PIXELS = 3072, RECORD = 1 + PIXELS, RECORDS = 3 };

/* Record r has label 9 - r, and pixels that count up from r. */
static void fill(unsigned char *bytes)
{
    for (int r = 0; r < RECORDS; r++) {
        bytes[r * RECORD] = (unsigned char)(9 - r);
        for (int p = 0; p < PIXELS; p++) bytes[r * RECORD + 1 + p] = (unsigned char)(r + p);
    }
}

static void pixels_are_read_and_labels_left_out(void **state)
{
    (void)state;
    unsigned char bytes[RECORDS * RECORD];
    double *rows = malloc(RECORDS * PIXELS * sizeof *rows);
    em_error err = {0};
    assert_non_null(rows);
    fill(bytes);
    em_data *data = open_table(scratch_file("batch.bin", bytes, sizeof bytes));
    assert_string_equal(em_data_format(data), "cifar10");
    assert_int_equal(em_data_type(data), EM_U8);
    assert_int_equal(em_data_rows(data), RECORDS);
    assert_int_equal(em_data_columns(data), PIXELS);
    assert_ok(em_data_read(data, 0, RECORDS, rows, &err), &err);
    for (int r = 0; r < RECORDS; r++)
        for (int p = 0; p < PIXELS; p++) assert_true(rows[r * PIXELS + p] == (r + p) % 256);
    em_data_free(&data);
    free(rows);
}

static void other_sizes_and_labels_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[RECORDS * RECORD + 1] = {0};
    fill(bytes);
    assert_refused(scratch_file("batch.bin", bytes, sizeof bytes), NULL, EM_EDATA, "no whole number of CIFAR-10");
    assert_refused(scratch_file("batch.bin", bytes, RECORD - 1), NULL, EM_EDATA, "no whole number of CIFAR-10");
    bytes[2 * RECORD] = 10;
    assert_refused(scratch_file("batch.bin", bytes, sizeof bytes - 1), NULL, EM_EDATA, "record 2 has label 10");
    bytes[2 * RECORD] = 9;
    assert_refused(scratch_file("batch.dat", bytes, sizeof bytes - 1), NULL, EM_EDATA, "no format"); /* by name alone */
}

static void the_sample_of_the_dataset_opens(void **state)
{
    (void)state;
    const char *path = shared_file("data/cifar10/data_batch_sample.bin");
    if (!path) skip_for("no shared/data/cifar10 beside the checkout");
    em_data *data = open_table(path);
    assert_int_equal(em_data_rows(data), 200);
    assert_int_equal(em_data_columns(data), PIXELS);
    em_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_are_read_and_labels_left_out),
        cmocka_unit_test(other_sizes_and_labels_are_refused),
        cmocka_unit_test(the_sample_of_the_dataset_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
