/* HDF5: files made by the library itself, as other programs make them. */
#include "base/config.h"
#include "lab/tables/writer.h"
#include "support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if EMI_HAVE_HDF5
#include <hdf5.h>

static hid_t new_file(const char *name)
{
    hid_t file = H5Fcreate(scratch(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* A dataset of `type` that counts up from 0. */
static void put(hid_t file, const char *name, hid_t type, int dims, const hsize_t *shape)
{
    double values[64];
    for (int n = 0; n < 64; n++) values[n] = n;
    hid_t space = dims ? H5Screate_simple(dims, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (H5Tget_class(type) != H5T_STRING)
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
}

static const char *file_with(const char *name, const char *set, hid_t type, int dims, const hsize_t *shape)
{
    hid_t file = new_file(name);
    put(file, set, type, dims, shape);
    (void)H5Fclose(file);
    return scratch(name);
}

static void numbers_of_every_type_are_read(void **state)
{
    (void)state;
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE,
                           H5T_STD_I8LE,   H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I64BE,
                           H5T_STD_U8LE,   H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_U64LE};
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        const char *path = file_with("types.h5", "table", types[n], 2, (hsize_t[]){3, 2});
        assert_table(path, NULL, 3, 2, 0, 1, 2, 3, 4, 5);
        em_data *data = open_table(path);
        assert_string_equal(em_data_format(data), "hdf5");
        em_data_free(&data);
    }
}

static void dimensions_after_the_first_are_columns(void **state)
{
    (void)state;
    assert_table(file_with("cube.h5", "cube", H5T_IEEE_F64LE, 3, (hsize_t[]){2, 2, 2}), NULL, 2, 4, 0, 1, 2, 3, 4, 5, 6,
                 7);
    assert_table(file_with("wide.h5", "wide", H5T_STD_I32LE, 2, (hsize_t[]){1, 3}), NULL, 1, 3, 0, 1, 2);
}

static void one_of_several_must_be_named(void **state)
{
    (void)state;
    hid_t file = new_file("several.h5");
    (void)H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put(file, "train", H5T_IEEE_F64LE, 2, (hsize_t[]){2, 2});
    put(file, "group/test", H5T_IEEE_F64LE, 2, (hsize_t[]){1, 2});
    put(file, "labels", H5T_STD_I8LE, 1, (hsize_t[]){4});
    put(file, "number", H5T_STD_I8LE, 0, NULL);
    (void)H5Fclose(file);
    assert_refused(scratch("several.h5"), NULL, EM_EINVAL, "2 tables in it (/group/test, /train)");
    assert_table(scratch("several.h5:/train"), NULL, 2, 2, 0, 1, 2, 3);
    assert_table(scratch("several.h5:/group/test"), NULL, 1, 2, 0, 1);
    assert_refused(scratch("several.h5:/missing"), NULL, EM_EDATA, "no dataset /missing");
    assert_refused(scratch("several.h5:/group"), NULL, EM_EDATA, "no dataset /group");
    assert_refused(scratch("several.h5:/labels"), NULL, EM_EDATA, "/labels is no table");
    assert_refused(scratch("several.h5:/number"), NULL, EM_EDATA, "/number is no table");
}

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    (void)H5Fclose(new_file("none.h5"));
    assert_refused(scratch("none.h5"), NULL, EM_EDATA, "no table of numbers in it");
    assert_refused(file_with("text.h5", "words", H5T_C_S1, 2, (hsize_t[]){2, 2}), NULL, EM_EDATA, "no table");
    assert_refused(scratch("text.h5:/words"), NULL, EM_EDATA, "/words is no table");
    assert_refused(file_with("empty.h5", "rows", H5T_STD_I8LE, 2, (hsize_t[]){0, 2}), NULL, EM_EDATA, "0 rows of 2");
}

static void a_packed_file_is_read_from_memory(void **state)
{
    (void)state;
    size_t count, packed;
    unsigned char *bytes = file_bytes(file_with("t.h5", "t", H5T_IEEE_F32LE, 2, (hsize_t[]){2, 2}), &count);
    unsigned char *gz = file_bytes(scratch_gz("t.h5.gz", bytes, count), &packed);
    assert_table(scratch("t.h5.gz"), NULL, 2, 2, 0, 1, 2, 3);
    assert_table(scratch("t.h5.gz:/t"), NULL, 2, 2, 0, 1, 2, 3);
    for (size_t cut = 1; cut < packed; cut += 7) {
        em_data *data = NULL;
        em_error err = {0};
        assert_int_equal(em_data_open(&data, scratch_file("cut.h5.gz", gz, packed - cut), NULL, &err), EM_EDATA);
        assert_null(data);
    }
    assert_refused(scratch_gz("short.h5.gz", bytes, count - 1), NULL, EM_EDATA, "cut short");
    free(gz);
    free(bytes);
}

static void a_file_cut_short_is_refused(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = file_bytes(file_with("t.h5", "t", H5T_IEEE_F64LE, 2, (hsize_t[]){3, 2}), &count);
    assert_no_prefix_opens("cut.h5", bytes, count);
    free(bytes);
}

/* HDF5's own report of errors is given back as it was, and nothing of ours stays open. */
static void the_library_is_left_as_it_was(void **state)
{
    (void)state;
    H5E_auto2_t before, after;
    void *client_before, *client_after;
    (void)H5Eget_auto2(H5E_DEFAULT, &before, &client_before);
    assert_refused(scratch("several.h5:/missing"), NULL, EM_EDATA, "no dataset");
    (void)H5Eget_auto2(H5E_DEFAULT, &after, &client_after);
    assert_true(before == after && client_before == client_after);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void a_path_inside_is_not_for_every_format(void **state)
{
    (void)state;
    (void)scratch_text("table.csv", "1,2\n");
    for (int slash = 0; slash < 2; slash++)
        assert_refused(scratch(slash ? "table.csv:/data" : "table.csv:data"), NULL, EM_EINVAL,
                       "is no HDF5 file and no .npz, and has nothing inside");
}

/* A file's own name may have colons: the last one before which there is a file ends it. */
static void the_file_ends_where_there_is_one(void **state)
{
    (void)state;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s", file_with("a:b.h5", "X", H5T_STD_I8LE, 2, (hsize_t[]){1, 2}));
    assert_table(path, NULL, 1, 2, 0, 1);
    assert_table(scratch("a:b.h5:X"), NULL, 1, 2, 0, 1);
    assert_table(scratch("a:b.h5:/X"), NULL, 1, 2, 0, 1);
    assert_refused(scratch("a:b.h5:"), NULL, EM_EDATA, "no dataset");
    assert_refused(scratch("a:X"), NULL, EM_EIO, "No such file");
    (void)scratch_text("a:b.h5:X", "7,8\n9,10\n"); /* a file of the whole name comes first */
    assert_table(scratch("a:b.h5:X"), NULL, 2, 2, 7, 8, 9, 10);
}

/* As h5py writes them. */
static void booleans_are_numbers(void **state)
{
    (void)state;
    const signed char no = 0, yes = 1, values[4] = {0, 1, 1, 0};
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8), file = new_file("bool.h5");
    assert_true(H5Tenum_insert(type, "FALSE", &no) >= 0 && H5Tenum_insert(type, "TRUE", &yes) >= 0);
    hid_t space = H5Screate_simple(2, (hsize_t[]){2, 2}, NULL);
    hid_t set = H5Dcreate2(file, "flags", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Fclose(file);
    assert_table(scratch("bool.h5"), NULL, 2, 2, 0, 1, 1, 0);
    em_data *data = open_table(scratch("bool.h5"));
    assert_int_equal(em_data_type(data), EM_BOOL);
    em_data_free(&data);
}

/* Colours, though they are numbers to a machine. */
static void other_enumerations_are_refused(void **state)
{
    (void)state;
    const signed char red = 0, green = 1;
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8), file = new_file("colours.h5");
    assert_true(H5Tenum_insert(type, "RED", &red) >= 0 && H5Tenum_insert(type, "GREEN", &green) >= 0);
    hid_t space = H5Screate_simple(2, (hsize_t[]){2, 2}, NULL);
    (void)H5Dclose(H5Dcreate2(file, "colours", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Fclose(file);
    assert_refused(scratch("colours.h5"), NULL, EM_EDATA, "no table of numbers in it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type_are_read),    cmocka_unit_test(dimensions_after_the_first_are_columns),
        cmocka_unit_test(one_of_several_must_be_named),      cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(a_packed_file_is_read_from_memory), cmocka_unit_test(a_file_cut_short_is_refused),
        cmocka_unit_test(the_library_is_left_as_it_was),     cmocka_unit_test(a_path_inside_is_not_for_every_format),
        cmocka_unit_test(the_file_ends_where_there_is_one),  cmocka_unit_test(booleans_are_numbers),
        cmocka_unit_test(other_enumerations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void its_absence_is_said(void **state)
{
    (void)state;
    lab_writer *writer = NULL;
    em_error err = {0};
    assert_refused(scratch_file("t.h5", "\x89HDF\r\n\x1a\n and more", 17), NULL, EM_ENOTSUP, "HDF5 is not built in");
    assert_fails(lab_writer_open(&writer, scratch("t.h5"), EM_F64, 1, 1, &err), EM_ENOTSUP, "HDF5 is not built in",
                 &err);
    assert_null(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(its_absence_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
