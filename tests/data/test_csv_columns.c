/* The columns of a CSV: which become features, in which order, and what is said of the others. */
#include "support/tables.h"

#include <math.h>
#include <stdio.h>

static const char *csv(const char *text)
{
    return scratch_text("table.csv", text);
}

/* ---- columns that are no features -------------------------------------------------------------------- */

static void left_out(const char *text, size_t index, size_t column, const char *name, const char *why)
{
    em_data *data = open_table(csv(text));
    const em_left_out *out = em_data_left_out(data, index);
    assert_non_null(out);
    assert_int_equal(out->column, column);
    assert_string_equal(out->name, name);
    assert_string_equal(out->why, why);
    assert_null(em_data_left_out(data, index + 1));
    em_data_free(&data);
}

static void text_is_left_out_and_named(void **state)
{
    (void)state;
    assert_table(csv("a,b,kind\n1,2,x\n3,4,y\n"), NULL, 2, 2, 1, 2, 3, 4);
    assert_table(csv("1,x,2\n3,y,4\n"), NULL, 2, 2, 1, 2, 3, 4);
    assert_table(csv("note,a\n,5\nill,6\n"), NULL, 2, 1, 5, 6); /* text that is not everywhere */
    left_out("a,b,kind\n1,2,x\n3,4,y\n", 0, 2, "kind", "text, such as 'x'");
    left_out("1,x,2\n3,y,4\n", 0, 1, "", "text, such as 'x'");
    left_out("note,a\n,5\nill,6\n", 0, 0, "note", "text, such as 'ill'");
    left_out("a,b,\n1,2,\n", 0, 2, "", "empty");
    /* A name drops nothing. */
    assert_table(csv("label,a\n0,5\n1,6\n"), NULL, 2, 2, 0, 5, 1, 6);
    assert_table(csv("a,Class,species,target\n5,0,1,2\n"), NULL, 1, 4, 5, 0, 1, 2);
    em_data *data = open_table(csv("a,b\n1,2\n"));
    assert_null(em_data_left_out(data, 0));
    em_data_free(&data);
}

static void an_index_is_left_out_and_named(void **state)
{
    (void)state;
    const em_read_options kept = {.size = sizeof(em_read_options), .columns = "0,a"};
    assert_table(csv(",a\n0,5\n1,7\n2,9\n"), NULL, 3, 1, 5, 7, 9);
    left_out(",a\n0,5\n1,7\n2,9\n", 0, 0, "", "an index, 0 to 2");
    left_out("\"\",a\n40,5\n41,7\n", 0, 0, "", "an index, 40 to 41");
    assert_table(csv("n,a\n0,5\n1,7\n"), NULL, 2, 2, 0, 5, 1, 7); /* it has a name */
    assert_table(csv("0,5\n1,7\n"), NULL, 2, 2, 0, 5, 1, 7);      /* nothing has */
    assert_table(csv(",a\n0,5\n1,7\n"), &kept, 2, 2, 0, 5, 1, 7);
    assert_refused(csv(",a\n2,5\n0,7\n"), NULL, EM_EDATA, "column 1 has no name, though others have");
    assert_refused(csv("a,\n5,0\n7,1\n"), NULL, EM_EDATA, "column 2 has no name, though others have");
}

static void a_label_is_kept_as_text(void **state)
{
    (void)state;
    const em_read_options options = {.size = sizeof(em_read_options), .label = "kind", .missing = EM_MISSING_DROP},
                          wrong = {.size = sizeof(em_read_options), .label = "sort"};
    em_data *data = NULL;
    em_error err = {0};
    assert_ok(em_data_open(&data, csv("a,kind,b\n1,\"x \"\"y\"\"\",2\n3,,NA\n5,7,6\n"), &options, &err), &err);
    assert_int_equal(em_data_rows(data), 2);
    assert_int_equal(em_data_rows_dropped(data), 1);
    assert_string_equal(em_data_label(data, 0), "x \"y\"");
    assert_string_equal(em_data_label(data, 1), "7");
    assert_null(em_data_label(data, 2));
    em_data_free(&data);
    assert_refused(csv("a,b\n1,2\n"), &wrong, EM_EINVAL, "column sort: not in ");
}

/* ---- features by name ------------------------------------------------------------------------------------ */

static void features_are_matched_by_name(void **state)
{
    (void)state;
    static const char *const wanted[] = {"c", "a", "b"}, *const twice[] = {"a", "a"},
                             *const many[] = {"p", "q", "r", "s", "t"};
    em_read_options options = {
        .size = sizeof(em_read_options), .features = wanted, .feature_count = 3, .features_of = "other.csv"};
    assert_table(csv("a,b,c\n1,2,3\n4,5,6\n"), &options, 2, 3, 3, 1, 2, 6, 4, 5);
    assert_table(csv("b,kind,c,a\n2,x,3,1\n"), &options, 1, 3, 3, 1, 2);
    assert_table(csv(",b,c,a\n0,2,3,1\n1,5,6,4\n"), &options, 2, 3, 3, 1, 2, 6, 4, 5);
    assert_refused(csv("a,b\n1,2\n"), &options, EM_EDATA, "has no column c, as other.csv has");
    assert_refused(csv("a,b,c,d\n1,2,3,4\n"), &options, EM_EDATA, "has d, which is no feature of other.csv");
    assert_refused(csv("a,b,c,c\n1,2,3,4\n"), &options, EM_EDATA, "more than one column is called c");
    assert_refused(csv("a,b,c\n1,x,3\n"), &options, EM_EDATA, "line 2, column 2 (b): 'x' is no number");
    assert_refused(csv("1,2,3\n"), &options, EM_EDATA, "has no names of columns, where other.csv has c, a, b");
    options.header = EM_HEADER_NO;
    assert_table(csv("1,2,3\n"), &options, 1, 3, 1, 2, 3); /* by position, as told */
    assert_refused(csv("1,2\n"), &options, EM_EDATA, "has 2 columns, where other.csv has 3 features");
    options = (em_read_options){
        .size = sizeof(em_read_options), .features = twice, .feature_count = 2, .features_of = "other.csv"};
    assert_table(csv("a,a\n1,2\n"), &options, 1, 2, 1, 2);
    options = (em_read_options){
        .size = sizeof(em_read_options), .features = many, .feature_count = 5, .features_of = "other.csv"};
    assert_refused(csv("a,b\n1,2\n"), &options, EM_EDATA, "has no column p, q, r and 2 more, as other.csv has");
    /* Columns that the first table's list leaves out are nobody's business in the others. */
    options = (em_read_options){.size = sizeof(em_read_options),
                                .features = wanted,
                                .feature_count = 3,
                                .features_of = "o",
                                .columns = "c,a,b"};
    assert_table(csv("d,a,b,c\n9,1,2,3\n"), &options, 1, 3, 3, 1, 2);
    options.columns = "3,0-1"; /* positions are the first table's own */
    assert_table(csv("d,a,b,c\n9,1,2,3\n"), &options, 1, 3, 3, 1, 2);
    options.columns = "c,a"; /* names are everyone's */
    assert_refused(csv("a,b,c\n1,2,3\n"), &options, EM_EINVAL, "column b is a feature of o");
    options.columns = "c,a,b,nothing";
    assert_refused(csv("a,b,c\n1,2,3\n"), &options, EM_EINVAL, "columns nothing: no such column");
    options.columns = "-d";
    assert_table(csv("d,a,b,c\n9,1,2,3\n"), &options, 1, 3, 3, 1, 2);
    options.columns = "-a";
    assert_refused(csv("a,b,c\n1,2,3\n"), &options, EM_EINVAL, "column a is a feature of o");
}

/* ---- missing values --------------------------------------------------------------------------------------- */

static void missing_values_are_refused_dropped_or_kept(void **state)
{
    (void)state;
    const char *text = "a,b\n1,2\nNA,4\n5,\n7,8\n9,10\n";
    const em_read_options drop = {.size = sizeof(em_read_options), .missing = EM_MISSING_DROP},
                          mean = {.size = sizeof(em_read_options), .missing = EM_MISSING_MEAN};
    assert_refused(csv(text), NULL, EM_EDATA, "line 3, column 1 (a): the value is missing");
    assert_table(csv(text), &drop, 3, 2, 1, 2, 7, 8, 9, 10);
    assert_table(csv(text), &mean, 5, 2, 1, 2, NAN, 4, 5, NAN, 7, 8, 9, 10);
    assert_refused(csv("a,b\n1,\n,2\n"), &drop, EM_EDATA, "every row has a missing value");
    assert_table(csv("a,note\n1,\n2,x\n"), &drop, 2, 1, 1, 2); /* what is no feature is not missed */
    assert_refused(csv("a,b\n,1\n3,2\n"), NULL, EM_EDATA, "line 2, column 1 (a): the value is missing");
    const double numbers[] = {1, 2, NAN, 4, 5, 6};
    size_t size = sizeof numbers;
    const char *path =
        scratch_npy("holes.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", numbers, size);
    assert_table(path, &drop, 2, 2, 1, 2, 5, 6);
    assert_table(path, &mean, 3, 2, 1, 2, NAN, 4, 5, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_left_out_and_named),
        cmocka_unit_test(an_index_is_left_out_and_named),
        cmocka_unit_test(a_label_is_kept_as_text),
        cmocka_unit_test(features_are_matched_by_name),
        cmocka_unit_test(missing_values_are_refused_dropped_or_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
