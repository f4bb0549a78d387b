/* .npy: every type and layout as NumPy writes it, and headers that no NumPy would write. */
#include "data/dtype.h"
#include "support/tables.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES EM_TEST_DATA "/data/files/"

/* ---- what NumPy made (files/make.py) ----------------------------------------------------------- */

static void check_indexed(char *line)
{
    enum { MOST = 64 };
    char *rest, path[1024], *name = strtok_r(line, " ", &rest), *type = strtok_r(NULL, " ", &rest);
    size_t rows = strtoul(strtok_r(NULL, " ", &rest), NULL, 10),
           columns = strtoul(strtok_r(NULL, " ", &rest), NULL, 10);
    double wanted[MOST];
    em_dtype expected;
    assert_true(rows * columns <= MOST);
    if (strcmp(type, "f128") == 0 && LDBL_MANT_DIG != 64) {
        (void)printf("skipped: %s: NumPy's longest float is that of the machine, and this one's is not x86's\n", name);
        return;
    }
    for (size_t n = 0; n < rows * columns; n++) wanted[n] = strtod(strtok_r(NULL, " \n", &rest), NULL);
    (void)snprintf(path, sizeof path, FILES "%s", name);
    check_table(path, NULL, rows, columns, wanted, name, 0);
    em_data *data = open_table(path);
    assert_int_equal(emi_dtype_named(type, strlen(type), &expected), 0);
    assert_int_equal(em_data_type(data), expected);
    assert_string_equal(em_data_format(data), "npy");
    em_data_free(&data);
}

static void every_array_reads_as_numpy_says(void **state)
{
    (void)state;
    char line[4096];
    int files = 0;
    FILE *index = fopen(FILES "index.txt", "r");
    assert_non_null(index);
    for (; fgets(line, sizeof line, index); files++) check_indexed(line);
    (void)fclose(index);
    assert_int_equal(files, 13 * 4 + 8);
}

static void what_is_no_table_has_its_own_words(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        em_status code;
        const char *words;
    } cases[] = {
        {FILES "refused-scalar.npy", EM_EDATA, "0 dimensions"},
        {FILES "refused-one-dim.npy", EM_EDATA, "1 dimension,"},
        {FILES "refused-no-rows.npy", EM_EDATA, "no numbers in it"},
        {FILES "refused-no-columns.npy", EM_EDATA, "no numbers in it"},
        {FILES "refused-fortran-three-dims.npy", EM_ENOTSUP, "3 dimensions in Fortran order"},
        {FILES "refused-complex.npy", EM_ENOTSUP, "complex numbers ('<c16')"},
        {FILES "refused-bytes.npy", EM_ENOTSUP, "bytes ('|S2')"},
        {FILES "refused-text.npy", EM_ENOTSUP, "holds text"},
        {FILES "refused-dates.npy", EM_ENOTSUP, "dates or times ('<M8[D]')"},
        {FILES "refused-durations.npy", EM_ENOTSUP, "dates or times ('<m8[s]')"},
        {FILES "refused-records.npy", EM_ENOTSUP, "several fields"},
        {FILES "refused-void.npy", EM_ENOTSUP, "records ('|V4')"},
        {FILES "refused-objects.npy", EM_ENOTSUP, "Python objects ('|O')"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        assert_refused(cases[n].path, NULL, cases[n].code, cases[n].words);
}

/* ---- headers of any kind ----------------------------------------------------------------------------- */

static const unsigned char six_bytes[6] = {1, 2, 3, 4, 5, 6};

static void a_header_may_be_written_otherwise(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr':'|u1','fortran_order':False,'shape':(3,2)}",
        "{\"shape\": (3, 2,), \"fortran_order\": False, \"descr\": \"<u1\"}   \n",
        "  { 'shape' : ( 3 , 2 ) , 'descr' : '>u1' , 'fortran_order' : False , }\n\n",
        "{'descr': '=u1', 'fortran_order': False, 'shape': (00003, 2)}",
    };
    for (size_t n = 0; n < sizeof headers / sizeof *headers; n++)
        assert_table(scratch_npy("other.npy", headers[n], six_bytes, 6), NULL, 3, 2, 1, 2, 3, 4, 5, 6);
}

static const char *const hostile[] = {
    "",
    " ",
    "{",
    "{}",
    "[]",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2)",             /* no end */
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), } trailing", /* text after it */
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2, ",
    "{'descr': '|u1', 'fortran_order': False, 'shape': ",
    "{'descr': '|u1', 'fortran_order': False, 'shape'",
    "{'descr': '|u1', 'fortran_order': False, 'shap",
    "{'descr': '|u1",
    "{'descr': '|u1', 'fortran_order': False, }", /* a key is missing */
    "{'descr': '|u1', 'shape': (3, 2), }",
    "{'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }", /* twice */
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), 'shape': (3, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), 'more': 1, }", /* one too many */
    "{'descr': {'descr': '|u1'}, 'fortran_order': False, 'shape': (3, 2), }", /* nested */
    "{{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': ((3), 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': ((((((((((((((((((((3, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': [3, 2], }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3,, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (-3, -2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (+3, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3.0, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (0x3, 2), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3L, 2L), }",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 3, 2), }", /* nine dimensions */
    "{'descr': '|u1', 'fortran_order': 0, 'shape': (3, 2), }",
    "{'descr': '|u1', 'fortran_order': Falsehood, 'shape': (3, 2), }",
    "{'descr': '|u1', 'fortran_order': 'False', 'shape': (3, 2), }",
    "{'descr': '|\\x75\\x31', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u1111111111111111111111111111111111', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|\303\2741', 'fortran_order': False, 'shape': (3, 2), }", /* not ASCII */
    "{'d\xc3\xa9scr': '|u1', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr' '|u1', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u1' 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u1\", 'fortran_order': False, 'shape': (3, 2), }",
    "{descr: '|u1', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': 'u1', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u1x', 'fortran_order': False, 'shape': (3, 2), }",
    "{'descr': '|u-1', 'fortran_order': False, 'shape': (3, 2), }",
    "__import__('os').system('true')",
};

static void hostile_headers_are_refused(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof hostile / sizeof *hostile; n++)
        assert_refused(scratch_npy("hostile.npy", hostile[n], six_bytes, 6), NULL, EM_EDATA, "understood");
}

static void types_of_odd_sizes_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"|u0", "<u3", "<u16", "<f1", "<f3", "<f12", "<f32", "|b2", "<i16", "<x8"};
    char header[128];
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        (void)snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3, 2), }", types[n]);
        assert_refused(scratch_npy("odd.npy", header, six_bytes, 6), NULL, EM_ENOTSUP, "not supported");
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------ */

static void sizes_that_no_memory_holds_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *words;
    } cases[] = {
        {"(1152921504606846976, 2)", "claims more than memory holds"}, /* 2^60 rows */
        {"(1152921504606846976, 1)", "claims more than memory holds"},
        {"(4294967296, 4294967296)", "claims more than memory holds"},
        {"(9223372036854775807, 9223372036854775807)", "claims more than memory holds"},
        {"(4294967296, 4294967296, 0)", "claims more than memory holds"},
        {"(0, 4294967296, 4294967296)", "no numbers"},
        {"(1000000000000, 2)", "promises 16000000000"}, /* a size that could be, but is not there */
        {"(9223372036854775808, 1)", "not understood"},
        {"(18446744073709551617, 2)", "not understood"}, /* 2^64 + 1 must not be 1 */
        {"(99999999999999999999999999999999, 2)", "not understood"},
    };
    char header[160];
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        (void)snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }",
                       cases[n].shape);
        assert_refused(scratch_npy("huge.npy", header, six_bytes, 6), NULL, EM_EDATA, cases[n].words);
    }
}

static void a_header_longer_than_any_is_refused(void **state)
{
    (void)state;
    const unsigned char version_2[16] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff, '{'};
    const unsigned char version_1[16] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0xff, 0xff, '{'};
    const unsigned char version_0[16] = {0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0, 4, 0, '{'};
    const unsigned char version_4[16] = {0x93, 'N', 'U', 'M', 'P', 'Y', 4, 0, 4, 0, 0, 0, '{'};
    assert_refused(scratch_file("v2.npy", version_2, 16), NULL, EM_EDATA, "header claims 4294967295 bytes");
    assert_refused(scratch_file("v1.npy", version_1, 16), NULL, EM_EDATA, "header claims 65535 bytes");
    assert_refused(scratch_file("v0.npy", version_0, 16), NULL, EM_EDATA, "version 0");
    assert_refused(scratch_file("v4.npy", version_4, 16), NULL, EM_EDATA, "version 4");
}

static void a_file_cut_or_lengthened_is_refused(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = file_bytes(FILES "u8-little-C.npy", &count), *longer = malloc(count + 1);
    assert_non_null(longer);
    assert_no_prefix_opens("cut.npy", bytes, count);
    memcpy(longer, bytes, count);
    longer[count] = 0;
    assert_refused(scratch_file("long.npy", longer, count + 1), NULL, EM_EDATA, "holds more than the");
    free(longer);
    free(bytes);
}

/* The name says nothing: content comes first. */
static void content_comes_before_the_name(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = file_bytes(FILES "one-number.npy", &count);
    assert_table(scratch_file("table.csv", bytes, count), NULL, 1, 1, 42);
    assert_table(scratch_file("batch.bin", bytes, count), NULL, 1, 1, 42);
    assert_table(scratch_file("nameless", bytes, count), NULL, 1, 1, 42);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_array_reads_as_numpy_says),     cmocka_unit_test(what_is_no_table_has_its_own_words),
        cmocka_unit_test(a_header_may_be_written_otherwise),   cmocka_unit_test(hostile_headers_are_refused),
        cmocka_unit_test(types_of_odd_sizes_are_refused),      cmocka_unit_test(sizes_that_no_memory_holds_are_refused),
        cmocka_unit_test(a_header_longer_than_any_is_refused), cmocka_unit_test(a_file_cut_or_lengthened_is_refused),
        cmocka_unit_test(content_comes_before_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
