/* The digest: what it must tell apart. */
#include "base/digest.h"
#include "support/check.h"
#include "support/matrix.h"

#include <string.h>

enum { COUNT = 40 };

static void every_bit_matters(void **state)
{
    (void)state;
    uint64_t words[COUNT];
    matrix_fill((double *)words, COUNT, 1);
    uint64_t before = emi_digest(EMI_DIGEST_START, words, COUNT);
    for (int n = 0; n < COUNT; n++)
        for (int bit = 0; bit < 64; bit++) {
            words[n] ^= 1ull << bit;
            assert_true(emi_digest(EMI_DIGEST_START, words, COUNT) != before);
            words[n] ^= 1ull << bit;
        }
    assert_true(emi_digest(EMI_DIGEST_START, words, COUNT) == before);
    assert_true(emi_digest(EMI_DIGEST_START, words, COUNT - 1) != before);
}

/* Changes that the eye would take for harmless: they must not cancel. */
static void two_changes_do_not_cancel(void **state)
{
    (void)state;
    double numbers[COUNT];
    matrix_fill(numbers, COUNT, 2);
    uint64_t before = emi_digest(EMI_DIGEST_START, numbers, COUNT);
    for (int a = 0; a < COUNT; a++)
        for (int b = a + 1; b < COUNT; b++) {
            double x = numbers[a], y = numbers[b];
            numbers[a] = -x, numbers[b] = -y;
            assert_true(emi_digest(EMI_DIGEST_START, numbers, COUNT) != before);
            numbers[a] = y, numbers[b] = x;
            assert_true(emi_digest(EMI_DIGEST_START, numbers, COUNT) != before);
            numbers[a] = x, numbers[b] = y;
        }
}

static void texts_have_ends(void **state)
{
    (void)state;
    const char *const texts[] = {"", "a", "b", "ab", "ba", "a b", "abc"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (int a = 0; a < TEXTS; a++)
        for (int b = 0; b < TEXTS; b++)
            assert_int_equal(emi_digest_text(1, texts[a]) == emi_digest_text(1, texts[b]), a == b);
    assert_true(emi_digest_text(emi_digest_text(1, "a"), "bc") != emi_digest_text(emi_digest_text(1, "ab"), "c"));
}

static void it_is_continued(void **state)
{
    (void)state;
    uint64_t words[COUNT];
    matrix_fill((double *)words, COUNT, 3);
    uint64_t whole = emi_digest(EMI_DIGEST_START, words, COUNT), part = EMI_DIGEST_START;
    part = emi_digest(part, words, 7);
    part = emi_digest_number(part, words[7]);
    part = emi_digest(part, words + 8, COUNT - 8);
    assert_true(part == whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_matters),
        cmocka_unit_test(two_changes_do_not_cancel),
        cmocka_unit_test(texts_have_ends),
        cmocka_unit_test(it_is_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
