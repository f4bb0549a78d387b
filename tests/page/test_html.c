/* What gets into a page as a text stays one. */
#include "base/memory.h"
#include "page/html.h"
#include "support/check.h"
#include "support/locales.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void is(emi_html *html, const char *wanted)
{
    assert_false(html->failed);
    if (html->size != strlen(wanted) || memcmp(html->text, wanted, html->size) != 0)
        fail_msg("'%.*s' is not '%s'", (int)html->size, html->text, wanted);
    emi_free(html->text);
    *html = (emi_html){0};
}

static void texts_are_escaped(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"<script>alert('1')</script>", "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"},
        {"a&b \"c\"", "a&amp;b &quot;c&quot;"},
        {"two\nlines\tand \x01", "two lines and  "},
        {"\x7f\xc2\x85", "\xef\xbf\xbd\xef\xbf\xbd"},                  /* DEL, and a control character of two bytes */
        {"\xff<\xc0\xaf", "\xef\xbf\xbd&lt;\xef\xbf\xbd\xef\xbf\xbd"}, /* no UTF-8; an overlong slash */
        {"\xef\xbf\xbe\xf0\x9f\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd"},  /* U+FFFE, U+1FFFF */
        {"名前 الطول 🙂", "名前 الطول 🙂"},
        {"100%s", "100%s"},
        {"", ""}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        emi_html html = {0};
        emi_put(&html, "%s", cases[n][0]);
        emi_put(&html, "|");
        char wanted[200];
        (void)snprintf(wanted, sizeof wanted, "%s|", cases[n][1]);
        is(&html, wanted);
    }
}

static void names_are_cut_between_letters(void **state)
{
    (void)state;
    emi_html html = {0};
    emi_put_cut(&html, "日本語日本語", 4);
    is(&html, "日本語…");
    emi_put_cut(&html, "<<<<", 4);
    is(&html, "&lt;&lt;&lt;&lt;");
    emi_put_name(&html, "<<<<<", 4);
    is(&html, "<bdi>&lt;&lt;&lt;…</bdi>");
}

static void names_that_end_otherwise_stay_apart(void **state)
{
    (void)state;
    emi_html html = {0};
    emi_put_cut_middle(&html, "university-clinic-15", 10);
    is(&html, "univ…ic-15");
    emi_put_cut_middle(&html, "<日本語日本語>", 4);
    is(&html, "&lt;…語&gt;");
    emi_put_cut_middle(&html, "four", 4);
    is(&html, "four");
}

/* And nothing but tags stands between them that the text does not have. */
static void words_stand_apart(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"fit --nodes 3", "<span>fit</span> <span>--nodes</span> <span>3</span>"},
                                           {"  <a  'b' ", "  <span>&lt;a</span>  <span>&#39;b&#39;</span> "},
                                           {"虹 \xff", "<span>虹</span> <span>\xef\xbf\xbd</span>"},
                                           {"", ""}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        emi_html html = {0};
        emi_put_words(&html, cases[n][0]);
        emi_put(&html, "|");
        char wanted[200];
        (void)snprintf(wanted, sizeof wanted, "%s|", cases[n][1]);
        is(&html, wanted);
    }
}

/* Two that are a step apart are two texts. */
static void numbers_have_the_digits_of_their_step(void **state)
{
    (void)state;
    static const struct {
        double value, step;
        const char *text;
    } cases[] = {{2001, 2.5, "2001"}, {1e5, 1, "100000"},       {100001, 1, "100001"},   {-2e5, 1e5, "-2e+05"},
                 {0, 1, "0"},         {1e150, 5e149, "1e+150"}, {0.125, 0.005, "0.125"}, {1e16, 1e-3, "1e+16"}};
    char room[EMI_REAL_ROOM];
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        assert_string_equal(emi_real_text(room, cases[n].value, cases[n].step, 3), cases[n].text);
}

static void puts_numbers(void)
{
    emi_html html = {0};
    emi_put(&html, "%d %ld %llu %zu %c %.2f %+.3f %.3g %.1e 5%% %g", -3, 4000000000L, ~0ULL, (size_t)7, 'x', 1.5, 0.25,
            1e-7, 12345.0, NAN);
    is(&html, "-3 4000000000 18446744073709551615 7 x 1.50 +0.250 1e-07 1.2e+04 5% nan");
    emi_put_count(&html, 1234567);
    emi_put(&html, " ");
    emi_put_count(&html, 1007);
    emi_put(&html, " ");
    emi_put_count(&html, 999);
    is(&html, "1&#8239;234&#8239;567 1&#8239;007 999");
    emi_put_bytes(&html, 999);
    emi_put_bytes(&html, 1500);
    emi_put_bytes(&html, 3.21e9);
    is(&html, "999&#8239;bytes1.5&#8239;kB3.21&#8239;GB");
    emi_put_seconds(&html, 0);
    emi_put_seconds(&html, 0.0125);
    emi_put_seconds(&html, 5400);
    is(&html, "0&#8239;µs12.5&#8239;ms1.5&#8239;h");
}

static void numbers_have_a_point_in_any_locale(void **state)
{
    (void)state;
    puts_numbers();
    if (!locale_with_comma()) skip_for("no locale with a decimal comma is installed");
    puts_numbers();
    locale_plain();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(names_are_cut_between_letters),
        cmocka_unit_test(names_that_end_otherwise_stay_apart),
        cmocka_unit_test(words_stand_apart),
        cmocka_unit_test(numbers_have_the_digits_of_their_step),
        cmocka_unit_test(numbers_have_a_point_in_any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
