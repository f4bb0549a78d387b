/* Records: what a file says, and that what is wrong in it is told. */
#include "lab/paper/paper.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char directory[256];

static em_status opened(records *r, const char *text, em_error *err)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/file.txt", directory);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    (void)fputs(text, out);
    (void)fclose(out);
    assert_int_equal(setenv("LAB_DIR", directory, 1), 0);
    em_status status = records_open(r, "file.txt", err);
    (void)unsetenv("LAB_DIR");
    return status;
}

static void reads_records(void **state)
{
    (void)state;
    em_error err = {0};
    records r;
    assert_ok(
        opened(&r, "# a remark\n\n[fruit apple]\ncolour = red\nsizes = 1\n    2.5\n[fruit fig]\ncolour =\n", &err),
        &err);
    assert_int_equal(r.count, 2);
    const record *apple = records_find(&r, "fruit", "apple"), *fig = records_find(&r, "fruit", "fig");
    assert_string_equal(record_text(apple, "colour"), "red");
    assert_string_equal(record_text(apple, "sizes"), "1 2.5");
    assert_string_equal(record_text(fig, "colour"), "");
    assert_string_equal(record_text(fig, "taste"), "");
    assert_true(isnan(record_number(apple, "colour")));
    assert_null(records_find(&r, "fruit", "plum"));
    records_free(&r);
}

static void matches_words(void **state)
{
    (void)state;
    assert_true(words_match("fig1a fig2-*", "fig2-er") && words_match("fig4-[0-9]*", "fig4-10"));
    assert_false(words_match("fig4-[0-9]*", "fig4-sorted") || words_match("", "fig1a") || words_match("fig1", "fig1a"));
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    em_error err = {0};
    records r;
    static const char *const wrong[] = {"a = b\n", "[fruit]\n", "[fruit apple]\nred\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(opened(&r, wrong[i], &err), EM_EDATA, "is neither [KIND KEY] nor NAME = VALUE", &err);
}

/* Every set-up of the paper has curves, a network and a picture, and there is no other figure. */
static void the_paper_is_complete(void **state)
{
    (void)state;
    em_error err = {0};
    reproduction r = {0};
    static const char *const all[] = {"all"}, *const odd[] = {"fig1a", "fig9"};
    assert_ok(paper_open(&r, all, 1, &err), &err);
    assert_int_equal(r.setup_count, 16);
    assert_int_equal(r.figure_count, 13);
    for (int s = 0; s < r.setup_count; s++) {
        int shown = 0;
        for (int f = 0; f < r.figure_count; f++)
            for (int p = 0; p < r.figures[f].picture_count; p++)
                shown |= r.figures[f].pictures[p].about == &r.setups[s];
        assert_true(shown && r.setups[s].curve_count > 4 && record_number(r.setups[s].plan, "nodes") > 1);
        assert_true(!*record_text(r.setups[s].plan, "data") == !setup_data(&r.setups[s], &r.plans));
    }
    paper_close(&r);
    r = (reproduction){0};
    assert_fails(paper_open(&r, odd, 2, &err), EM_EINVAL, "fig9: is no figure", &err);
    paper_close(&r);
}

static int open_directory(void **state)
{
    (void)state;
    (void)snprintf(directory, sizeof directory, "%s", scratch("records"));
    return mkdir(directory, 0777);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_records), cmocka_unit_test(matches_words),
                                       cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(the_paper_is_complete)};
    return cmocka_run_group_tests(tests, open_directory, NULL);
}
