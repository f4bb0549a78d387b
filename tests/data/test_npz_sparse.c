/* Sparse matrices as SciPy saves them, and such as it would not. */
#include "data/npz.h"
#include "support/tables.h"

#include <stdio.h>
#include <string.h>

static const char *saved(const char *name)
{
    static char path[1024];
    (void)snprintf(path, sizeof path, EM_TEST_DATA "/data/files/sparse-%s.npz", name);
    return path;
}

#define TABLE     0, 1.5, 0, 0, 0, 0, 0, 0, 2, 0, 0, -3, 0, 0, 4, 0.25, 0, 0, 0, 5
#define TURNED    0, 0, 2, 0, 0, 1.5, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, -3, 0.25, 5
#define FOURFOLD  0, 6, 0, 0, 0, 0, 0, 0, 8, 0, 0, -12, 0, 0, 16, 1, 0, 0, 0, 20
#define UNSIGNED  0, 6, 0, 0, 0, 0, 0, 0, 8, 0, 0, 12, 0, 0, 16, 1, 0, 0, 0, 20
#define WHERE_NOT 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1

static const em_read_options turned = {.size = sizeof(em_read_options), .transpose = 1},
                             some = {.size = sizeof(em_read_options), .columns = "3,0"};

static void what_scipy_saves_is_read(void **state)
{
    (void)state;
    const char *const same[] = {"csr", "csr-stored", "csr-f32", "csr-big-endian", "csc"};
    for (size_t n = 0; n < sizeof same / sizeof *same; n++) {
        assert_table(saved(same[n]), NULL, 5, 4, TABLE);
        assert_table(saved(same[n]), &turned, 4, 5, TURNED);
        assert_table(saved(same[n]), &some, 5, 2, 0, 0, 0, 0, -3, 2, 0.25, 0, 5, 0);
    }
    assert_table(saved("csr-i64"), NULL, 5, 4, FOURFOLD);
    assert_table(saved("csr-u8"), NULL, 5, 4, UNSIGNED);
    assert_table(saved("csr-bool"), NULL, 5, 4, WHERE_NOT);
    assert_table(saved("csr-empty"), NULL, 3, 2, 0, 0, 0, 0, 0, 0);
    assert_table(saved("coo"), NULL, 2, 2, 0, 2, 5, 0);
    assert_table(saved("coo"), &turned, 2, 2, 0, 5, 2, 0);
}

static void types_and_remarks(void **state)
{
    (void)state;
    const struct {
        const char *name;
        em_dtype type;
    } types[] = {{"csr", EM_F64}, {"csr-f32", EM_F32}, {"csr-i64", EM_F32}, {"csr-u8", EM_F32}, {"csr-bool", EM_F32}};
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        em_data *data = open_table(saved(types[n].name));
        assert_int_equal(em_data_type(data), types[n].type);
        assert_string_equal(em_data_format(data), "npz");
        assert_string_equal(em_data_remarks(data), "a sparse matrix (csr)");
        em_data_free(&data);
    }
}

static void other_formats_are_refused(void **state)
{
    (void)state;
    assert_refused(saved("bsr"), NULL, EM_ENOTSUP, "a sparse matrix of format 'bsr'; try saving its .tocsr()");
    assert_refused(saved("complex"), NULL, EM_ENOTSUP, "complex numbers");
}

/* ---- files that SciPy would not write ---------------------------------------------------------------------------- */

typedef struct making {
    const char *format, *format_type;
    size_t format_size; /* 0: as long as it is */
    long long shape[2], starts[4], indices[4];
    size_t shape_count, starts_count, indices_count, values_count;
    const char *values_type, *left_out; /* which array is not there */
} making;

/* 3 x 2, with four entries. */
static const making right = {.format = "csr",
                             .format_type = "|S3",
                             .shape = {3, 2},
                             .starts = {0, 2, 2, 4},
                             .indices = {0, 1, 1, 0},
                             .shape_count = 2,
                             .starts_count = 4,
                             .indices_count = 4,
                             .values_count = 4,
                             .values_type = "<f8"};

static void add(emi_npz_writer *writer, const making *m, const char *name, const char *type, int dims, size_t count,
                const void *bytes, size_t size)
{
    void *payload = NULL;
    em_error err = {0};
    if (m->left_out && strcmp(m->left_out, name) == 0) return;
    assert_ok(emi_npz_add(writer, name, type, dims, &count, size, &payload, &err), &err);
    memcpy(payload, bytes, size);
}

static const char *file_of(making m)
{
    static const double values[4] = {1, 2, 3, 4};
    em_error err = {0};
    emi_npz_writer *writer = NULL;
    const char *path = scratch("made.npz");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_ok(emi_npz_create(&writer, &err), &err);
    add(writer, &m, "format", m.format_type, 0, 0, m.format, m.format_size ? m.format_size : strlen(m.format));
    add(writer, &m, "shape", "<i8", 1, m.shape_count, m.shape, 8 * m.shape_count);
    add(writer, &m, "indptr", "<i8", 1, m.starts_count, m.starts, 8 * m.starts_count);
    add(writer, &m, "indices", "<i8", 1, m.indices_count, m.indices, 8 * m.indices_count);
    add(writer, &m, "data", m.values_type, 1, m.values_count, values, 8 * m.values_count);
    assert_ok(emi_npz_write(writer, file, &err), &err);
    emi_npz_writer_free(&writer);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    assert_table(file_of(right), NULL, 3, 2, 1, 2, 0, 0, 4, 3);
    making m = right;
    m.starts[0] = 1;
    assert_refused(file_of(m), NULL, EM_EDATA, "its first row begins at entry 1");
    m = right, m.starts[1] = 3;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 1 (from 0) goes from entry 3 to 2 of 4");
    m = right, m.starts[3] = 5;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 2 (from 0) goes from entry 2 to 5 of 4");
    m = right, m.starts[2] = -2;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 1 (from 0) goes from entry 2 to -1 of 4");
    m = right, m.indices[2] = 2;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 2 has an entry in column 2 (from 0), and there are 2");
    m = right, m.indices[1] = -1;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 0 has an entry in column -1");
    m = right, m.indices[1] = 1LL << 40;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 0 has an entry in column -1");
    m = right, m.indices_count = 3;
    assert_refused(file_of(m), NULL, EM_EDATA, "4 starts, 3 indices and 4 values for 3 rows");
    m = right, m.starts_count = 3;
    assert_refused(file_of(m), NULL, EM_EDATA, "3 starts, 4 indices and 4 values for 3 rows");
}

static void shapes_and_arrays_that_are_none(void **state)
{
    (void)state;
    making m = right;
    m.shape[0] = -1;
    assert_refused(file_of(m), NULL, EM_EDATA, "its shape is not that of a matrix");
    m = right, m.shape[1] = 1LL << 33;
    assert_refused(file_of(m), NULL, EM_EDATA, "its shape is not that of a matrix");
    m = right, m.shape_count = 1;
    assert_refused(file_of(m), NULL, EM_EDATA, "its shape is not that of a matrix");
    m = right, m.left_out = "indptr";
    assert_refused(file_of(m), NULL, EM_EDATA, "a sparse matrix without its array indptr");
    m = right, m.left_out = "indices";
    assert_refused(file_of(m), NULL, EM_EDATA, "a sparse matrix without its array indices");
    m = right, m.format = "dia";
    assert_refused(file_of(m), NULL, EM_ENOTSUP, "of format 'dia'");
    m = right, m.format = "abcdefghijkl", m.format_type = "|S9", m.format_size = 9;
    assert_refused(file_of(m), NULL, EM_ENOTSUP, "of format 'abcdefg'");
    m = right, m.format = "\0\0\0\0\0\0\0", m.format_type = "<f8", m.format_size = 8;
    assert_refused(file_of(m), NULL, EM_ENOTSUP, "of format ''");
    m = right, m.shape[0] = 0, m.starts_count = 1, m.indices_count = m.values_count = 0;
    assert_refused(file_of(m), NULL, EM_EDATA, "0 rows of 2 columns");
    m = right, m.format = "c\0\0\0s\0\0\0r\0\0\0", m.format_type = "<U3",
    m.format_size = 12; /* as older SciPy had it */
    assert_table(file_of(m), NULL, 3, 2, 1, 2, 0, 0, 4, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_scipy_saves_is_read),        cmocka_unit_test(types_and_remarks),
        cmocka_unit_test(other_formats_are_refused),       cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(shapes_and_arrays_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
