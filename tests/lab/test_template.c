/* Templates: what is filled in, how often, and that no text breaks out of its place. */
#include "lab/template.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[256];

/* A template of the test's own, by way of LAB_DIR. */
static void write_template(const char *file, const char *text)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    (void)fputs(text, out);
    (void)fclose(out);
}

/* Filled in; the caller frees it. */
static char *filled(const char *file, const char *text, const fill *with)
{
    char *page = NULL;
    size_t size = 0;
    em_error err = {0};
    write_template(file, text);
    FILE *out = open_memstream(&page, &size);
    assert_ok(template_put(out, file, with, &err), &err);
    (void)fclose(out);
    return page;
}

#define assert_filled(file, text, with, wanted)                                                                        \
    do {                                                                                                               \
        char *page = filled(file, text, with);                                                                         \
        assert_string_equal(page, wanted);                                                                             \
        free(page);                                                                                                    \
    } while (0)

static void texts_stay_texts(void **state)
{
    (void)state;
    fill *with = fill_new();
    fill_text(with, "a", "%s", "<&>\"'");
    fill_text(with, "b", "%s", "two\n\x01 \xc3\xa9");
    assert_filled("a.html", "<a b=\"{{a}}\">{{b}}", with, "<a b=\"&lt;&amp;&gt;&quot;&#39;\">two   \xc3\xa9");
    assert_filled("a.md", "{{a}} {{b}}", with, "\\<&>\"' two   \xc3\xa9");
    assert_filled("a.json", "\"{{a}}\" {{b}}", with, "\"<&>\\\"'\" two\\u000a\\u0001 \xc3\xa9");
    assert_filled("a.gp", "'{{a}}{{b}}'", with, "'<&>\"\xe2\x80\x99two   \xc3\xa9'");
    assert_filled("a.html", "{{raw a}}{{nothing}}", with, "<&>\"'");
    fill_text(with, "a", "%s", "\xff\\");
    assert_filled("a.json", "{{a}}", with, "\\ufffd\\\\");
    assert_filled("a.gp", "{{a}}", with, "?\\");
    fill_free(&with);
}

/* RFC 4648, section 10. */
static void encodes_base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xfe\xfb", "//77"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        fill *with = fill_new();
        fill_text(with, "a", "%s", pairs[i][0]);
        assert_filled("a.html", "{{base64 a}}", with, pairs[i][1]);
        fill_free(&with);
    }
}

static void sections_repeat_and_vanish(void **state)
{
    (void)state;
    fill *with = fill_new();
    fill_text(with, "name", "outer");
    fill_flag(with, "yes", 1);
    fill_flag(with, "no", 0);
    for (int i = 0; i < 2; i++) {
        fill *item = fill_add(with, "items");
        fill_text(item, "n", "%d", i);
        if (i == 1) fill_text(item, "name", "inner");
    }
    assert_filled("a.html", "{{#items}}({{n}} {{name}}){{/items}}", with, "(0 outer)(1 inner)");
    assert_filled("a.html", "{{#yes}}+{{/yes}}{{#no}}-{{/no}}{{^no}}!{{/no}}{{^items}}?{{/items}}", with, "+!");
    /* once for a list that has any, and between its items */
    assert_filled("a.html", "{{?items}}[{{/items}}{{#items}}{{n}}{{#more}}, {{/more}}{{/items}}{{?no}}]{{/no}}", with,
                  "[0, 1");
    /* a line of its own is no line of the output; one beside something else is */
    assert_filled("a.html", "{{#items}}\n<{{n}}>\n{{/items}}\n.{{#no}}x{{/no}}\n", with, "<0>\n<1>\n.\n");
    /* a text is looked up outwards; what is left out may hold sections too */
    assert_filled("a.html", "{{#items}}[{{#yes}}{{n}}{{/yes}}]{{/items}}", with, "[0][1]");
    assert_filled("a.html", "{{#no}}{{#items}}{{n}}{{/items}}{{/no}}end", with, "end");
    fill_free(&with);
}

static void files_include_files(void **state)
{
    (void)state;
    em_error err = {0};
    fill *with = fill_new();
    fill_text(with, "a", "<");
    free(filled("part.txt", "[{{a}}]", with));
    assert_filled("a.html", "1\n{{>part.txt}}\n2", with, "1\n[&lt;]2");
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    write_template("loop.html", "{{>loop.html}}");
    assert_fails(template_put(out, "loop.html", with, &err), EM_EDATA, "includes itself", &err);
    assert_fails(template_put(out, "nowhere.html", with, &err), EM_EIO,
                 "nowhere.html: cannot be read; try without LAB_DIR", &err);
    (void)unsetenv("LAB_DIR");
    assert_fails(template_put(out, "nowhere.html", with, &err), EM_EINVAL, "no such file of lab", &err);
    assert_ok(template_put(out, "pages/index.html", with, &err), &err); /* the program's own */
    assert_int_equal(setenv("LAB_DIR", directory, 1), 0);
    (void)fclose(out);
    fill_free(&with);
}

static int open_directory(void **state)
{
    (void)state;
    (void)snprintf(directory, sizeof directory, "%s", scratch("templates"));
    return mkdir(directory, 0777) != 0 || setenv("LAB_DIR", directory, 1) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_stay_texts), cmocka_unit_test(encodes_base64),
                                       cmocka_unit_test(sections_repeat_and_vanish),
                                       cmocka_unit_test(files_include_files)};
    return cmocka_run_group_tests(tests, open_directory, NULL);
}
