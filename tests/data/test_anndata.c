/* AnnData's .h5ad, made by HDF5 itself as AnnData lays it out. */
#include "base/config.h"
#include "support/tables.h"

#include <stdio.h>
#include <string.h>

#if EMI_HAVE_HDF5
#include <hdf5.h>

typedef struct making {
    const char *encoding; /* of the group; NULL: no such attribute */
    long long shape[2], starts[4], indices[4];
    hsize_t starts_count, indices_count, values_count, shape_count;
    hid_t values_type, index_type;
    int variable;         /* text of any length */
    const char *left_out; /* which list is not there */
} making;

/* 3 x 2: (1 2) (0 0) (4 3) */
static making right(void)
{
    return (making){.encoding = "csr_matrix",
                    .shape = {3, 2},
                    .starts = {0, 2, 2, 4},
                    .indices = {0, 1, 1, 0},
                    .starts_count = 4,
                    .indices_count = 4,
                    .values_count = 4,
                    .shape_count = 2,
                    .values_type = H5T_IEEE_F32LE,
                    .index_type = H5T_STD_I32LE,
                    .variable = 1};
}

static hid_t text_type(int variable, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, variable ? H5T_VARIABLE : size) >= 0);
    assert_true(H5Tset_cset(type, H5T_CSET_UTF8) >= 0);
    return type;
}

static void put_word(hid_t object, const char *name, const char *word, int variable)
{
    hid_t type = text_type(variable, strlen(word)), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, variable ? (const void *)&word : word) >= 0);
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

static void put_list(hid_t group, const making *m, const char *name, hid_t type, hid_t from, hsize_t count,
                     const void *values)
{
    if (m->left_out && strcmp(m->left_out, name) == 0) return;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values) assert_true(H5Dwrite(set, from, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
}

static void put_matrix(hid_t file, const char *path, const making *m)
{
    static const double values[4] = {1, 2, 3, 4};
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          space = H5Screate_simple(1, &m->shape_count, NULL);
    if (m->encoding) put_word(group, "encoding-type", m->encoding, m->variable);
    hid_t shape = H5Acreate2(group, "shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(shape, H5T_NATIVE_LLONG, m->shape) >= 0);
    (void)H5Aclose(shape);
    (void)H5Sclose(space);
    put_list(group, m, "indptr", m->index_type, H5T_NATIVE_LLONG, m->starts_count, m->starts);
    put_list(group, m, "indices", m->index_type, H5T_NATIVE_LLONG, m->indices_count, m->indices);
    put_list(group, m, "data", m->values_type, H5T_NATIVE_DOUBLE, m->values_count, values);
    (void)H5Gclose(group);
}

/* A frame of so many rows, whose names are in a list that its attribute _index names. */
static void put_frame(hid_t file, const char *path, const making *m, const char *const *names, hsize_t count)
{
    enum { LONGEST = 8 };
    char fixed[4][LONGEST] = {{0}};
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), type = text_type(m->variable, LONGEST);
    for (hsize_t n = 0; n < count; n++) (void)snprintf(fixed[n], LONGEST, "%s", names[n]);
    put_word(group, "_index", "name", m->variable);
    put_list(group, m, "name", type, type, count, m->variable ? (const void *)names : fixed);
    (void)H5Tclose(type);
    (void)H5Gclose(group);
}

static hid_t new_file(void)
{
    hid_t file = H5Fcreate(scratch("made.h5ad"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static const char *const genes[] = {"ACTB", "g\xC3\xB6"}, *const cells[] = {"c1", "c2", "c3"};

static const char *file_of(making m)
{
    hid_t file = new_file();
    put_matrix(file, "X", &m);
    put_frame(file, "obs", &m, cells, 3);
    put_frame(file, "var", &m, genes, 2);
    (void)H5Fclose(file);
    return scratch("made.h5ad");
}

static const em_read_options turned = {.size = sizeof(em_read_options), .transpose = 1};

static void matrices_of_every_type(void **state)
{
    (void)state;
    const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I64LE, H5T_STD_U8LE},
                indices[] = {H5T_STD_I32LE, H5T_STD_I64BE, H5T_STD_U32LE, H5T_STD_I64LE};
    const em_dtype read_as[] = {EM_F32, EM_F64, EM_F32, EM_F32};
    for (int n = 0; n < 4; n++) {
        making m = right();
        m.values_type = types[n], m.index_type = indices[n], m.variable = n % 2;
        assert_table(file_of(m), NULL, 3, 2, 1, 2, 0, 0, 4, 3);
        assert_table(scratch("made.h5ad:/X"), NULL, 3, 2, 1, 2, 0, 0, 4, 3);
        assert_table(scratch("made.h5ad"), &turned, 2, 3, 1, 0, 4, 2, 0, 3);
        em_data *data = open_table(scratch("made.h5ad"));
        assert_int_equal(em_data_type(data), read_as[n]);
        assert_string_equal(em_data_format(data), "h5ad");
        em_data_free(&data);
    }
}

static void matrices_of_columns(void **state)
{
    (void)state;
    making m = right();
    m.encoding = "csc_matrix";
    m.shape[0] = 2, m.shape[1] = 3;
    assert_table(file_of(m), NULL, 2, 3, 1, 0, 4, 2, 0, 3);
    assert_table(scratch("made.h5ad"), &turned, 3, 2, 1, 2, 0, 0, 4, 3);
}

static void check_names(const em_read_options *options, const char *first, const char *second)
{
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_open(&data, scratch("made.h5ad"), options, &err), &err);
    assert_string_equal(em_data_column_name(data, 0), first);
    assert_string_equal(em_data_column_name(data, 1), second);
    em_data_free(&data);
}

static void columns_have_the_genes_names(void **state)
{
    (void)state;
    const char *const wanted[] = {"g\xC3\xB6", "ACTB"}, *const others[] = {"g\xC3\xB6", "MYC"},
                      *const twice[] = {"ACTB", "ACTB"};
    em_read_options by_names = {.size = sizeof by_names, .features = wanted, .feature_count = 2, .features_of = "a"},
                    missing = by_names, same = by_names, one = {.size = sizeof one, .columns = "g\xC3\xB6,0"};
    missing.features = others, same.features = twice;
    for (int variable = 0; variable < 2; variable++) {
        making m = right();
        m.variable = variable;
        (void)file_of(m);
        check_names(NULL, "ACTB", "g\xC3\xB6");
        check_names(&turned, "c1", "c2");
        check_names(&one, "g\xC3\xB6", "ACTB");
        check_names(&by_names, "g\xC3\xB6", "ACTB");
        assert_table(scratch("made.h5ad"), &by_names, 3, 2, 2, 1, 0, 0, 3, 4);
        assert_refused(scratch("made.h5ad"), &missing, EM_EDATA, "has no column MYC, as a has");
        assert_refused(scratch("made.h5ad"), &same, EM_EDATA, "more than one feature of a is called ACTB");
    }
}

/* Compressed and in chunks, with other tables beside them. */
static void what_h5py_writes(void **state)
{
    (void)state;
    static const char *const files[] = {EM_TEST_DATA "/data/files/cells-csr.h5ad",
                                        EM_TEST_DATA "/data/files/cells-csc.h5ad"},
                             *const layers[] = {EM_TEST_DATA "/data/files/cells-csr.h5ad:/layers/counts",
                                                EM_TEST_DATA "/data/files/cells-csc.h5ad:/layers/counts"};
    for (int n = 0; n < 2; n++) {
        assert_table(files[n], NULL, 5, 4, 0, 1.5, 0, 0, 0, 0, 0, 0, 2, 0, 0, -3, 0, 0, 4, 0.25, 0, 0, 0, 5);
        assert_table(layers[n], NULL, 5, 4, 0, 6, 0, 0, 0, 0, 0, 0, 8, 0, 0, -12, 0, 0, 16, 1, 0, 0, 0, 20);
        em_data *data = open_table(files[n]), *counts = open_table(layers[n]);
        assert_string_equal(em_data_column_name(data, 2), "g\xC3\xB6");
        assert_string_equal(em_data_column_name(counts, 3), "TP53");
        assert_int_equal(em_data_type(counts), EM_F32);
        em_data_free(&counts);
        em_data_free(&data);
    }
}

/* Names that are not of as many columns are none; nor are those of a file without frames. */
static void files_without_names(void **state)
{
    (void)state;
    making m = right();
    hid_t file = new_file();
    put_matrix(file, "X", &m);
    put_frame(file, "obs", &m, cells, 3);
    put_frame(file, "var", &m, genes, 1);
    (void)H5Gclose(H5Gcreate2(file, "layers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    m.starts[1] = m.starts[2] = m.starts[3] = 0;
    put_matrix(file, "layers/empty", &m);
    (void)H5Fclose(file);
    em_data *data = open_table(scratch("made.h5ad"));
    assert_null(em_data_column_name(data, 0));
    em_data_free(&data);
    assert_table(scratch("made.h5ad:/layers/empty"), NULL, 3, 2, 0, 0, 0, 0, 0, 0);
    assert_refused(scratch("made.h5ad:/layers"), NULL, EM_EDATA, "no dataset /layers");
}

/* A dense X is what is meant, whatever other tables there are, and has names too. */
static void dense_tables(void **state)
{
    (void)state;
    const double values[6] = {1, 2, 3, 4, 5, 6};
    const hsize_t shape[] = {3, 2};
    making m = right();
    hid_t file = new_file(), space = H5Screate_simple(2, shape, NULL);
    put_frame(file, "obs", &m, cells, 3);
    put_frame(file, "var", &m, genes, 2);
    const char *const paths[] = {"X", "other"};
    for (int n = 0; n < 2; n++) {
        hid_t set = H5Dcreate2(file, paths[n], H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        (void)H5Dclose(set);
    }
    (void)H5Sclose(space);
    (void)H5Fclose(file);
    assert_table(scratch("made.h5ad"), NULL, 3, 2, 1, 2, 3, 4, 5, 6);
    check_names(NULL, "ACTB", "g\xC3\xB6");
    assert_refused(scratch("made.h5ad"), &turned, EM_EINVAL, "only a sparse matrix is transposed");
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    making m = right();
    m.encoding = "coo_matrix";
    assert_refused(file_of(m), NULL, EM_ENOTSUP, "encoded as 'coo_matrix'; try csr_matrix");
    m = right(), m.encoding = NULL;
    assert_refused(file_of(m), NULL, EM_ENOTSUP, "encoded as ''");
    m = right(), m.shape_count = 1;
    assert_refused(file_of(m), NULL, EM_EDATA, "no attribute shape");
    m = right(), m.shape[0] = -3;
    assert_refused(file_of(m), NULL, EM_EDATA, "-3 x 2 is no shape");
    m = right(), m.shape[1] = 1LL << 40;
    assert_refused(file_of(m), NULL, EM_EDATA, "is no shape");
    m = right(), m.shape[0] = 2;
    assert_refused(file_of(m), NULL, EM_EDATA, "4 starts, 4 indices and 4 values for 2 rows");
    m = right(), m.indices_count = 3;
    assert_refused(file_of(m), NULL, EM_EDATA, "4 starts, 3 indices and 4 values for 3 rows");
    m = right(), m.starts[1] = 3;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 1 (from 0) goes from entry 3 to 2 of 4");
    m = right(), m.starts[3] = 9;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 2 (from 0) goes from entry 2 to 9 of 4");
    m = right(), m.starts[0] = 1;
    assert_refused(file_of(m), NULL, EM_EDATA, "first row begins at entry 1");
    m = right(), m.indices[3] = 2;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 2 has an entry in column 2");
    m = right(), m.indices[3] = -1;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 2 has an entry in column -1");
    m = right(), m.index_type = H5T_STD_I64LE, m.indices[3] = 1LL << 40;
    assert_refused(file_of(m), NULL, EM_EDATA, "row 2 has an entry in column 2147483647");
    m = right(), m.index_type = H5T_IEEE_F64LE;
    assert_refused(file_of(m), NULL, EM_EDATA, "indptr of its sparse matrix is no list of numbers");
    m = right(), m.left_out = "data";
    assert_refused(file_of(m), NULL, EM_EDATA, "no dataset /X");
}

/* Lists that claim a size and hold nothing are not believed. */
static void lists_that_were_never_written(void **state)
{
    (void)state;
    making m = right();
    m.left_out = "data";
    (void)file_of(m);
    m.left_out = NULL;
    hid_t file = H5Fopen(scratch("made.h5ad"), H5F_ACC_RDWR, H5P_DEFAULT), group = H5Gopen2(file, "X", H5P_DEFAULT);
    put_list(group, &m, "data", H5T_IEEE_F64LE, 0, (hsize_t)1 << 40, NULL);
    (void)H5Gclose(group);
    (void)H5Fclose(file);
    assert_refused(scratch("made.h5ad"), NULL, EM_EDATA, "data of its sparse matrix is no list of numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_every_type),       cmocka_unit_test(matrices_of_columns),
        cmocka_unit_test(columns_have_the_genes_names), cmocka_unit_test(what_h5py_writes),
        cmocka_unit_test(files_without_names),          cmocka_unit_test(dense_tables),
        cmocka_unit_test(what_is_wrong_is_said),        cmocka_unit_test(lists_that_were_never_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    (void)printf("skipped: HDF5 is not built in\n");
    return 77;
}
#endif
