/* Writing tables: every format and type read back, and files that appear whole or not at all. */
#define _XOPEN_SOURCE 700
#include "data/dtype.h"
#include "lab/tables/writer.h"
#include "support/tables.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 4, COLUMNS = 3, COUNT = ROWS * COLUMNS };

static int has_hdf5(void)
{
    lab_writer *writer = NULL;
    em_error err = {0};
    em_status status = lab_writer_open(&writer, scratch("probe.h5"), EM_F64, 1, 1, &err);
    lab_writer_discard(&writer);
    return status == EM_OK;
}

static em_status write_table(const char *path, em_dtype type, size_t rows, size_t columns, const double *values,
                             em_error *err)
{
    lab_writer *writer = NULL;
    em_status status = lab_writer_open(&writer, path, type, rows, columns, err);
    for (size_t r = 0; status == EM_OK && r < rows; r += 2) /* two rows at a time, then what is left */
        status = lab_writer_rows(writer, values + r * columns, rows - r < 2 ? rows - r : 2, err);
    if (status == EM_OK)
        status = lab_writer_close(&writer, err);
    else
        lab_writer_discard(&writer);
    assert_null(writer);
    return status;
}

/* ---- what was written is read back ------------------------------------------------------------------ */

/* Numbers that the type holds exactly, with its extremes. */
static void numbers_of(em_dtype type, double *out)
{
    const emi_dtype *about = emi_dtype_of(type);
    for (int n = 0; n < COUNT; n++)
        out[n] = type == EM_BOOL ? n % 2 : about->kind == 'f' ? (n - 5) * 0.25 : about->kind == 'i' ? n - 5 : n;
    out[3] = about->lowest;
    out[7] = about->highest;
}

static void check_binary(const char *name, em_dtype type)
{
    double values[COUNT];
    char path[640], asked[600];
    em_error err = {0};
    int raw = strncmp(name, "raw", 3) == 0;
    numbers_of(type, values);
    (void)snprintf(asked, sizeof asked, "%s", scratch(name));
    (void)snprintf(path, sizeof path, "raw:%s:%s", emi_dtype_of(type)->name, asked);
    em_status status = write_table(raw ? path : asked, type, ROWS, COLUMNS, values, &err);
    if (strstr(name, ".idx") && !emi_dtype_of(type)->idx_code) {
        assert_fails(status, EM_EINVAL, "IDX has no type", &err);
        return;
    }
    assert_ok(status, &err);
    (void)snprintf(path, sizeof path, "raw:%s:%d:%s", emi_dtype_of(type)->name, COLUMNS, asked);
    check_table(raw ? path : asked, NULL, ROWS, COLUMNS, values, __FILE__, __LINE__);
    em_data *data = open_table(raw ? path : asked);
    if (!strstr(name, ".h5")) assert_int_equal(em_data_type(data), type);
    em_data_free(&data);
}

static void binary_formats_keep_every_type(void **state)
{
    (void)state;
    static const char *const names[] = {"t.npy", "t.idx", "t.npy.gz", "t.idx.gz", "raw", "raw.gz", "t.h5"};
    size_t formats = sizeof names / sizeof *names - !has_hdf5();
    for (size_t f = 0; f < formats; f++)
        for (int type = EM_F64; type <= EM_BOOL; type++) check_binary(names[f], (em_dtype)type);
}

static void text_keeps_every_bit(void **state)
{
    (void)state;
    static const char *const names[] = {"t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz"};
    double values[COUNT] = {0.1,
                            1.0 / 3,
                            -2.5,
                            1.7976931348623157e308,
                            0.30000000000000004,
                            5,
                            1e22,
                            -1e-320,
                            9007199254740994.,
                            4.9e-324,
                            123456789012345678.,
                            0};
    em_error err = {0};
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        assert_ok(write_table(scratch(names[f]), EM_F64, ROWS, COLUMNS, values, &err), &err);
        check_table(scratch(names[f]), NULL, ROWS, COLUMNS, values, __FILE__, __LINE__);
    }
    assert_ok(write_table(scratch("short.csv"), EM_F64, 1, 3, values, &err), &err);
    size_t count;
    unsigned char *text = file_bytes(scratch("short.csv"), &count);
    static const char wanted[] = "0.1,0.3333333333333333,-2.5\n"; /* no digit more than needed */
    assert_int_equal(count, strlen(wanted));
    assert_memory_equal(text, wanted, count);
    free(text);
}

static void floats_keep_what_is_not_finite(void **state)
{
    (void)state;
    static const em_dtype types[] = {EM_F64, EM_F32, EM_F16, EM_LONG_DOUBLE};
    const double values[3] = {NAN, INFINITY, -INFINITY};
    em_error err = {0};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        assert_ok(write_table(scratch("special.npy"), types[t], 1, 3, values, &err), &err);
        assert_table(scratch("special.npy"), NULL, 1, 3, NAN, INFINITY, -INFINITY);
    }
}

/* To the nearest, ties to even: 2048 + 1 is between two halves, and so is a subnormal's half. */
static void halves_are_rounded(void **state)
{
    (void)state;
    const double values[6] = {2049, 2051, 0x1.8p-24, 0x0.8p-24, 0.1, 0x1.ffcp-15};
    em_error err = {0};
    assert_ok(write_table(scratch("half.npy"), EM_F16, 1, 6, values, &err), &err);
    assert_table(scratch("half.npy"), NULL, 1, 6, 2048, 2052, 0x1p-23, 0, 0x1.998p-4, 0x1p-14);
}

static void hdf5_has_a_path_inside(void **state)
{
    (void)state;
    const double values[2] = {1, 2};
    em_error err = {0};
    if (!has_hdf5()) skip_for("HDF5 is not built in");
    assert_ok(write_table(scratch("in.h5:/a/b/c"), EM_F64, 1, 2, values, &err), &err);
    assert_table(scratch("in.h5:/a/b/c"), NULL, 1, 2, 1, 2);
    assert_table(scratch("in.h5"), NULL, 1, 2, 1, 2);
    assert_ok(write_table(scratch("in.h5:/table.csv"), EM_F64, 1, 2, values, &err), &err); /* still HDF5 */
    assert_table(scratch("in.h5:/table.csv"), NULL, 1, 2, 1, 2);
    assert_fails(write_table(scratch("in.h5:/"), EM_F64, 1, 2, values, &err), EM_EOUTPUT, "HDF5 cannot write", &err);
    assert_fails(write_table(scratch("in.h5.gz"), EM_F64, 1, 2, values, &err), EM_EINVAL, "not written gzipped", &err);
}

/* ---- what does not fit ---------------------------------------------------------------------------------- */

static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        em_dtype type;
        double value;
    } cases[] = {
        {EM_U8, 256},     {EM_U8, -1},      {EM_U8, 0.5},     {EM_U8, NAN},     {EM_U8, INFINITY}, {EM_I8, 128},
        {EM_I8, -129},    {EM_I16, 32768},  {EM_I32, 0x1p31}, {EM_I64, 0x1p63}, {EM_I64, NAN},     {EM_U16, 65536},
        {EM_U32, 0x1p32}, {EM_U64, 0x1p64}, {EM_U64, -1},     {EM_BOOL, 2},     {EM_BOOL, 0.5},    {EM_F32, 1e39},
        {EM_F32, -1e300}, {EM_F16, 65536},  {EM_F16, -70000},
    };
    static const char *const names[] = {"fit.npy", "fit.npy.gz", "fit.h5"};
    em_error err = {0};
    for (size_t f = 0; f < sizeof names / sizeof *names - !has_hdf5(); f++)
        for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
            double values[6] = {0, 1, 0, 1, cases[n].value, 0};
            assert_fails(write_table(scratch(names[f]), cases[n].type, 3, 2, values, &err), EM_EDATA, "does not fit",
                         &err);
            assert_non_null(strstr(err.msg, "row 2, column 0: "));
            assert_int_equal(access(scratch(names[f]), F_OK), -1);
        }
}

static void rows_must_be_as_many_as_promised(void **state)
{
    (void)state;
    static const char *const names[] = {"count.npy", "count.csv", "count.csv.gz", "count.h5"};
    const double values[6] = {0};
    em_error err = {0};
    for (size_t f = 0; f < sizeof names / sizeof *names - !has_hdf5(); f++) {
        lab_writer *writer = NULL;
        assert_ok(lab_writer_open(&writer, scratch(names[f]), EM_F64, 2, 2, &err), &err);
        assert_fails(lab_writer_rows(writer, values, 3, &err), EM_EINVAL, "more than the 2 rows", &err);
        assert_ok(lab_writer_rows(writer, values, 0, &err), &err);
        assert_ok(lab_writer_rows(writer, values, 1, &err), &err);
        assert_fails(lab_writer_rows(writer, values, 2, &err), EM_EINVAL, "more than the 2 rows", &err);
        assert_fails(lab_writer_close(&writer, &err), EM_EINVAL, "1 rows of the 2", &err);
        assert_null(writer);
        assert_int_equal(access(scratch(names[f]), F_OK), -1);
    }
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    static const char *const nameless[] = {"file", "file.txt",     "file.npz", "file.gz",
                                           "npy",  "file.csv.bz2", "file.h5.x"};
    lab_writer *writer = (lab_writer *)&state;
    em_error err = {0};
    for (size_t n = 0; n < sizeof nameless / sizeof *nameless; n++)
        assert_fails(lab_writer_open(&writer, scratch(nameless[n]), EM_F64, 1, 1, &err), EM_EINVAL, "tells no format",
                     &err);
    assert_null(writer);
    assert_fails(lab_writer_open(&writer, scratch("a.npy"), EM_F64, 0, 1, &err), EM_EINVAL, "0 rows of 1", &err);
    assert_fails(lab_writer_open(&writer, scratch("a.npy"), EM_F64, 1, 0, &err), EM_EINVAL, "1 rows of 0", &err);
    assert_fails(lab_writer_open(&writer, scratch("a.npy"), (em_dtype)99, 1, 1, &err), EM_EINVAL, "no such type", &err);
    assert_fails(lab_writer_open(&writer, scratch("a.npy"), EM_F64, 1, SIZE_MAX / 2, &err), EM_ENOMEM, "memory", &err);
    assert_fails(lab_writer_open(&writer, scratch("a.idx"), EM_U8, (size_t)1 << 32, 1, &err), EM_EINVAL,
                 "cannot count that many", &err);
    assert_fails(lab_writer_open(&writer, "raw:f32", EM_F64, 1, 1, &err), EM_EINVAL, "raw:TYPE:FILE", &err);
    assert_fails(lab_writer_open(&writer, "raw:f33:file", EM_F64, 1, 1, &err), EM_EINVAL, "raw:TYPE:FILE", &err);
    assert_fails(lab_writer_open(&writer, "raw:f32:", EM_F64, 1, 1, &err), EM_EINVAL, "raw:TYPE:FILE", &err);
    assert_fails(lab_writer_open(&writer, scratch("no/such/place.npy"), EM_F64, 1, 1, &err), EM_EINVAL,
                 "cannot be written", &err);
    assert_null(writer);
    assert_ok(lab_writer_close(&writer, &err), &err); /* accepts NULL */
    lab_writer_discard(&writer);
}

/* ---- whole or not at all ------------------------------------------------------------------------------------ */

static int files_in(const char *place)
{
    int count = 0;
    DIR *directory = opendir(place);
    assert_non_null(directory);
    while (readdir(directory)) count++;
    (void)closedir(directory);
    return count;
}

static void a_file_appears_at_close_and_not_before(void **state)
{
    (void)state;
    static const char *const names[] = {"whole/t.npy", "whole/t.csv", "whole/t.npy.gz", "whole/t.h5"};
    const double values[2] = {1, 2};
    em_error err = {0};
    assert_int_equal(mkdir(scratch("whole"), 0700), 0);
    for (size_t f = 0; f < sizeof names / sizeof *names - !has_hdf5(); f++) {
        lab_writer *writer = NULL;
        const char *path = scratch_text(names[f], "what was there before\n");
        int before = files_in(scratch("whole"));
        assert_ok(lab_writer_open(&writer, path, EM_F64, 1, 2, &err), &err);
        assert_ok(lab_writer_rows(writer, values, 1, &err), &err);
        lab_writer_discard(&writer);
        assert_null(writer);
        assert_int_equal(files_in(scratch("whole")), before); /* nothing left behind */
        size_t count;
        unsigned char *kept = file_bytes(scratch(names[f]), &count);
        assert_int_equal(count, strlen("what was there before\n"));
        free(kept);
        assert_ok(lab_writer_open(&writer, scratch(names[f]), EM_F64, 1, 2, &err), &err);
        assert_ok(lab_writer_rows(writer, values, 1, &err), &err);
        kept = file_bytes(scratch(names[f]), &count);
        assert_memory_equal(kept, "what was there before\n", count);
        free(kept);
        assert_ok(lab_writer_close(&writer, &err), &err);
        assert_table(scratch(names[f]), NULL, 1, 2, 1, 2);
        assert_int_equal(files_in(scratch("whole")), before);
    }
}

/* A device that is always full, under names of every format. */
static void a_full_disk_is_noticed(void **state)
{
    (void)state;
    enum { WIDE = 1000 };
    static const char *const names[] = {"full.npy", "full.csv", "full.idx", "full.csv.gz", "full.npy.gz", "full.h5"};
    static double values[WIDE];
    em_error err = {0};
    if (access("/dev/full", W_OK) != 0) skip_for("no /dev/full");
    for (int n = 0; n < WIDE; n++) values[n] = sin(n); /* so that gzip has something to write */
    for (size_t f = 0; f < sizeof names / sizeof *names - !has_hdf5(); f++) {
        assert_int_equal(symlink("/dev/full", scratch(names[f])), 0);
        assert_fails(write_table(scratch(names[f]), EM_F64, 1, WIDE, values, &err), EM_EOUTPUT, "", &err);
        assert_fails(write_table(scratch(names[f]), EM_F64, 1, 1, values, &err), EM_EOUTPUT, "", &err);
    }
    assert_fails(write_table("/dev/full", EM_F64, 1, WIDE, values, &err), EM_EOUTPUT, "/dev/full", &err);
    assert_fails(write_table("raw:f64:/dev/full", EM_F64, 1, WIDE, values, &err), EM_EOUTPUT, "/dev/full", &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_formats_keep_every_type),
        cmocka_unit_test(text_keeps_every_bit),
        cmocka_unit_test(floats_keep_what_is_not_finite),
        cmocka_unit_test(halves_are_rounded),
        cmocka_unit_test(hdf5_has_a_path_inside),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
        cmocka_unit_test(rows_must_be_as_many_as_promised),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(a_file_appears_at_close_and_not_before),
        cmocka_unit_test(a_full_disk_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
