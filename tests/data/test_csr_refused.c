/* Sparse rows as a caller may lend them: what is there twice, and what is no matrix. */
#include "support/check.h"

/* What a row has twice is added up in a copy: the caller's arrays stay as they are. */
static void what_is_twice_is_added_up(void **state)
{
    (void)state;
    em_error err = {0};
    em_data *data = NULL;
    double values[] = {1, 2, 4, 8, 16, 32}, rows[6];
    const int32_t indices[] = {2, 0, 2, 1, 2, 2}, starts[] = {0, 3, 6};
    assert_ok(em_data_from_csr(&data, values, EM_F64, indices, starts, EM_I32, 2, 3, &err), &err);
    assert_ok(em_data_read(data, 0, 2, rows, &err), &err);
    assert_memory_equal(rows, ((double[]){2, 0, 5, 0, 8, 48}), sizeof rows);
    assert_memory_equal(values, ((double[]){1, 2, 4, 8, 16, 32}), sizeof values);
    em_data_free(&data);
}

typedef struct wrong {
    const char *words;
    em_status code;
    int32_t starts[4], indices[4];
} wrong;

static void what_is_no_matrix_is_refused(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4};
    const wrong all[] = {{"first row begins at entry 1", EM_EDATA, {1, 2, 3, 4}, {0, 1, 0, 1}},
                         {"first row begins at entry -1", EM_EDATA, {-1, 2, 3, 4}, {0, 1, 0, 1}},
                         {"row 1 (from 0) goes from entry 3 to 2", EM_EDATA, {0, 3, 2, 4}, {0, 1, 0, 1}},
                         {"row 0 (from 0) goes from entry 0 to 2 of 0", EM_EDATA, {0, 2, 4, -5}, {0, 1, 0, 1}},
                         {"row 1 has an entry in column 2", EM_EDATA, {0, 2, 4, 4}, {0, 1, 0, 2}},
                         {"row 0 has an entry in column -1", EM_EDATA, {0, 2, 4, 4}, {-1, 1, 0, 1}}};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        em_error err = {0};
        em_data *data = NULL;
        assert_fails(em_data_from_csr(&data, values, EM_F64, all[n].indices, all[n].starts, EM_I32, 3, 2, &err),
                     all[n].code, all[n].words, &err);
        assert_null(data);
    }
}

/* Starts that go far past the entries, and come back: nothing is looked for there. */
static void starts_are_looked_at_first(void **state)
{
    (void)state;
    const double values[] = {1, 2};
    const int32_t indices[] = {0, 1}, starts[] = {0, 1, 2000000000, 2};
    em_error err = {0};
    em_data *data = NULL;
    assert_fails(em_data_from_csr(&data, values, EM_F64, indices, starts, EM_I32, 3, 2, &err), EM_EDATA,
                 "row 1 (from 0) goes from entry 1 to 2000000000 of 2", &err);
    assert_null(data);
}

static void what_is_no_argument_is_refused(void **state)
{
    (void)state;
    em_error err = {0};
    em_data *data = NULL;
    const double values[] = {1, 2};
    const int32_t indices[] = {0, 1}, starts[] = {0, 1, 2};
    assert_fails(em_data_from_csr(&data, values, EM_F64, indices, NULL, EM_I32, 2, 2, &err), EM_EINVAL, "2 rows of 2",
                 &err);
    assert_fails(em_data_from_csr(&data, values, EM_F64, indices, starts, EM_I32, 0, 2, &err), EM_EINVAL, "0 rows of 2",
                 &err);
    assert_fails(em_data_from_csr(&data, values, EM_F64, indices, starts, EM_I32, 2, 0, &err), EM_EINVAL, "2 rows of 0",
                 &err);
    assert_fails(em_data_from_csr(&data, values, EM_I32, indices, starts, EM_I32, 2, 2, &err), EM_EINVAL, "EM_F32",
                 &err);
    assert_fails(em_data_from_csr(&data, values, EM_F64, indices, starts, EM_U8, 2, 2, &err), EM_EINVAL, "EM_I64",
                 &err);
    assert_fails(em_data_from_csr(&data, NULL, EM_F64, indices, starts, EM_I32, 2, 2, &err), EM_EINVAL, "NULL", &err);
    assert_fails(em_data_from_csr(&data, values, EM_F64, NULL, starts, EM_I32, 2, 2, &err), EM_EINVAL, "NULL", &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_twice_is_added_up),
        cmocka_unit_test(what_is_no_matrix_is_refused),
        cmocka_unit_test(starts_are_looked_at_first),
        cmocka_unit_test(what_is_no_argument_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
