/* bech32m: BIP-350's vectors, what is written is read, and what is a little wrong is refused. */
#include "net/bech32.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static char prefix[EMI_BECH32_PREFIX];
static unsigned char groups[EMI_BECH32_GROUPS];
static size_t count;

static int is_read(const char *text)
{
    return emi_bech32m_read(text, prefix, groups, &count) == 0;
}

/* BIP-350, "Test vectors", those of the encoding itself. */
static const char *const valid[] = {
    "A1LQFN3A",
    "a1lqfn3a",
    "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6",
    "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
    "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8",
    "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
    "?1v759aa"};

static const char *const invalid[] = {
    "\x20"
    "1xj0phk",
    "\x7f"
    "1g6xzxy",
    "\x80"
    "1vctc34",
    "an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4", "qyrz8wqd2c9m",
    "1qyrz8wqd2c9m", "y1b0jsk6g", "lt1igcx5c0", "in1muywd", "mm1crxm3i", "au1s5cgom", "M1VUXWEZ", "16plkw9", "1p2gdwpf",
    /* of BIP-173: good under the other constant */
    "a12uel5l", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "?1ezyfcl",
    /* and ours */
    "", "1", "a1", "a1lqfn3", "a1lqfn3aa", "a1Lqfn3a", "A1lqfn3a", "a1lqfn3a ", " a1lqfn3a"};

static void vectors_of_bip_350(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof valid / sizeof *valid; n++) {
        char text[EMI_BECH32_TEXT], small[EMI_BECH32_TEXT] = "";
        assert_true(is_read(valid[n]));
        assert_int_equal(emi_bech32m_write(prefix, groups, count, text), 0);
        (void)snprintf(small, sizeof small, "%s", n == 0 ? "a1lqfn3a" : valid[n]);
        assert_string_equal(text, small);
    }
    for (size_t n = 0; n < sizeof invalid / sizeof *invalid; n++) assert_false(is_read(invalid[n]));
    assert_true(is_read("abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx"));
    assert_string_equal(prefix, "abcdef");
    assert_int_equal(count, 32);
    for (size_t n = 0; n < count; n++) assert_int_equal(groups[n], 31 - n);
}

/* A checksum of this kind finds every one wrong character, and every exchange of two neighbours. */
static void one_wrong_character_is_found(void **state)
{
    (void)state;
    const char *good = valid[5];
    for (size_t at = 0; good[at]; at++) {
        char text[EMI_BECH32_TEXT];
        for (int other = 1; other < 256; other++) {
            (void)snprintf(text, sizeof text, "%s", good);
            text[at] = (char)other;
            assert_int_equal(is_read(text), (char)other == good[at]);
        }
        (void)snprintf(text, sizeof text, "%s", good);
        if (good[at + 1] && good[at] != good[at + 1]) {
            text[at] = good[at + 1], text[at + 1] = good[at];
            assert_false(is_read(text));
        }
    }
}

/* The weakness of the older constant: q before a final p. */
static void a_q_more_or_less_is_found(void **state)
{
    (void)state;
    unsigned char none[EMI_BECH32_GROUPS] = {0};
    int ends_in_p = 0;
    for (unsigned n = 0; n < 1024; n++) {
        char text[EMI_BECH32_TEXT], longer[EMI_BECH32_TEXT + 1];
        none[0] = (unsigned char)(n >> 5), none[1] = (unsigned char)(n & 31);
        assert_int_equal(emi_bech32m_write("em", none, 40, text), 0);
        size_t length = strlen(text);
        if (text[length - 1] != 'p') continue;
        ends_in_p++;
        (void)snprintf(longer, sizeof longer, "%.*sqp", (int)(length - 1), text);
        assert_false(is_read(longer));
    }
    assert_true(ends_in_p > 10);
}

static void what_cannot_be_written_is_not(void **state)
{
    (void)state;
    char text[EMI_BECH32_TEXT], many[EMI_BECH32_TEXT];
    unsigned char zero[200] = {0};
    memset(many, 'a', sizeof many), many[84] = 0;
    assert_int_equal(emi_bech32m_write("", zero, 2, text), -1);
    assert_int_equal(emi_bech32m_write("Em", zero, 2, text), -1);
    assert_int_equal(emi_bech32m_write("e m", zero, 2, text), -1);
    assert_int_equal(emi_bech32m_write(many, zero, 0, text), -1);
    many[83] = 0;
    assert_int_equal(emi_bech32m_write(many, zero, 0, text), 0);
    assert_int_equal(strlen(text), 90);
    assert_int_equal(emi_bech32m_write(many, zero, 1, text), -1);
    assert_int_equal(emi_bech32m_write("e", zero, 82, text), 0);
    assert_int_equal(emi_bech32m_write("e", zero, 83, text), -1);
    zero[1] = 32;
    assert_int_equal(emi_bech32m_write("em", zero, 2, text), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_bip_350), cmocka_unit_test(one_wrong_character_is_found),
        cmocka_unit_test(a_q_more_or_less_is_found), cmocka_unit_test(what_cannot_be_written_is_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
