/* The whole page: it is of what the model holds, it says what is not known, and nothing in its texts is taken for HTML. */
#include "support/check.h"
#include "support/pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void has(const char *page, const char *what)
{
    if (!strstr(page, what)) fail_msg("the page does not have '%s'", what);
}

static char *make(const page_case *of)
{
    em_error err = {0};
    char *text = NULL;
    assert_ok(page_of(of, &text, &err), &err);
    return text;
}

/* Tags that are opened are closed, in order, and attributes have quotes. */
static void check_tags(const char *page)
{
    static const char *const alone[] = {"!DOCTYPE", "meta", "link"};
    char open[64][16];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        char name[16] = "";
        int closing = at[1] == '/', single = 0;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        (void)sscanf(at + 1 + closing, "%15[a-zA-Z0-9!]", name);
        assert_true(*name);
        for (int n = 0; n < 3; n++) single |= strcmp(name, alone[n]) == 0;
        if (single || end[-1] == '/') continue;
        if (!closing) {
            assert_true(depth < 64);
            (void)strcpy(open[depth++], name);
        } else if (depth == 0 || strcmp(open[--depth], name) != 0) {
            fail_msg("</%s> ends <%s>: %.80s", name, open[depth], at);
        }
    }
    assert_int_equal(depth, 0);
}

static void the_numbers_are_those_of_the_model(void **state)
{
    (void)state;
    em_model *model = NULL;
    char *page = make(&(page_case){.nodes = 4, .components = 3, .rows = 1, .model = &model}), row[256];
    double sum = 0;
    check_tags(page);
    for (int k = 0; k < 3; k++) {
        double ratio = em_model_explained_variance_ratio(model)[k];
        sum += 100 * ratio;
        (void)snprintf(row, sizeof row,
                       "<tr><th scope=\"row\">%d</th><td>%.6g</td><td>%.2f%%</td><td>%.2f%%</td><td>%.1e</td>", k + 1,
                       em_model_explained_variance(model)[k], 100 * ratio, sum, em_model_residuals(model)[k]);
        has(page, row);
        double largest = 0;
        for (int f = 0; f < 6; f++)
            if (fabs(em_model_components(model)[6 * k + f]) > fabs(largest))
                largest = em_model_components(model)[6 * k + f];
        (void)snprintf(row, sizeof row, "<td>%+.3f</td>", largest);
        has(page, row);
    }
    (void)snprintf(row, sizeof row, "<dd id=\"share\">%.3g%%</dd>", sum);
    has(page, row);
    const em_info *info = em_model_info(model);
    unsigned long long bytes = 0;
    for (int phase = 0; phase < EM_PHASES; phase++) bytes += info->traffic[phase].bytes;
    (void)snprintf(row, sizeof row, "in all</th>");
    has(page, row);
    assert_true(bytes > 0);
    has(page, "Converged.");
    has(page, "<p class=\"private\"><strong>This page shows single rows of the data of this site.");
    has(page, "2017-07-14 02:40 UTC");
    has(page, "<code>components = 3</code>, all others");
    assert_int_equal(page_counts(page, "<circle class=\"node"), 4);
    assert_int_equal(page_counts(page, "h.01"), 2 * 60 + 2); /* a point a row in both pictures, and two in the legend */
    free(page);
    em_model_free(&model);
}

static void nothing_in_a_text_is_html(void **state)
{
    (void)state;
    static const char *const names[] = {"<script>alert(1)</script>",
                                        "\"><img src=x onerror=alert(1)>",
                                        "' onload='x",
                                        "</title></style><b>",
                                        "\xff\xfe<i>",
                                        "]]><!--",
                                        "&lt;b&gt;"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char *page = make(&(page_case){.nodes = 3, .components = 3, .rows = 1, .name = names[n]});
        check_tags(page);
        assert_int_equal(page_counts(page, "<script"), 0);
        assert_int_equal(page_counts(page, "<img"), 0);
        assert_int_equal(page_counts(page, "<b>"), 0);
        assert_int_equal(page_counts(page, "<i>"), 0);
        assert_int_equal(page_counts(page, "<!--"), 0);
        assert_int_equal(page_counts(page, "\" onerror"), 0);
        assert_int_equal(
            page_counts(page, "http:") + page_counts(page, "https:") + page_counts(page, "src="),
            strstr(names[n], "src=") ? page_counts(page, "img src=") + page_counts(page, "img</span> <span>src=") : 0);
        has(page, "default-src &#39;none&#39;");
        free(page);
    }
}

static void rows_are_there_only_when_asked_for(void **state)
{
    (void)state;
    char *page = make(&(page_case){.nodes = 2, .components = 2});
    assert_int_equal(page_counts(page, "h.01"), 0);
    assert_int_equal(page_counts(page, "class=\"private\""), 0);
    has(page, "Rows are not on this page");
    free(page);
}

static void every_shape_has_a_page(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= 20; nodes += nodes < 4 ? 1 : 16)
        for (int components = 1; components <= 6; components++) {
            char *page = make(
                &(page_case){.nodes = nodes, .components = components, .rows = 1, .method = nodes > 1 ? "dsa" : NULL});
            check_tags(page);
            assert_int_equal(page_counts(page, "=\"nan"), 0);
            assert_int_equal(page_counts(page, "inf\""), 0);
            free(page);
        }
}

/* Names are in the drawing where all have room; where not, numbers are, and the list says whose. */
static void sites_can_be_told_apart(void **state)
{
    (void)state;
    char *page = make(&(page_case){.nodes = 3, .components = 2, .name = "berlin"});
    assert_int_equal(page_counts(page, "<text class=\"middle name\""), 3);
    assert_int_equal(page_counts(page, "1. <bdi>"), 0);
    free(page);
    static const page_case crowded[] = {{.nodes = 3, .components = 2, .name = "university-clinic-15"},
                                        {.nodes = 30, .components = 2, .name = "hospital-15"}};
    for (int n = 0; n < 2; n++) {
        page = make(&crowded[n]);
        check_tags(page);
        assert_int_equal(page_counts(page, "<text class=\"middle name\""), 0);
        assert_int_equal(page_counts(page, "<text class=\"middle number\""), crowded[n].nodes);
        has(page, ">1</text>");
        has(page, "1. <bdi>");
        has(page, "The list has the names that belong to the numbers.");
        free(page);
    }
}

static void a_fragment_is_a_piece(void **state)
{
    (void)state;
    char *page = make(&(page_case){.nodes = 3, .components = 3, .rows = 1, .fragment = 1});
    check_tags(page);
    assert_int_equal(page_counts(page, "<html") + page_counts(page, "<body") + page_counts(page, "<!DOCTYPE"), 0);
    assert_int_equal(page_counts(page, "h.01"), 0);
    for (const char *line = strstr(page, "<style>\n") + 8; strncmp(line, "</style>", 8) != 0;
         line = strchr(line, '\n') + 1)
        if (*line != ' ' && strncmp(line, ".em", 3) != 0 && strncmp(line, "@media", 6) != 0 &&
            strncmp(line, "main.em", 7) != 0 && *line != '}' && strncmp(line, "/*", 2) != 0)
            fail_msg("a rule for all of the page around it: %.60s", line);
    free(page);
}

static void a_model_alone_has_a_page(void **state)
{
    (void)state;
    em_model *model = NULL;
    em_error err = {0};
    free(make(&(page_case){.nodes = 3, .components = 2, .model = &model}));
    const em_page page = {.size = sizeof page, .model = model};
    assert_ok(em_page_save(&page, scratch("page.html"), &err), &err);
    char text[64000] = "";
    FILE *file = fopen(scratch("page.html"), "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    (void)fclose(file);
    check_tags(text);
    has(text, "Who was linked with whom, a model does not keep");
    has(text, "The command, a model does not keep");
    assert_fails(em_page_save(&page, "/nowhere/page.html", &err), EM_EINVAL, "/nowhere", &err);
    em_model_free(&model);
}

static void what_is_missing_is_told(void **state)
{
    (void)state;
    em_error err = {0};
    em_model *model = NULL;
    em_data *other = NULL;
    double values[4] = {1, 2, 3, 4};
    assert_fails(em_page_write(NULL, stdout, &err), EM_EINVAL, "has no size", &err);
    assert_fails(em_page_write(&(em_page){0}, stdout, &err), EM_EINVAL, "has no size", &err);
    assert_fails(em_page_write(&(em_page){.size = sizeof(em_page)}, stdout, &err), EM_EINVAL, "has no model", &err);
    free(make(&(page_case){.nodes = 1, .components = 2, .model = &model}));
    assert_ok(em_data_from_array(&other, values, EM_F64, 2, 2, 0, 0, &err), &err);
    const em_data *tables[] = {other};
    em_page page = {.size = sizeof page, .model = model, .tables = tables, .table_count = 1};
    assert_fails(em_page_write(&page, stdout, &err), EM_EINVAL, "has 2 columns, but the model has 6 features", &err);
    page.label = "kind";
    assert_fails(em_page_write(&page, stdout, &err), EM_EINVAL, "was opened without a label", &err);
    em_data_free(&other);
    em_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_are_those_of_the_model),
        cmocka_unit_test(nothing_in_a_text_is_html),
        cmocka_unit_test(rows_are_there_only_when_asked_for),
        cmocka_unit_test(every_shape_has_a_page),
        cmocka_unit_test(sites_can_be_told_apart),
        cmocka_unit_test(a_fragment_is_a_piece),
        cmocka_unit_test(a_model_alone_has_a_page),
        cmocka_unit_test(what_is_missing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
