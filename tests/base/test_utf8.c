/* Characters as bytes, and back. */
#include "base/utf8.h"
#include "support/check.h"

#include <string.h>

static void every_character_comes_back(void **state)
{
    (void)state;
    for (uint32_t code = 1; code <= 0x10ffff; code++) {
        char bytes[EMI_UTF8_MOST + 1] = {0};
        const char *at = bytes;
        size_t size = emi_utf8_put(bytes, code);
        if (code >= 0xd800 && code < 0xe000) {
            assert_int_equal(size, 0);
            continue;
        }
        assert_int_equal(size, strlen(bytes));
        assert_int_equal(emi_utf8_next(&at), code);
        assert_ptr_equal(at, bytes + size);
    }
    char bytes[EMI_UTF8_MOST];
    assert_int_equal(emi_utf8_put(bytes, 0x110000), 0);
    assert_int_equal(emi_utf8_put(bytes, UINT32_MAX), 0);
}

/* Each byte that is none stands for itself, and what follows is read again. */
static void what_is_no_utf8_is_marked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"\xe9t\xe9", 3},    {"\xc3", 1},         {"\xe2\x82", 2},         {"\xc0\x80", 2},
                 {"\xe0\x80\x80", 3}, {"\xed\xa0\x80", 3}, {"\xf4\x90\x80\x80", 4}, {"\xff", 1}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const char *at = cases[n].text;
        assert_int_equal(emi_utf8_length(at), cases[n].length);
        assert_int_equal(emi_utf8_next(&at), EMI_UTF8_UNKNOWN);
        assert_ptr_equal(at, cases[n].text + 1);
    }
    assert_int_equal(emi_utf8_length(""), 0);
    assert_int_equal(emi_utf8_length("\xe2\x82\xac!"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(what_is_no_utf8_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
