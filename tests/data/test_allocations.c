/* Every allocation of moments is made to fail once: that is said, everything is given back, and what was there is as it was. */
#include "base/error.h"
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/matrix.h"

enum { ROWS = 30, D = 5 };

static double values[ROWS * D];

static em_status add(em_moments *m, size_t first, size_t count, em_dtype type, em_error *err)
{
    static float narrow[ROWS * D];
    static const char *const names[D] = {"a", "b", "c", "d", "e"};
    em_status status = EM_OK;
    em_data *data = NULL;
    for (size_t n = 0; n < (size_t)ROWS * D; n++) narrow[n] = (float)values[n];
    const void *from = type == EM_F32 ? (void *)(narrow + first * D) : values + first * D;
    TRY(em_data_from_array(&data, from, type, count, D, 0, 0, err));
    TRY(em_data_set_column_names(data, names, err));
    TRY(em_moments_update(m, data, err));
done:
    em_data_free(&data);
    return status;
}

typedef struct kind {
    size_t directions; /* 0: exact */
    em_dtype type;
} kind;

/* Made, updated, merged, saved, loaded, opened with some columns, fitted. */
static em_status all(const void *how, em_error *err)
{
    const kind *of = how;
    em_status status = EM_OK;
    em_moments *m = NULL, *other = NULL, *loaded = NULL;
    em_data *data = NULL;
    const em_read_options some = {.size = sizeof some, .columns = "d,a,b"};
    for (int n = 0; n < 2; n++)
        TRY(of->directions ? em_moments_create_sketch(n ? &other : &m, D, of->directions, err)
                           : em_moments_create(n ? &other : &m, D, err));
    TRY(em_moments_set_threads(m, 2, err));
    TRY(add(m, 0, 20, EM_F64, err));
    TRY(add(other, 20, 10, of->type, err));
    TRY(em_moments_forget(m, 0.5, err));
    TRY(em_moments_merge(m, other, err));
    TRY(em_moments_save(m, scratch("m.npz"), err));
    TRY(em_moments_load(&loaded, scratch("m.npz"), err));
    TRY(em_data_open(&data, scratch("m.npz"), &some, err));
    em_data_free(&data);
    TRY(em_data_from_moments(&data, loaded, err));
    TRY(em_moments_update(m, data, err));
done:
    em_data_free(&data);
    em_moments_free(&loaded);
    em_moments_free(&other);
    em_moments_free(&m);
    return status;
}

static void exact(void **state)
{
    (void)state;
    assert_true(fail_each_once(all, &(kind){0, EM_F64}) > 20);
    assert_true(fail_each_once(all, &(kind){0, EM_F32}) > 20);
}

static void sketched(void **state)
{
    (void)state;
    assert_true(fail_each_once(all, &(kind){2, EM_F64}) > 20);
}

/* A batch that found no memory can be added again. */
static void nothing_is_half_added(void **state)
{
    (void)state;
    em_error err = {0};
    em_moments *m = NULL, *whole = NULL;
    double got[D * D], wanted[D * D];
    for (int sketch = 0; sketch < 2; sketch++) {
        assert_ok(sketch ? em_moments_create_sketch(&m, D, 3, &err) : em_moments_create(&m, D, &err), &err);
        assert_ok(sketch ? em_moments_create_sketch(&whole, D, 3, &err) : em_moments_create(&whole, D, &err), &err);
        for (long n = 0; n < 4; n++) { /* those of the table, and of what looks at it */
            memory_fail_at(n);
            em_status status = add(m, 0, ROWS, EM_F64, &err);
            int failed = memory_has_failed();
            memory_fail_at(-1);
            if (failed) assert_int_equal(em_moments_rows(m), 0);
            if (!failed) assert_ok(status, &err);
            if (!failed) break;
        }
        if (em_moments_rows(m) == 0) assert_ok(add(m, 0, ROWS, EM_F64, &err), &err);
        assert_ok(add(whole, 0, ROWS, EM_F64, &err), &err);
        assert_ok(em_moments_covariance(m, got, &err), &err);
        assert_ok(em_moments_covariance(whole, wanted, &err), &err);
        assert_memory_equal(got, wanted, sizeof got);
        em_moments_free(&whole);
        em_moments_free(&m);
    }
}

int main(void)
{
    matrix_fill(values, (size_t)ROWS * D, 3);
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact), cmocka_unit_test(sketched),
                                       cmocka_unit_test(nothing_is_half_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
