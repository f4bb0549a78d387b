/* Which columns of a table are read: the same words for every format. */
#include "lab/tables/writer.h"
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
        lab_writer *writer = NULL;
        em_error err = {0};
        char *path = paths[*count];
        int raw = strncmp(names[f], "raw:", 4) == 0;
        (void)snprintf(path, 512, raw ? "raw:u8:%s" : "%s", scratch(raw ? "t.raw" : names[f]));
        em_status status = lab_writer_open(&writer, path, EM_U8, ROWS, COLUMNS, &err);
        if (status == EM_ENOTSUP) continue; /* built without HDF5 */
        assert_ok(status, &err);
        assert_ok(lab_writer_rows(writer, values, ROWS, &err), &err);
        assert_ok(lab_writer_close(&writer, &err), &err);
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
        const em_read_options one = {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = "3"},
                              range = {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = "1-3"},
                              mixed = {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = "4,0-1"},
                              all = {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = "0-4"},
                              but = {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = "-1,-3-4"},
                              range_but = {.size = sizeof(em_read_options),
                                           .header = EM_HEADER_NO,
                                           .columns = "4,0-2,-1"},
                              last = {.size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = "4-4"};
        assert_table(paths[f], &one, 3, 1, 3, 13, 23);
        assert_table(paths[f], &range, 3, 3, 1, 2, 3, 11, 12, 13, 21, 22, 23);
        assert_table(paths[f], &mixed, 3, 3, 4, 0, 1, 14, 10, 11, 24, 20, 21);
        assert_table(paths[f], &all, 3, 5, 0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24);
        assert_table(paths[f], &last, 3, 1, 4, 14, 24);
        assert_table(paths[f], &but, 3, 2, 0, 2, 10, 12, 20, 22);
        assert_table(paths[f], &range_but, 3, 3, 4, 0, 2, 14, 10, 12, 24, 20, 22);
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
        {"-7", "has 5 columns"},
        {"1-", "no such column"},
        {"-", "no such column"},
        {"-a", "no such column"},
        {"--1", "no such column"},
        {"-0-4", "leaves no column"},
        {"1,-1", "leaves no column"},
        {"-3-1", "runs backwards"},
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
            const em_read_options options = {
                .size = sizeof(em_read_options), .header = EM_HEADER_NO, .columns = cases[n].columns};
            assert_refused(paths[f], &options, EM_EINVAL, cases[n].words);
        }
}

/* What --columns finds in a file with a header. */
static em_read_options asking(const char *columns)
{
    return (em_read_options){.size = sizeof(em_read_options), .header = EM_HEADER_YES, .columns = columns};
}

static void a_header_has_names(void **state)
{
    (void)state;
    const char *path = scratch_text("named.csv", "width,height,3,-x,kind,kind\n1,2,30,7,red,a\n4,5,60,8,blue,b\n");
    const em_read_options names = asking("height,width"), number = asking("0"), number_name = asking("3"),
                          range = asking("0-1"), dash = asking("-x"), but = asking("-height,-x,--x"),
                          text = asking("4"), unknown = asking("depth"), twice = asking("width,0"),
                          both = asking("kind"), but_both = asking("-kind");
    assert_table(path, &names, 2, 2, 2, 1, 5, 4);
    assert_table(path, &number, 2, 1, 1, 4);
    assert_table(path, &number_name, 2, 1, 30, 60); /* a name comes before a position, */
    assert_table(path, &range, 2, 2, 1, 2, 4, 5);
    assert_table(path, &dash, 2, 1, 7, 8); /* and before an exclusion */
    assert_refused(path, &but, EM_EINVAL, "leaves no column");
    assert_refused(path, &text, EM_EDATA, "line 2, column 5 (kind): 'red' is no number");
    assert_refused(path, &unknown, EM_EINVAL, "columns depth: no such column");
    assert_refused(path, &unknown, EM_EINVAL, "or names of its header");
    assert_refused(path, &twice, EM_EINVAL, "named twice");
    assert_refused(path, &both, EM_EINVAL, "columns kind: more than one column");
    assert_refused(path, &but_both, EM_EINVAL, "columns kind: more than one column");
}

static void names_with_commas_stand_in_quotes(void **state)
{
    (void)state;
    const char *path = scratch_text("commas.csv", "\"a,b\",c,\"d \"\"e\"\"\"\n1,2,3\n");
    const em_read_options one = {.size = sizeof(em_read_options), .columns = "c,\"a,b\""},
                          but = {.size = sizeof(em_read_options), .columns = "-\"a,b\""};
    assert_table(path, &one, 1, 2, 2, 1);
    assert_table(path, &but, 1, 2, 2, 3);
}

/* Text is left out all the same where only exclusions are named. */
static void exclusions_leave_the_rest_to_find_out(void **state)
{
    (void)state;
    const char *path = scratch_text("mixed.csv", "a,kind,label,b\n1,red,0,2\n3,blue,1,4\n");
    const em_read_options but = {.size = sizeof(em_read_options), .columns = "-label"},
                          by_place = {.size = sizeof(em_read_options), .columns = "-2,-0"};
    assert_table(path, NULL, 2, 3, 1, 0, 2, 3, 1, 4);
    assert_table(path, &but, 2, 2, 1, 2, 3, 4);
    assert_table(path, &by_place, 2, 1, 2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_columns_asked_for),
        cmocka_unit_test(wrong_columns_are_refused_by_every_format),
        cmocka_unit_test(a_header_has_names),
        cmocka_unit_test(names_with_commas_stand_in_quotes),
        cmocka_unit_test(exclusions_leave_the_rest_to_find_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
