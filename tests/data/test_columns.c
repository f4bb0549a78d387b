/* Which columns of a table are read: the same words for every format. */
#include "support/tables.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 3, COLUMNS = 5, FORMATS = 8 };

/* Row r, column c is 10 r + c, in every format that eigenmesh writes. */
static void make_tables(char paths[FORMATS][512], int *count)
{
    static const char *const names[] = {"t.npy", "t.csv", "t.tsv", "t.idx", "t.npy.gz", "t.csv.gz", "raw:u8:", "t.h5"};
    double values[ROWS * COLUMNS];
    for (int n = 0; n < ROWS * COLUMNS; n++) values[n] = 10 * (n / COLUMNS) + n % COLUMNS;
    *count = 0;
    for (int f = 0; f < FORMATS; f++) {
        em_writer *writer = NULL;
        em_error err = {0};
        char *path = paths[*count];
        int raw = strncmp(names[f], "raw:", 4) == 0;
        (void)snprintf(path, 512, raw ? "raw:u8:%s" : "%s", scratch(raw ? "t.raw" : names[f]));
        em_status status = em_writer_open(&writer, path, EM_U8, ROWS, COLUMNS, &err);
        if (status == EM_ENOTSUP) continue; /* built without HDF5 */
        assert_ok(status, &err);
        assert_ok(em_writer_rows(writer, values, ROWS, &err), &err);
        assert_ok(em_writer_close(&writer, &err), &err);
        if (raw) (void)snprintf(path, 512, "raw:u8:%d:%s", COLUMNS, scratch("t.raw"));
        ++*count;
    }
}

static void every_format_gives_the_columns_asked_for(void **state)
{
    (void)state;
    char paths[FORMATS][512];
    int count;
    make_tables(paths, &count);
    assert_true(count >= FORMATS - 1);
    for (int f = 0; f < count; f++) {
        const em_read_options one = {EM_HEADER_NO, "3"}, range = {EM_HEADER_NO, "1-3"}, mixed = {EM_HEADER_NO, "4,0-1"},
                              all = {EM_HEADER_NO, "0-4"}, last = {EM_HEADER_NO, "4-4"};
        assert_table(paths[f], &one, 3, 1, 3, 13, 23);
        assert_table(paths[f], &range, 3, 3, 1, 2, 3, 11, 12, 13, 21, 22, 23);
        assert_table(paths[f], &mixed, 3, 3, 4, 0, 1, 14, 10, 11, 24, 20, 21);
        assert_table(paths[f], &all, 3, 5, 0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24);
        assert_table(paths[f], &last, 3, 1, 4, 14, 24);
    }
}

static void wrong_columns_are_refused_by_every_format(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *words;
    } cases[] = {
        {"5", "has 5 columns, counted from 0; try 0-4"},
        {"3-5", "has 5 columns"},
        {"99999999999999999999999", "no such column"},
        {"0-18446744073709551615", "has 5 columns"},
        {"-1", "no such column"},
        {"1-", "no such column"},
        {"a", "no such column"},
        {"1.5", "no such column"},
        {" 1", "no such column"},
        {"3-1", "runs backwards; try 1-3"},
        {"1,1", "named twice"},
        {"0-2,2-3", "named twice"},
        {"", "an item is empty"},
        {"1,", "an item is empty"},
        {",1", "an item is empty"},
        {"1,,2", "an item is empty"},
    };
    char paths[FORMATS][512];
    int count;
    make_tables(paths, &count);
    for (int f = 0; f < count; f++)
        for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
            const em_read_options options = {EM_HEADER_NO, cases[n].columns};
            assert_refused(paths[f], &options, EM_EINVAL, cases[n].words);
        }
}

static void a_header_has_names(void **state)
{
    (void)state;
    const char *path = scratch_text("named.csv", "width,height,3,kind\n1,2,30,red\n4,5,60,blue\n");
    const em_read_options names = {EM_HEADER_AUTO, "height,width"}, number = {EM_HEADER_AUTO, "0"},
                          number_name = {EM_HEADER_AUTO, "3"}, range = {EM_HEADER_AUTO, "0-1"},
                          text = {EM_HEADER_AUTO, "kind"}, unknown = {EM_HEADER_AUTO, "depth"},
                          twice = {EM_HEADER_AUTO, "width,0"};
    assert_table(path, &names, 2, 2, 2, 1, 5, 4);
    assert_table(path, &number, 2, 1, 1, 4);
    assert_table(path, &number_name, 2, 1, 30, 60); /* a name comes before a position */
    assert_table(path, &range, 2, 2, 1, 2, 4, 5);
    assert_refused(path, &text, EM_EDATA, "line 2, column 4 (kind): 'red' is no number");
    assert_refused(path, &unknown, EM_EINVAL, "columns depth: no such column");
    assert_refused(path, &unknown, EM_EINVAL, "or names of its header");
    assert_refused(path, &twice, EM_EINVAL, "named twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_columns_asked_for),
        cmocka_unit_test(wrong_columns_are_refused_by_every_format),
        cmocka_unit_test(a_header_has_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
