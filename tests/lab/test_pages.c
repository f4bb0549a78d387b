/* The pages, of a reproduction that is made up: what they say, that no text breaks out of its place, and that nothing
 * at all gives a page too. */
#include "lab/paper/paper.h"
#include "lab/template.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define SVG         "<svg>\xc3\xa9</svg>"
#define SVG_BASE64  "PHN2Zz7DqTwvc3ZnPg=="

/* ---- a reproduction ------------------------------------------------------------------------------------ */

enum { ROWS = 40 };

static lab_curve_row rows[2][ROWS];
static char refused[] = "did not run: no \"room\" & <more>";
static curve curves[] = {{.key = "dsa-0.1", .label = "dsa, step 0.1", .runs = 10, .count = ROWS, .rows = rows[0]},
                         {.key = "odd", .label = "odd <one>", .runs = 10, .count = ROWS, .rows = rows[1]},
                         {.key = "lost", .label = "lost", .note = refused}};
static setup setups[] = {{.key = "fig1a",
                          .title = "Star network & more",
                          .about = "d = 10, K = 3 <of 10>",
                          .curve_count = COUNT(curves),
                          .curves = curves}};
static picture pictures[] = {{.file = "fig1a.svg", .about = setups},
                             {.file = "fig1a-units.svg", .about = setups, .along = AXIS_UNITS},
                             {.file = "fig1a-bytes.svg", .about = setups, .along = AXIS_BYTES}};
static figure figures[] = {{.key = "fig1a",
                            .title = "Figure 1a: <title>",
                            .caption = "A \"caption\".",
                            .picture_count = 1,
                            .pictures = pictures},
                           {.key = "beside",
                            .title = "Beside figure 1a",
                            .caption = "More.",
                            .ours = 1,
                            .picture_count = 2,
                            .pictures = pictures + 1}};
static claim claims[] = {{.key = "first",
                          .figure = "Figure 1a",
                          .sentence = "a < b & c | d.",
                          .remark = "Charged *fully*.",
                          .evidence_count = 2,
                          .evidence = {{"Star network", "dsa 683, \"seqdistpm\" 8130", 1}, {"Cycle", "T_c <b>", 0}},
                          .verdict = PARTLY},
                         {.key = "second", .figure = "Figure 2", .sentence = "It holds.", .verdict = HOLDS},
                         {.key = "third", .figure = "Figure 2", .sentence = "It fails.", .verdict = FAILS},
                         {.key = "fourth", .figure = "Figure 3", .sentence = "Who knows.", .verdict = NOT_RUN}};
static const reproduction made_up = {.command = "eigenmesh reproduce '<all>' --output \"a&b\"",
                                     .quick = 1,
                                     .trials = 2,
                                     .seed = UINT64_MAX,
                                     .setup_count = COUNT(setups),
                                     .setups = setups,
                                     .figure_count = COUNT(figures),
                                     .figures = figures,
                                     .claim_count = COUNT(claims),
                                     .claims = claims};
static const reproduction nothing = {.command = "eigenmesh reproduce", .trials = 10};
static const char *const svgs[] = {SVG, SVG, SVG};

/* The first falls tenfold every 10 iterations and has 2,000,000 bytes and 2.5 units to send in each; the second has an
 * error that is no number. */
static int make_up(void **state)
{
    (void)state;
    for (int t = 0; t < ROWS; t++) {
        rows[0][t] = (lab_curve_row){.iteration = t, .bytes = 2e6 * t, .units = 2.5 * t, .error = pow(10, -t / 10)};
        rows[1][t] = (lab_curve_row){.iteration = t, .bytes = 1, .units = 1, .error = t < 30 ? 1 : INFINITY};
    }
    rows[1][ROWS - 1].error = NAN;
    return 0;
}

/* ---- reading pages -------------------------------------------------------------------------------------- */

/* The text of a page; the caller frees it. */
static char *text_of(const char *page, const reproduction *r)
{
    char *text = NULL;
    size_t size = 0;
    em_error err = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_ok(page_write(out, page, r, svgs, &err), &err);
    (void)fclose(out);
    return text;
}

static void assert_says(const char *page, const char *words)
{
    if (!strstr(page, words)) fail_msg("not in the page: %s", words);
}

static void assert_silent(const char *page, const char *words)
{
    if (strstr(page, words)) fail_msg("in the page: %s", words);
}

static int is_void(const char *name, size_t length)
{
    static const char *const names[] = {"!DOCTYPE", "meta", "link", "img"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0) return 1;
    return 0;
}

/* Every element is closed, in the order in which they were opened. */
static void assert_balanced(const char *page)
{
    enum { DEPTH = 32 };
    struct {
        const char *name;
        size_t length;
    } open[DEPTH];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
        int closing = at[1] == '/';
        const char *name = at + 1 + closing;
        size_t length = strcspn(name, " >\n");
        at = strchr(at, '>');
        assert_non_null(at);
        if (is_void(name, length)) continue;
        if (!closing) {
            assert_true(depth < DEPTH);
            open[depth].name = name;
            open[depth++].length = length;
            continue;
        }
        assert_true(depth > 0);
        depth--;
        if (open[depth].length != length || strncmp(open[depth].name, name, length) != 0)
            fail_msg("<%.*s> is closed by </%.*s>", (int)open[depth].length, open[depth].name, (int)length, name);
    }
    assert_int_equal(depth, 0);
}

/* Every link within the page leads somewhere. */
static void assert_anchored(const char *page)
{
    for (const char *link = strstr(page, "href=\"#"); link; link = strstr(link + 1, "href=\"#")) {
        char anchor[80];
        (void)snprintf(anchor, sizeof anchor, " id=\"%.*s\"", (int)strcspn(link + 7, "\""), link + 7);
        assert_says(page, anchor);
    }
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

static void names_verdicts(void **state)
{
    (void)state;
    assert_string_equal(verdict_text(HOLDS), "holds");
    assert_string_equal(verdict_text(FAILS), "does not hold");
    assert_string_equal(verdict_text(PARTLY), "holds in part");
    assert_string_equal(verdict_text(NOT_RUN), "not run");
}

static void writes_claims_in_markdown(void **state)
{
    (void)state;
    char *page = text_of("claims.md", &made_up);
    assert_says(page, "Made by `eigenmesh reproduce '<all>' --output \"a&b\"` with eigenmesh ");
    assert_says(page, ": 2 trials of fewer iterations (quick), seed 18446744073709551615.\n");
    assert_says(page, "\n| Figure 1a | a \\< b & c \\| d. | holds in part |\n"
                      "| Figure 2 | It holds. | holds |\n"
                      "| Figure 2 | It fails. | does not hold |\n"
                      "| Figure 3 | Who knows. | not run |\n");
    assert_says(page, "\n## first\n\nFigure 1a: a \\< b & c \\| d.\n\nVerdict: **holds in part**.\n\n"
                      "Charged \\*fully\\*.\n\n"
                      "- holds, Star network: dsa 683, \"seqdistpm\" 8130\n"
                      "- does not hold, Cycle: T\\_c \\<b>\n");
    assert_says(page, "\n## fourth\n\nFigure 3: Who knows.\n\nVerdict: **not run**.\n");
    free(page);
    page = text_of("claims.md", &nothing);
    assert_says(page, "No claim was judged.\n");
    assert_silent(page, "|");
    free(page);
}

static void writes_claims_in_json(void **state)
{
    (void)state;
    char *page = text_of("claims.json", &made_up);
    assert_says(page,
                "[\n  {\n    \"key\": \"first\",\n    \"figure\": \"Figure 1a\",\n"
                "    \"claim\": \"a < b & c | d.\",\n    \"verdict\": \"holds in part\",\n"
                "    \"remark\": \"Charged *fully*.\",\n    \"evidence\": [\n      {\n"
                "        \"where\": \"Star network\",\n"
                "        \"measured\": \"dsa 683, \\\"seqdistpm\\\" 8130\",\n        \"holds\": true\n      },\n");
    assert_says(page, "\"verdict\": \"not run\",\n    \"remark\": null,\n    \"evidence\": []\n  }\n]\n");
    free(page);
    page = text_of("claims.json", &nothing);
    assert_string_equal(page, "[]\n");
    free(page);
}

static void writes_one_page(void **state)
{
    (void)state;
    char *page = text_of("index.html", &made_up);
    assert_balanced(page);
    assert_anchored(page);
    assert_true(strncmp(page, "<!DOCTYPE html>\n<html lang=\"en\">", 32) == 0);
    /* nothing from elsewhere, nothing to run */
    assert_silent(page, "http");
    assert_silent(page, "<script");
    assert_silent(page, "@import");
    assert_silent(page, "url(");
    assert_says(page, "<code>eigenmesh reproduce &#39;&lt;all&gt;&#39; --output &quot;a&amp;b&quot;</code>");
    assert_says(page, "<dd>18446744073709551615</dd>");
    assert_says(page, em_version());
    assert_says(page, "d = 10, K = 3 &lt;of 10&gt;</td></tr>");
    free(page);
}

static void shows_claims_with_their_evidence(void **state)
{
    (void)state;
    char *page = text_of("index.html", &made_up);
    assert_says(page, "<a href=\"#claim-first\">a &lt; b &amp; c | d.</a></td><td>Figure 1a</td>"
                      "<td><span class=\"verdict partly\">◐ holds in part</span></td>");
    assert_says(page, "<span class=\"verdict holds\">✓ holds</span>: 1, <span class=\"verdict fails\">✗ does not "
                      "hold</span>: 1, ");
    assert_says(page, "<span class=\"verdict soft\">– not run</span>: 1</p>");
    assert_says(page, "<article class=\"claim\" id=\"claim-first\">");
    assert_says(page, "</span>. Charged *fully*.</p>");
    assert_says(page, "<tr><td>Star network</td><td>dsa 683, &quot;seqdistpm&quot; 8130</td>"
                      "<td><span class=\"verdict holds\">✓ holds</span></td></tr>");
    assert_says(page, "<tr><td>Cycle</td><td>T_c &lt;b&gt;</td><td><span class=\"verdict fails\">✗ does not hold");
    free(page);
}

static void shows_figures_with_their_numbers(void **state)
{
    (void)state;
    char *page = text_of("index.html", &made_up);
    assert_says(page, "<h3>Figure 1a: &lt;title&gt;</h3>\n<p><span class=\"origin\">The paper&#39;s.</span> A "
                      "&quot;caption&quot;.</p>");
    assert_says(page, "Not in the paper.</span> More.</p>\n<div class=\"pictures pairs\">");
    assert_says(page, "<img alt=\"Star network &amp; more: average error against iterations. dsa, step 0.1 ends at "
                      "0.001. odd &lt;one&gt; has no final error. lost: did not run: no &quot;room&quot; &amp; "
                      "&lt;more&gt;.\" src=\"data:image/svg+xml;base64," SVG_BASE64 "\">");
    assert_says(page, "<a href=\"fig1a-units.svg\">");
    /* where it got to, in what the picture's axis counts */
    assert_says(page, "iterations to 1e-2</th>");
    assert_says(page, "<a href=\"fig1a-dsa-0.1.csv\">dsa, step 0.1</a></th><td>10</td><td>0.001</td>"
                      "<td>20</td><td>30</td></tr>");
    assert_says(page, "units to 1e-2</th>");
    assert_says(page, "<td>0.001</td><td>50</td><td>75</td></tr>");
    assert_says(page, "MB to 1e-2</th>");
    assert_says(page, "<td>0.001</td><td>40</td><td>60</td></tr>");
    /* what is no number, and what did not run and has no table */
    assert_says(page, ">odd &lt;one&gt;</a></th><td>10</td><td>-</td><td>-</td><td>-</td></tr>");
    assert_says(page, "<th scope=\"row\">lost <small>did not run: no &quot;room&quot; &amp; &lt;more&gt;</small></th>"
                      "<td>0</td><td>-</td><td>-</td><td>-</td></tr>");
    free(page);
}

static void writes_a_page_of_nothing(void **state)
{
    (void)state;
    char *page = text_of("index.html", &nothing);
    assert_balanced(page);
    assert_anchored(page);
    assert_says(page, "<p>No claim was judged.</p>");
    assert_says(page, "<p>No figure was run.</p>");
    assert_silent(page, "<table");
    assert_silent(page, "quick");
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_verdicts),
        cmocka_unit_test(writes_claims_in_markdown),
        cmocka_unit_test(writes_claims_in_json),
        cmocka_unit_test(writes_one_page),
        cmocka_unit_test(shows_claims_with_their_evidence),
        cmocka_unit_test(shows_figures_with_their_numbers),
        cmocka_unit_test(writes_a_page_of_nothing),
    };
    return cmocka_run_group_tests(tests, make_up, NULL);
}
