/* Fields: one block a node. */
#include "linalg/field.h"
#include "support/check.h"

#include <limits.h>
#include <string.h>

/* Entry (i, k) of node n's block says where it is. */
static double label(int node, int i, int k)
{
    return 10000 * node + 100 * k + i;
}

static void fill(emi_field *field)
{
    for (int n = 0; n < field->nodes; n++)
        for (int k = 0; k < field->cols; k++)
            for (int i = 0; i < field->rows; i++) emi_column_of(emi_at(field, n), k)[i] = label(n, i, k);
}

static void blocks_begin_zeroed_on_cache_lines(void **state)
{
    (void)state;
    emi_field field = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&field, 5, 3, 3, &err), &err);
    for (int n = 0; n < 5; n++) {
        emi_block block = emi_at(&field, n);
        assert_int_equal(block.rows, 3);
        assert_int_equal(block.cols, 3);
        assert_int_equal((uintptr_t)block.v % 64, 0);
        for (int t = 0; t < 9; t++) assert_true(block.v[t] == 0);
        if (n) assert_true(block.v >= emi_at(&field, n - 1).v + 9);
    }
    emi_field_free(&field);
    assert_null(field.v);
    emi_field_free(&field);
}

static void a_view_shows_the_columns_of_every_block(void **state)
{
    (void)state;
    emi_field field = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&field, 4, 5, 6, &err), &err);
    fill(&field);
    emi_field view = emi_columns(&field, 2, 3);
    for (int n = 0; n < 4; n++) {
        emi_block block = emi_at(&view, n);
        assert_int_equal(block.rows, 5);
        assert_int_equal(block.cols, 3);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 5; i++) assert_true(emi_column_of(block, k)[i] == label(n, i, k + 2));
    }
    *emi_at(&view, 3).v = -1; /* it is the field's own memory */
    assert_true(emi_column_of(emi_at(&field, 3), 2)[0] == -1);
    emi_field_free(&field);
}

static void copies_between_strides(void **state)
{
    (void)state;
    emi_field wide = {0}, narrow = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&wide, 3, 4, 7, &err), &err);
    assert_ok(emi_field_alloc(&narrow, 3, 4, 2, &err), &err);
    fill(&wide);
    emi_field some = emi_columns(&wide, 5, 2);
    emi_field_copy(&some, &narrow);
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 4; i++) assert_true(emi_column_of(emi_at(&narrow, n), k)[i] == label(n, i, k + 5));

    memset(narrow.v, 0, sizeof(double) * 3 * narrow.stride);
    emi_field_copy(&narrow, &some); /* into a view: its neighbours stay */
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 7; k++)
            for (int i = 0; i < 4; i++)
                assert_true(emi_column_of(emi_at(&wide, n), k)[i] == (k < 5 ? label(n, i, k) : 0));
    emi_field_free(&wide);
    emi_field_free(&narrow);
}

static void a_swap_exchanges_everything(void **state)
{
    (void)state;
    emi_field a = {0}, b = {0};
    em_error err = {0};
    assert_ok(emi_field_alloc(&a, 2, 3, 1, &err), &err);
    assert_ok(emi_field_alloc(&b, 1, 9, 4, &err), &err);
    emi_field a_was = a, b_was = b;
    emi_swap(&a, &b);
    assert_memory_equal(&a, &b_was, sizeof a);
    assert_memory_equal(&b, &a_was, sizeof b);
    emi_field_free(&a);
    emi_field_free(&b);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    emi_field field;
    em_error err = {0};
    assert_fails(emi_field_alloc(&field, INT_MAX, INT_MAX, INT_MAX, &err), EM_ENOMEM, "field: out of memory", &err);
    assert_null(field.v);
    emi_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_begin_zeroed_on_cache_lines),
        cmocka_unit_test(a_view_shows_the_columns_of_every_block),
        cmocka_unit_test(copies_between_strides),
        cmocka_unit_test(a_swap_exchanges_everything),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
