/* Matrix Market files, right and wrong. */
#include "support/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER(kind) "%%MatrixMarket matrix coordinate " kind "\n"

static const em_read_options turned = {.size = sizeof(em_read_options), .transpose = 1};

static const char *file_of(const char *text)
{
    return scratch_text("t.mtx", text);
}

static void entries_are_read(void **state)
{
    (void)state;
    const char *text = HEADER("real general") "% a comment\n%\n\n3 2 4\n1 1 0.5\n3 1 -2e1\n\n2 2 7\n% more\n3 2 1\n";
    assert_table(file_of(text), NULL, 3, 2, 0.5, 0, 0, 7, -20, 1);
    assert_table(file_of(text), &turned, 2, 3, 0.5, 0, -20, 0, 7, 1);
    assert_table(scratch_gz("t.mtx.gz", text, strlen(text)), NULL, 3, 2, 0.5, 0, 0, 7, -20, 1);
    assert_table(scratch_gz("anything", text, strlen(text)), &turned, 2, 3, 0.5, 0, -20, 0, 7, 1);
    em_data *data = open_table(file_of(text));
    assert_string_equal(em_data_format(data), "mtx");
    assert_int_equal(em_data_type(data), EM_F64);
    em_data_free(&data);
}

/* Who writes down where a matrix comes from may take many words for it. */
static void a_long_comment(void **state)
{
    (void)state;
    enum { LETTERS = 5000 };
    char comment[LETTERS + 1], text[LETTERS + 200];
    memset(comment, 'a', LETTERS);
    comment[LETTERS] = 0;
    (void)snprintf(text, sizeof text, "%s%%%s\n1 1 1\n1 1 2\n", HEADER("real general"), comment);
    assert_table(file_of(text), NULL, 1, 1, 2.0);
}

static void every_kind_of_matrix(void **state)
{
    (void)state;
    assert_table(file_of(HEADER("integer general") "2 2 2\n2 1 3\n1 2 -4\n"), NULL, 2, 2, 0, -4, 3, 0);
    assert_table(file_of(HEADER("unsigned-integer general") "2 2 2\n2 1 3\n1 2 4\n"), NULL, 2, 2, 0, 4, 3, 0);
    assert_table(file_of(HEADER("pattern general") "2 3 2\n1 3\n2 1\n"), NULL, 2, 3, 0, 0, 1, 1, 0, 0);
    assert_table(file_of(HEADER("real symmetric") "2 2 2\n1 1 5\n2 1 3\n"), NULL, 2, 2, 5, 3, 3, 0);
    assert_table(file_of(HEADER("real skew-symmetric") "2 2 1\n2 1 3\n"), NULL, 2, 2, 0, -3, 3, 0);
    assert_table(file_of(HEADER("pattern symmetric") "2 2 1\n2 1\n"), NULL, 2, 2, 0, 1, 1, 0);
    assert_table(file_of("%%matrixmarket MATRIX Coordinate Real General\r\n1 2 1\r\n1 2 1.5\r\n"), NULL, 1, 2, 0, 1.5);
    assert_table(file_of(HEADER("real general") "1 2 2\n1 1 nan\n1 2 -inf\n"), NULL, 1, 2, NAN, -INFINITY);
    assert_table(file_of(HEADER("real general") "2 2 0\n"), NULL, 2, 2, 0, 0, 0, 0);
    assert_table(file_of(" " HEADER("real general") "1 1 1\n1 1 7\n"), NULL, 1, 1, 7.0);
    assert_table(file_of(HEADER("real general") "1 2 3\n1 2 1\n1 2 2\n1 1 4\n"), NULL, 1, 2, 4, 3); /* twice */
}

/* Counts that floats hold are floats; larger ones are not. */
static void whole_numbers_are_floats_where_they_fit(void **state)
{
    (void)state;
    em_data *data = open_table(file_of(HEADER("integer general") "1 2 2\n1 1 16777216\n1 2 3\n"));
    assert_int_equal(em_data_type(data), EM_F32);
    em_data_free(&data);
    data = open_table(file_of(HEADER("integer general") "1 2 2\n1 1 16777217\n1 2 3\n"));
    assert_int_equal(em_data_type(data), EM_F64);
    em_data_free(&data);
    assert_table(file_of(HEADER("integer general") "1 2 2\n1 1 16777217\n1 2 3\n"), NULL, 1, 2, 16777217, 3);
    assert_table(file_of(HEADER("integer general") "1 2 1\n1 1 123456789012345678\n"), NULL, 1, 2, 123456789012345678.0,
                 0);
    const char *sum = HEADER("integer general") "2 1 3\n1 1 16777216\n1 1 1\n2 1 2\n"; /* of two that fit */
    assert_table(file_of(sum), NULL, 2, 1, 16777217, 2);
    assert_table(file_of(sum), &turned, 1, 2, 16777217, 2);
    data = open_table(file_of(HEADER("integer general") "1 1 2\n1 1 200\n1 1 100\n"));
    assert_int_equal(em_data_type(data), EM_F32);
    em_data_free(&data);
}

static void columns_are_chosen(void **state)
{
    (void)state;
    const em_read_options some = {.size = sizeof some, .columns = "2,0"},
                          others = {.size = sizeof some, .columns = "-1"};
    const char *text = HEADER("real general") "2 3 4\n1 1 1\n1 2 2\n2 2 3\n2 3 4\n";
    assert_table(file_of(text), &some, 2, 2, 0, 1, 4, 0);
    assert_table(file_of(text), &others, 2, 2, 1, 0, 0, 4);
    assert_refused(file_of(text), (&(em_read_options){.size = sizeof some, .columns = "3"}), EM_EINVAL,
                   "has 3 columns");
    assert_refused(file_of(text), (&(em_read_options){.size = sizeof some, .label = "x"}), EM_EINVAL, "of a CSV alone");
}

static void rows_with_missing_values(void **state)
{
    (void)state;
    const char *text = HEADER("real general") "3 2 3\n1 1 1\n2 2 nan\n3 2 3\n";
    assert_table(file_of(text), (&(em_read_options){.size = sizeof turned, .missing = EM_MISSING_DROP}), 2, 2, 1, 0, 0,
                 3);
    assert_table(file_of(text), (&(em_read_options){.size = sizeof turned, .missing = EM_MISSING_MEAN}), 3, 2, 1, 0, 0,
                 NAN, 0, 3);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } wrong[] = {
        {"\n", "line 1 is no header of a matrix"},
        {"3 2 4\n1 1 1\n1 2 2\n2 2 3\n3 1 4.5\n", "line 1 is no header of a matrix"},
        {"\xef\xbb\xbf" HEADER("real general") "1 1 1\n1 1 1\n", "line 1 is no header of a matrix"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n", "line 1 says that the matrix is dense"},
        {"%%MatrixMarket vector coordinate real general\n1 1 0\n", "line 1 is no header of a matrix"},
        {"%%MatrixMarket matrix coordinate real\n1 1 0\n", "line 1 is no header of a matrix"},
        {"%%MatrixMarket matrix coordinate real general general\n1 1 0\n", "line 1 is no header of a matrix"},
        {HEADER("complex general") "1 1 1\n1 1 1 2\n", "no real numbers"},
        {HEADER("complex hermitian") "1 1 1\n1 1 1 2\n", "no real numbers"},
        {HEADER("real hermitian") "1 1 1\n1 1 1\n", "symmetry that is not understood"},
        {HEADER("real general"), "numbers of rows, columns and entries"},
        {HEADER("real general") "2 2\n", "numbers of rows, columns and entries"},
        {HEADER("real general") "2 2 -1\n", "numbers of rows, columns and entries"},
        {HEADER("real general") "3000000000 2 0\n", "more rows or columns than can be read"},
        {HEADER("real symmetric") "2 3 0\n", "not square"},
        {HEADER("real general") "2 2 2\n1 1 1\n", "promises 2 entries and it has 1"},
        {HEADER("real general") "2 2 1\n1 1 1\n2 2 2\n", "line 4 is one entry more"},
        {HEADER("real general") "2 2 1\n1 1\n", "line 3 is to have a row, a column and a value"},
        {HEADER("real general") "2 2 1\n1 1 1 1\n", "line 3 is to have a row, a column and a value"},
        {HEADER("pattern general") "2 2 1\n1 1 1\n", "line 3 is to have a row and a column"},
        {HEADER("real general") "2 2 1\n0 1 1\n", "line 3 has an entry in row 0, column 1 of 2 x 2"},
        {HEADER("real general") "2 2 1\n1 3 1\n", "line 3 has an entry in row 1, column 3 of 2 x 2"},
        {HEADER("real general") "2 2 1\n-1 1 1\n", "line 3 has an entry in row -1"},
        {HEADER("real general") "2 2 1\n1 1 x\n", "line 3: 'x' is no number"},
        {HEADER("real general") "2 2 1\n1 1 1.5.\n", "line 3: '1.5.' is no number"},
        {HEADER("real general") "2 2 1\n1 1 0x10\n", "line 3: '0x10' is no number"},
        {HEADER("real general") "0 2 0\n", "0 rows of 2 columns"},
        {HEADER("real general") "2 0 0\n", "2 rows of 0 columns"},
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
        assert_refused(file_of(wrong[n].text), NULL, EM_EDATA, wrong[n].words);
    static char longer[3000] = HEADER("real general") "1 1 1\n1 1 ";
    memset(longer + strlen(longer), '1', 2000);
    assert_refused(file_of(longer), NULL, EM_EDATA, "line 3 is no text, or longer");
    static const char zero[] = HEADER("real general") "1 1 1\n1 1\0 1\n";
    assert_refused(scratch_file("z.mtx", zero, sizeof zero - 1), NULL, EM_EDATA, "line 3 is no text");
    assert_refused(scratch_text("t.csv", "1,2\n3,4\n"), &turned, EM_EINVAL, "only a sparse matrix is transposed");
}

/* A header promises more than follows; and a text is longer than a piece that is read at a time. */
static void cut_anywhere(void **state)
{
    (void)state;
    const char *text = HEADER("integer general") "3 2 2\n1 1 5\n3 2 1";
    for (size_t length = strlen("%%MatrixMarket "); length < strlen(text) - 1; length++) {
        em_data *data = NULL;
        em_error err = {0};
        em_status status = em_data_open(&data, scratch_file("c.mtx", text, length), NULL, &err);
        assert_int_equal(status, EM_EDATA);
        assert_null(data);
    }
}

static void a_long_text(void **state)
{
    (void)state;
    enum { SIDE = 300 };
    char *text = malloc(SIDE * SIDE * 20 + 100), *at = text;
    double *row = malloc(SIDE * sizeof *row);
    em_error err = {0};
    assert_true(text && row);
    at += sprintf(at, "%s%d %d %d\n", HEADER("real general"), SIDE, SIDE, SIDE * SIDE);
    for (int c = SIDE; c >= 1; c--)
        for (int r = 1; r <= SIDE; r++) at += sprintf(at, "%d %d %d.25\n", r, c, r * c);
    for (int way = 0; way < 2; way++) {
        em_data *data = open_table(way ? file_of(text) : scratch_gz("long.mtx.gz", text, strlen(text)));
        for (size_t r = 0; r < SIDE; r += 37) {
            assert_ok(em_data_read(data, r, 1, row, &err), &err);
            for (size_t c = 0; c < SIDE; c++) assert_true(row[c] == (double)((r + 1) * (c + 1)) + 0.25);
        }
        em_data_free(&data);
    }
    free(row);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_read),      cmocka_unit_test(a_long_comment),
        cmocka_unit_test(every_kind_of_matrix),  cmocka_unit_test(whole_numbers_are_floats_where_they_fit),
        cmocka_unit_test(columns_are_chosen),    cmocka_unit_test(rows_with_missing_values),
        cmocka_unit_test(what_is_wrong_is_said), cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(a_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
