/* Moments as a table without rows; and their file. */
#include "data/accumulate.h"
#include "support/check.h"
#include "support/moments.h"

#include <stdlib.h>
#include <string.h>

enum { D = 9, ROWS = 400 };

static void a_table_without_rows(void **state)
{
    (void)state;
    em_error err = {0};
    double *rows = moments_rows(ROWS, D, 9), out[D], scores[2] = {0};
    em_moments *m = moments_create(D);
    em_data *data = NULL;
    em_shards *shards = NULL;
    assert_fails(em_data_from_moments(&data, m, &err), EM_EDATA, "of no rows", &err);
    moments_add(m, rows, EM_F64, ROWS, D);
    assert_ok(em_data_from_moments(&data, m, &err), &err);
    assert_int_equal(em_data_rows(data), ROWS);
    assert_string_equal(em_data_format(data), "moments");
    assert_ptr_equal(em_data_moments(data), m);
    assert_fails(em_data_read(data, 0, 1, out, &err), EM_ENOTSUP, "holds the moments of rows, and no row", &err);
    assert_fails(em_shards_split(&shards, data, 2, NULL, 0, &err), EM_EINVAL, "moments are one node's, whole", &err);
    assert_fails(em_project(data, NULL, NULL, rows, 1, EM_F64, scores, 1, &err), EM_ENOTSUP, "and no row", &err);
    em_data_free(&data);
    em_moments_free(&m);
    free(rows);
}

static void files_keep_all_digits(void **state)
{
    (void)state;
    em_error err = {0};
    double *rows = moments_rows(ROWS, D, 10), before[D * D], after[D * D];
    const char *path = scratch("m.npz");
    for (int sketched = 0; sketched < 2; sketched++) {
        em_moments *m = NULL, *loaded = NULL;
        assert_ok(emi_moments_new(&m, D, sketched ? 4 : 0, &err), &err);
        moments_add(m, rows, EM_F64, ROWS / 2, D);
        assert_ok(em_moments_forget(m, 0.3, &err), &err);
        moments_add(m, rows + (size_t)ROWS / 2 * D, EM_F64, ROWS / 2, D);
        assert_ok(em_moments_save(m, path, &err), &err);
        assert_ok(em_moments_load(&loaded, path, &err), &err);
        assert_int_equal(em_moments_rows(loaded), ROWS);
        assert_int_equal(em_moments_directions(loaded), sketched ? 4 : 0);
        assert_true(em_moments_weight(loaded) == em_moments_weight(m) && loaded->squared == m->squared);
        assert_ok(em_moments_covariance(m, before, &err), &err);
        assert_ok(em_moments_covariance(loaded, after, &err), &err);
        assert_memory_equal(before, after, sizeof before);
        assert_memory_equal(m->mean, loaded->mean, sizeof *m->mean * 2 * D);
        em_moments_free(&loaded);
        em_moments_free(&m);
    }
    free(rows);
}

/* Some of the columns, by position and by name, in another order. */
static void columns_of_a_file(void **state)
{
    (void)state;
    enum { SOME = 3 };
    em_error err = {0};
    double *rows = moments_rows(ROWS, D, 11), picked[ROWS * SOME];
    static const size_t places[SOME] = {7, 2, 4};
    static const char *const names[D] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static const char *const wanted[SOME] = {"h", "c", "e"};
    const em_read_options by[] = {
        {.size = sizeof *by, .columns = "7,2,4"},
        {.size = sizeof *by, .columns = "h,c,e"},
        {.size = sizeof *by, .columns = "c,e,h", .features = wanted, .feature_count = SOME, .features_of = "other"},
        {.size = sizeof *by, .features = wanted, .feature_count = SOME, .features_of = "other"}};
    for (size_t r = 0; r < ROWS; r++)
        for (size_t f = 0; f < SOME; f++) picked[r * SOME + f] = rows[r * D + places[f]];
    em_moments *m = moments_create(D);
    em_data *data = moments_table(rows, EM_F64, ROWS, D);
    assert_ok(em_data_set_column_names(data, names, &err), &err);
    assert_ok(em_moments_update(m, data, &err), &err);
    em_data_free(&data);
    assert_ok(em_moments_save(m, scratch("named.npz"), &err), &err);
    for (int n = 0; n < 3; n++) {
        assert_ok(em_data_open(&data, scratch("named.npz"), &by[n], &err), &err);
        assert_string_equal(em_data_column_name(data, 0), "h");
        moments_check(em_data_moments(data), picked, NULL, ROWS, 1e-14);
        em_data_free(&data);
    }
    assert_int_equal(em_data_open(&data, scratch("named.npz"), &by[3], &err), EM_EDATA);
    assert_non_null(strstr(err.msg, "has a, b, d and 3 more, which are no feature of other"));
    em_moments_free(&m);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_without_rows),
        cmocka_unit_test(files_keep_all_digits),
        cmocka_unit_test(columns_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
