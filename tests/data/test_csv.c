/* CSV and TSV: what is read, what is recognised, and what is refused with its line and column. */
#include "support/locales.h"
#include "support/tables.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const em_read_options with_header = {.size = sizeof(em_read_options), .header = EM_HEADER_YES},
                             without_header = {.size = sizeof(em_read_options), .header = EM_HEADER_NO};

static const char *csv(const char *text)
{
    return scratch_text("table.csv", text);
}

/* ---- lines and cells ------------------------------------------------------------------------------ */

static void every_separator_is_found(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1,2\n3,4\n",         "1,2\n3,4",           "1,2\r\n3,4\r\n",
        "1, 2\n 3 ,4 \n",     "1;2\n3;4\n",         "1\t2\n3\t4\n",
        "1 2\n3 4\n",         "  1   2\n3  4 \n",   "1 2  \r\n3   4\r\n",
        "1,2\n3,4\n\n\n  \n", "\"1\",2\n3,\"4\"\n", "\357\273\2771,2\n3,4\n",
        "+1,2e0\n.3e1,4.\n",  "1,2\n3,4\r\n\r\n",   "1|2\n3|4\n",
        "1,2\r3,4\r",         "\n\n1,2\n3,4\n",     "# 1,5;7\n1,2\n# \"so\n3,4\n#",
    };
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) assert_table(csv(texts[n]), NULL, 2, 2, 1, 2, 3, 4);
}

static void the_format_is_named_after_the_separator(void **state)
{
    (void)state;
    em_data *data = open_table(csv("1,2\n"));
    assert_string_equal(em_data_format(data), "csv");
    assert_int_equal(em_data_type(data), EM_F64);
    em_data_free(&data);
    data = open_table(scratch_text("one-column.tsv", "1\n2\n"));
    assert_string_equal(em_data_format(data), "tsv");
    em_data_free(&data);
}

static void small_tables_are_tables(void **state)
{
    (void)state;
    assert_table(csv("7"), NULL, 1, 1, 7);
    assert_table(csv("7\n"), NULL, 1, 1, 7);
    assert_table(csv("7\n8\n"), NULL, 2, 1, 7, 8);
    assert_table(csv("x\n8\n"), NULL, 1, 1, 8);
    assert_table(csv("1,2,3"), NULL, 1, 3, 1, 2, 3);
    assert_table(scratch_text("nameless", "1,2\n"), NULL, 1, 2, 1, 2);
}

static void quotes_hold_separators_and_lines(void **state)
{
    (void)state;
    const em_read_options named = {.size = sizeof(em_read_options), .header = EM_HEADER_AUTO, .columns = "a,b"};
    assert_table(csv("\"x,y\",z\n1,2\n"), NULL, 1, 2, 1, 2);
    assert_table(csv("\"x\ny\",\"say \"\"so\"\"\"\n1,2\n"), NULL, 1, 2, 1, 2);
    assert_table(csv("q,\"a,b\"\n1,2\n"), NULL, 1, 2, 1, 2);
    assert_refused(csv("q,\"a,b\"\n1,2\n"), &named, EM_EINVAL, "no such column");
    /* In the midst of a cell it is a sign like any other. */
    assert_table(csv("item,a\n5\" pipe,1\n6\" pipe,3\nrod,5\n"), NULL, 3, 1, 1, 3, 5);
    assert_table(csv("a,item\n1,5\"\n3,6\"\n"), NULL, 2, 1, 1, 3);
    assert_table(csv("len\",wid\"\n1,2\n"), NULL, 1, 2, 1, 2);
    assert_table(csv("a,b\n \"1\" , \"2\" \n"), NULL, 1, 2, 1, 2);
    assert_table(csv("a,b\n1,\"say \"\"so\"\"\"\n2,\"x\ny\"\n"), NULL, 2, 1, 1, 2);
    assert_refused(csv("1,\"2\n3,4\n"), NULL, EM_EDATA, "line 1 has a quote that is never closed");
    assert_refused(csv("a,b\n1,2\n3,\"\n"), NULL, EM_EDATA, "line 3 has a quote that is never closed");
}

/* ---- headers and labels ------------------------------------------------------------------------------ */

static void a_header_is_recognised_or_told(void **state)
{
    (void)state;
    assert_table(csv("a,b\n1,2\n"), NULL, 1, 2, 1, 2);
    assert_table(csv("a,,c\n1,,2\n"), NULL, 1, 2, 1, 2);
    assert_table(csv("# made by hand\n# a,b\n1,2\n"), NULL, 1, 2, 1, 2);
    assert_table(csv("2019,2020\n1960,1999\n"), NULL, 2, 2, 2019, 2020, 1960, 1999);
    assert_table(csv("2019,2020\n3,2\n"), &with_header, 1, 2, 3, 2);
    assert_table(csv("1,2\n3,4\n"), &without_header, 2, 2, 1, 2, 3, 4);
    assert_table(csv("red,1\nblue,2\n"), NULL, 2, 1, 1, 2); /* no header: the same column is text below */
    assert_refused(csv("a,1\n3,2\n"), NULL, EM_EDATA, "line 1, column 1: 'a' is no number, where line 2 has one");
    assert_refused(csv("a,1\n3,2\n"), NULL, EM_EDATA, "or header=yes");
    assert_refused(csv("a,b\n1,2\n"), &without_header, EM_EDATA, "line 1, column 1: 'a' is no number");
    assert_refused(csv("a,b\n"), NULL, EM_EDATA, "no row of numbers");
    assert_refused(csv("1,2\n"), &with_header, EM_EDATA, "no row of numbers");
    assert_refused(csv("x,y\nz,w\n"), NULL, EM_EDATA, "no column of numbers");
}

static void what_may_be_names_or_numbers_is_asked(void **state)
{
    (void)state;
    static const char doubtful[] = "may be names; try header=yes or no";
    static const char *const either[] = {
        "0,1,2,3\n9,2,3,7\n",         "0,1,2\n3.5,4.1,5.2\n",         "2019,2020\n3,2\n",
        "2001,2002,2003\n1,2,3\n",    "id,2010,2012,2015\nA,1,2,3\n", "id,2003,2002,2001\nA,3,4,5\n",
        ",2001,2002\ny,3,4\nz,5,6\n", "Region,2001,2002\nN,3,4\n"};
    for (size_t n = 0; n < sizeof either / sizeof *either; n++)
        assert_refused(csv(either[n]), NULL, EM_EDATA, doubtful);
    assert_table(csv("0,1,2,3\n1,2,3,4\n"), NULL, 2, 4, 0, 1, 2, 3, 1, 2, 3, 4); /* all of it counts up */
    assert_table(csv("P1,3,4\nP2,5,6\n"), NULL, 2, 2, 3, 4, 5, 6);
    assert_table(csv("\"2001\",\"2002\"\n3.5,4.1\n"), NULL, 1, 2, 3.5, 4.1); /* R's header */
    assert_table(csv("\"1\",\"2\"\n\"3\",\"4\"\n"), NULL, 2, 2, 1, 2, 3, 4); /* everything in quotes */
    assert_refused(csv("country,1990,1991,1992\nAruba,1,2,5\n"), NULL, EM_EDATA, doubtful);
    assert_table(csv("0,1,2,3\n9,8,7,6\n"), &with_header, 1, 4, 9, 8, 7, 6);
    assert_table(csv("0,1,2,3\n9,8,7,6\n"), &without_header, 2, 4, 0, 1, 2, 3, 9, 8, 7, 6);
    assert_table(csv(",0,1\n0,9,8\n1,7,6\n"), NULL, 2, 2, 9, 8, 7, 6); /* pandas' own */
}

static void names_are_kept(void **state)
{
    (void)state;
    em_data *data = open_table(csv("\"a \"\"b\"\"\", \xc3\xa9t\xc3\xa9 ,n\xe4h\n1,2,3\n"));
    assert_string_equal(em_data_column_name(data, 0), "a \"b\"");
    assert_string_equal(em_data_column_name(data, 1), "\xc3\xa9t\xc3\xa9");
    assert_string_equal(em_data_column_name(data, 2), "n\xc3\xa4h"); /* it was Latin-1 */
    assert_null(em_data_column_name(data, 3));
    assert_string_equal(em_data_remarks(data), "commas, a header, names in Latin-1");
    em_data_free(&data);
    data = open_table(csv("# one;two\n1;2\n# 3\n"));
    assert_string_equal(em_data_column_name(data, 1), "two");
    assert_string_equal(em_data_remarks(data), "semicolons, a header, 1 comment line skipped");
    em_data_free(&data);
    data = open_table(csv("#,x\n7,2\n9,3\n"));
    assert_string_equal(em_data_column_name(data, 0), "#");
    em_data_free(&data);
    data = open_table(csv("1,2\n"));
    assert_null(em_data_column_name(data, 0));
    em_data_free(&data);
}

/* ---- encodings -------------------------------------------------------------------------------------------- */

static void encodings_are_recognised(void **state)
{
    (void)state;
    static const char little[] = "\xff\xfe"
                                 "a\0,\0b\0\n\0001\0,\0002\0\n\0",
                      big[] = "\xfe\xff\0a\0,\0b\0\n\0001\0,\0002\0\n";
    assert_table(scratch_file("little.csv", little, sizeof little - 1), NULL, 1, 2, 1, 2);
    assert_table(scratch_file("big.txt", big, sizeof big - 1), NULL, 1, 2, 1, 2);
    assert_refused(scratch_file("odd", little, sizeof little - 2), NULL, EM_EDATA,
                   "half a character of UTF-16 is left");
    assert_refused(scratch_file("half.csv", little, 2), NULL, EM_EDATA, "no row of numbers");
}

static void a_delimiter_is_told(void **state)
{
    (void)state;
    const em_read_options second = {.size = sizeof second, .columns = "1"};
    em_read_options options = {.size = sizeof(em_read_options), .delimiter = "tab"};
    assert_table(csv("1\t2\n"), &options, 1, 2, 1, 2);
    options.delimiter = ":";
    assert_table(csv("1:2\n"), &options, 1, 2, 1, 2);
    options.delimiter = "space";
    assert_table(csv("1 2\n"), &options, 1, 2, 1, 2);
    options.delimiter = ";";
    assert_table(csv("a,b;c\n1;2\n"), &options, 1, 2, 1, 2);
    assert_table(csv("sep=;\r\n1,5;2\r\n"), &second, 1, 1, 2); /* Excel's own word */
    static const char *const wrong[] = {"", "ab", "1", "a", "\"", ".", "-", "#", "\n"};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        options.delimiter = wrong[n];
        assert_refused(csv("1,2\n"), &options, EM_EINVAL, "cannot separate numbers");
    }
}

/* ---- cells that are no numbers ------------------------------------------------------------------------- */

static void bad_cells_are_named(void **state)
{
    (void)state;
    static const char *const missing[] = {"",    " ",    "NA",   "na",   "N/A",  "NaN",
                                          "nan", "-nan", "null", "NULL", "None", "?"};
    static const char *const infinite[] = {"inf", "-inf", "Infinity", "1e999", "-1e400"};
    static const char *const text[] = {"x", "1x", "0x10", "1e", "1.2.3", "--1", "1e5000x", "nano", "."};
    char line[128];
    for (size_t n = 0; n < sizeof missing / sizeof *missing; n++) {
        (void)snprintf(line, sizeof line, "a,b\n1,2\n3,%s\n", missing[n]);
        assert_refused(csv(line), NULL, EM_EDATA, "line 3, column 2 (b): the value is missing");
    }
    for (size_t n = 0; n < sizeof infinite / sizeof *infinite; n++) {
        (void)snprintf(line, sizeof line, "1,2\n%s,3\n", infinite[n]);
        assert_refused(csv(line), NULL, EM_EDATA, "is not finite");
        assert_refused(csv(line), NULL, EM_EDATA, "line 2, column 1: ");
    }
    for (size_t n = 0; n < sizeof text / sizeof *text; n++) {
        (void)snprintf(line, sizeof line, "1,2\n3,\"%s\"\n", text[n]);
        assert_refused(csv(line), NULL, EM_EDATA, "is no number");
    }
    /* Nor are commas within numbers, whatever they mean, text; several numbers are not one. */
    static const char *const commas[] = {"1,234", "1,234,567", "1.000,5", "-2,5"};
    for (size_t n = 0; n < sizeof commas / sizeof *commas; n++) {
        (void)snprintf(line, sizeof line, "a;b\n%s;2\n%s;3\n", commas[n], commas[n]);
        assert_refused(csv(line), NULL, EM_EDATA, "is a number with a comma in it; try digits and one point");
    }
    assert_refused(csv("1,5 2,7\n2,1 3,8\n"), NULL, EM_EDATA, "'5 2' is several numbers; try delimiter=space");
    /* A decimal comma is no separator beside semicolons, and no label. */
    assert_refused(csv("1,5;2,5\n3,5;4,5\n"), NULL, EM_EDATA, "line 1, column 1: '1,5' is a number with a comma in it");
    assert_refused(csv("1;2,5\n3;4\n"), NULL, EM_EDATA, "line 1, column 2: '2,5' is a number with a comma in it");
}

static void a_message_is_one_short_line(void **state)
{
    (void)state;
    char line[2000];
    (void)snprintf(line, sizeof line, "1,2\n3,%01500d\n", 7);
    assert_refused(csv(line), NULL, EM_EDATA, "'000000000000000000000000000000000000000' is no number");
    assert_refused(csv("1,2\n3,\"one\ntwo\"\n"), NULL, EM_EDATA, "'one' is no number");
    assert_refused(csv("\"a\nb\",c\n1,2\nx,3\n"), NULL, EM_EDATA, "(a): 'x' is no number");
}

static void ragged_lines_are_named(void **state)
{
    (void)state;
    assert_refused(csv("1,2\n3\n"), NULL, EM_EDATA, "line 2 has 1 column, where the first has 2");
    assert_refused(csv("1,2\n3,4,5\n"), NULL, EM_EDATA, "line 2 has 3 columns");
    assert_table(csv("1,2\n\n3,4\n"), NULL, 2, 2, 1, 2, 3, 4); /* a blank line is none, */
    assert_refused(csv("1\n\n3\n"), NULL, EM_EDATA, "line 2, column 1: the value is missing"); /* but for one column */
    assert_refused(csv("a,b\n1\n"), NULL, EM_EDATA, "line 2 has 1 column");
    assert_refused(csv("a,b\n1,2,3\n"), NULL, EM_EDATA, "line 2 has 3 columns");
    assert_refused(csv("1,2\n3,4,\n"), NULL, EM_EDATA, "line 2 has 3 columns");
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    char late[8192];
    assert_refused(csv(""), NULL, EM_EDATA, "is empty");
    assert_refused(csv("\n\n \n"), NULL, EM_EDATA, "no row of numbers");
    assert_refused(csv("\xEF\xBB\xBF"), NULL, EM_EDATA, "no row of numbers");
    assert_refused(scratch_file("zeros", "1,2\0003\n", 6), NULL, EM_EDATA, "no format");
    assert_refused(scratch_file("zeros.csv", "1,2\n3,4\0\n", 9), NULL, EM_EDATA, "a byte of zero"); /* by its name */
    assert_refused(scratch_file("junk", "\x7f\x45\x4c\x46\x02\x01\x01", 7), NULL, EM_EDATA, "no format");
    assert_refused(scratch_file("archive.npz", "PK\3\4 and more", 13), NULL, EM_EDATA, "the archive is damaged");
    for (size_t n = 0; n < sizeof late; n += 2) memcpy(late + n, "1\n", 2);
    late[6001] = 0; /* where nobody sniffs any more */
    assert_refused(scratch_file("late", late, sizeof late), NULL, EM_EDATA, "a byte of zero");
}

/* ---- numbers to the last bit ------------------------------------------------------------------------------- */

static unsigned draw(unsigned *seed, unsigned bound)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (*seed >> 8) % bound;
}

/* A decimal of up to 25 digits, with or without a point, a sign and an exponent. */
static void random_decimal(unsigned *seed, char *out)
{
    size_t length = 0, digits = 1 + draw(seed, 25), point = draw(seed, 2) ? draw(seed, (unsigned)digits + 1) : 99;
    if (draw(seed, 2)) out[length++] = '-';
    for (size_t n = 0; n < digits; n++) {
        if (n == point) out[length++] = '.';
        out[length++] = (char)('0' + draw(seed, 10));
    }
    out[length] = 0;
    if (draw(seed, 2)) (void)sprintf(out + length, "e%d", (int)draw(seed, 600) - 330);
}

/* Read as strtod reads them where a decimal point is a point. */
static void check_decimals(void)
{
    enum { NUMBERS = 20000, LONGEST = 48 };
    static double wanted[NUMBERS];
    char *text = calloc(NUMBERS, LONGEST), number[LONGEST];
    unsigned seed = 1;
    size_t length = 0, count = 0;
    assert_non_null(text);
    const char *before = setlocale(LC_NUMERIC, NULL);
    char *kept = strdup(before);
    while (count < NUMBERS) {
        random_decimal(&seed, number);
        (void)setlocale(LC_NUMERIC, "C");
        double value = strtod(number, NULL);
        (void)setlocale(LC_NUMERIC, kept);
        if (!isfinite(value)) continue;
        wanted[count++] = value;
        length += (size_t)sprintf(text + length, "%s\n", number);
    }
    check_table(scratch_file("decimals.csv", text, length), NULL, NUMBERS, 1, wanted, __FILE__, __LINE__);
    free(kept);
    free(text);
}

static void decimals_are_rounded_exactly(void **state)
{
    (void)state;
    check_decimals();
    assert_table(csv("9007199254740993,0.1,1e-320\n"), NULL, 1, 3, 9007199254740992.0, 0.1, 1e-320);
    assert_table(csv("1.7976931348623157e308,2.2250738585072011e-308,-0\n"), NULL, 1, 3, 1.7976931348623157e308,
                 2.2250738585072011e-308, 0);
    assert_table(csv("100000000000000000000000000000,1e22,1e23\n"), NULL, 1, 3, 1e29, 1e22, 1e23);
}

static void a_decimal_comma_of_the_locale_changes_nothing(void **state)
{
    (void)state;
    if (!locale_with_comma()) skip();
    check_decimals();
    locale_plain();
}

/* ---- text in memory -------------------------------------------------------------------------------- */

static void a_text_is_read_as_a_file(void **state)
{
    (void)state;
    static const char text[] = "a,b\n1,2\n3,4\nnot,read\n";
    double values[4];
    em_error err;
    em_data *data = NULL;
    assert_int_equal(em_data_from_text(&data, "a stream", text, 12, NULL, &err), EM_OK);
    assert_int_equal(em_data_rows(data), 2);
    assert_string_equal(em_data_column_name(data, 1), "b");
    assert_string_equal(em_data_name(data), "a stream");
    assert_int_equal(em_data_read(data, 0, 2, values, &err), EM_OK);
    for (int n = 0; n < 4; n++) assert_true(values[n] == n + 1);
    em_data_free(&data);
}

static void part_of_a_text_knows_its_lines(void **state)
{
    (void)state;
    static const char text[] = "1,2\n3,x\n";
    const em_read_options part = {.size = sizeof part, .header = EM_HEADER_NO, .columns = "0,1", .lines_before = 1000};
    em_error err;
    em_data *data = NULL;
    assert_int_equal(em_data_from_text(&data, "a stream", text, sizeof text - 1, &part, &err), EM_EDATA);
    assert_null(data);
    assert_non_null(strstr(err.msg, "a stream: line 1002, column 2: 'x'"));
    assert_int_equal(em_data_from_text(&data, "a stream", text, 0, &part, &err), EM_EDATA);
    assert_int_equal(em_data_from_text(&data, "a stream", "1\0,2\n", 6, &part, &err), EM_EDATA);
    assert_int_equal(em_data_from_text(&data, "a stream", "\n\n", 2, NULL, &err), EM_EDATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_separator_is_found),
        cmocka_unit_test(the_format_is_named_after_the_separator),
        cmocka_unit_test(small_tables_are_tables),
        cmocka_unit_test(quotes_hold_separators_and_lines),
        cmocka_unit_test(a_header_is_recognised_or_told),
        cmocka_unit_test(what_may_be_names_or_numbers_is_asked),
        cmocka_unit_test(names_are_kept),
        cmocka_unit_test(encodings_are_recognised),
        cmocka_unit_test(a_delimiter_is_told),
        cmocka_unit_test(bad_cells_are_named),
        cmocka_unit_test(a_message_is_one_short_line),
        cmocka_unit_test(ragged_lines_are_named),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(decimals_are_rounded_exactly),
        cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
        cmocka_unit_test(a_text_is_read_as_a_file),
        cmocka_unit_test(part_of_a_text_knows_its_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
