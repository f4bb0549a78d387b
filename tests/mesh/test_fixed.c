/* Numbers in fixed point: exact sums, or a refusal.  The truth is a whole number of many words, added up here and rounded by
 * strtod. */
#include "mesh/fixed.h"

#include "base/random.h"
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 20000 };

/* ---- whole numbers of 384 bits ------------------------------------------------------------------------------------- */

enum { LIMBS = 12 };

typedef struct whole {
    uint32_t limb[LIMBS]; /* least first, two's complement */
} whole;

static void add_limb(whole *sum, int at, uint32_t value)
{
    uint64_t carry = value;
    for (int n = at; n < LIMBS && carry; n++) {
        carry += sum->limb[n];
        sum->limb[n] = (uint32_t)carry;
        carry >>= 32;
    }
}

static whole negated(whole x)
{
    for (int n = 0; n < LIMBS; n++) x.limb[n] = ~x.limb[n];
    add_limb(&x, 0, 1);
    return x;
}

static void add_whole(whole *sum, const whole *x)
{
    for (int n = 0; n < LIMBS; n++) add_limb(sum, n, x->limb[n]);
}

/* The nearest whole number, of two the lower one. */
static long double nearest(long double x)
{
    return ceill(x - 0.5L);
}

/* x 2^places, to the nearest. */
static whole whole_of(double x, int places)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* x = fraction 2^exponent, of 53 bits */
    int shift = exponent - DBL_MANT_DIG + places;
    uint64_t bits = (uint64_t)ldexp(fraction, DBL_MANT_DIG);
    whole out = {0};
    if (shift < 0) {
        long double exact = nearest(ldexpl(x < 0 ? -(long double)bits : (long double)bits, shift));
        bits = (uint64_t)fabsl(exact);
        shift = 0;
    }
    for (int b = 0; b < 64; b++)
        if (bits >> b & 1) add_limb(&out, (shift + b) / 32, UINT32_C(1) << (shift + b) % 32);
    return x < 0 ? negated(out) : out;
}

/* x 2^-places, rounded once, by the C library. */
static double double_of(whole x, int places)
{
    char text[LIMBS * 8 + 32];
    int negative = x.limb[LIMBS - 1] >> 31 != 0, length = 0;
    if (negative) x = negated(x);
    length += snprintf(text, sizeof text, "%s0x", negative ? "-" : "");
    for (int n = LIMBS - 1; n >= 0; n--)
        length += snprintf(text + length, sizeof text - (size_t)length, "%08x", x.limb[n]);
    (void)snprintf(text + length, sizeof text - (size_t)length, "p%d", -places);
    return strtod(text, NULL);
}

/* ---- random numbers ------------------------------------------------------------------------------------------------ */

static emi_random source(uint64_t seed)
{
    return emi_random_seed(seed, EMI_STREAM_INIT);
}

static int within(emi_random *random, int low, int high)
{
    return low + (int)(emi_random_bits(random) % (uint64_t)(high - low + 1));
}

/* A mantissa with all its digits, either sign, and an order of two. */
static double draw(emi_random *random, int low, int high)
{
    double mantissa = 1 + (double)(emi_random_bits(random) >> 12) * 0x1p-52;
    return ldexp(emi_random_bits(random) & 1 ? -mantissa : mantissa, within(random, low, high));
}

/* ---- one word ------------------------------------------------------------------------------------------------------- */

static const uint64_t neutral = 0x8000000080000000; /* digits that are half of what they can be add nothing */

static int64_t as_signed(uint64_t word)
{
    int64_t number;
    memcpy(&number, &word, sizeof number);
    return number;
}

static void a_word_is_the_nearest_or_refused(void **state)
{
    emi_random random = source(1);
    int held = 0, refused = 0;
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        double x = draw(&random, -498, 498); /* 300 orders */
        int places = 61 - ilogb(x) - within(&random, -8, 130);
        long double exact = ldexpl((long double)x, places);
        uint64_t word = 0;
        if (emi_fix(ldexp(x, places), neutral, &word) != 0) {
            refused++;
            assert_true(fabsl(exact) >= 0x1p62L);
            continue;
        }
        held++;
        assert_true(fabsl(exact) < 0x1p62L);
        assert_true(as_signed(word) == (int64_t)nearest(exact));
        assert_true(fabsl((long double)as_signed(word) - exact) <= 0.5L);
        if (fabsl(exact) >= 1) assert_true(fabs(emi_unfix(word, places) - x) <= ldexp(0.5, -places));
    }
    assert_true(held > TRIALS / 2 && refused > 100);
}

static void what_is_no_number_is_refused(void **state)
{
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 0x1p62, -0x1p62};
    const uint64_t fill[EMI_WIDE_WORDS] = {1, 2, 3, 4};
    uint64_t words[EMI_WIDE_WORDS];
    (void)state;
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        assert_int_equal(emi_fix(bad[n], neutral, words), -1);
        assert_int_equal(emi_fix_wide(bad[n], fill, words), -1);
    }
    assert_int_equal(emi_fix_wide(0x1p44, fill, words), -1);
    assert_int_equal(emi_fix_wide(-0x1p44, fill, words), -1);
    assert_int_equal(emi_fix_wide(nextafter(0x1p44, 0), fill, words), 0);
    assert_int_equal(emi_fix(0x1p62, neutral, words), -1);
}

static void zeros_and_the_smallest(void **state)
{
    const double none[] = {0, -0.0, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN};
    const uint64_t fill[EMI_WIDE_WORDS] = {neutral};
    (void)state;
    for (size_t n = 0; n < sizeof none / sizeof *none; n++) {
        uint64_t words[EMI_WIDE_WORDS] = {9, 9, 9, 9};
        assert_int_equal(emi_fix(ldexp(none[n], 61), neutral, words), 0);
        assert_true(words[0] == 0);
        assert_int_equal(emi_fix_wide(none[n], fill, words), 0);
        for (int w = 0; w < EMI_WIDE_WORDS; w++) assert_true(words[w] == 0);
        assert_true(emi_unfix_wide(words) == 0);
    }
    uint64_t word;
    assert_int_equal(emi_fix(ldexp(DBL_TRUE_MIN, 1074), neutral, &word), 0); /* a subnormal is a number too */
    assert_true(word == 1 && emi_unfix(word, 1074) == DBL_TRUE_MIN);
}

static void sums_of_words_are_exact(void **state)
{
    emi_random random = source(2);
    (void)state;
    for (int t = 0; t < TRIALS / 20; t++) {
        int nodes = within(&random, 3, 1024), order = within(&random, -400, 400), places = 51 - order;
        uint64_t total = 0;
        long double exact = 0; /* whole, and below 2^62 */
        for (int i = 0; i < nodes; i++) {
            double x = draw(&random, order - 80, order - 1);
            uint64_t word = 0;
            assert_int_equal(emi_fix(ldexp(x, places), neutral, &word), 0);
            exact += nearest(ldexpl((long double)x, places));
            emi_add_fixed(&total, &word, 1, 1);
        }
        assert_true((long double)as_signed(total) == exact);
        assert_true(emi_unfix(total, places) == ldexp((double)exact, -places));
    }
}

/* ---- four ------------------------------------------------------------------------------------------------------------- */

/* The fill that adds nothing to x. */
static void neutral_for(double x, uint64_t fill[EMI_WIDE_WORDS])
{
    int digits = ilogb(x) - (DBL_MANT_DIG - 1) + EMI_WIDE_BELOW;
    memset(fill, 0, EMI_WIDE_WORDS * sizeof *fill);
    if (digits < 0) fill[0] = neutral;
    if (digits > 0) fill[(digits - 1) / 64] = UINT64_C(1) << (digits - 1) % 64;
}

static void check_sum(emi_random *random, int count, int low, int high)
{
    uint64_t total[EMI_WIDE_WORDS] = {0};
    whole exact = {0};
    for (int i = 0; i < count; i++) {
        double x = draw(random, low, high);
        uint64_t fill[EMI_WIDE_WORDS], words[EMI_WIDE_WORDS];
        neutral_for(x, fill);
        assert_int_equal(emi_fix_wide(x, fill, words), 0);
        whole part = whole_of(x, EMI_WIDE_BELOW);
        for (int w = 0; w < EMI_WIDE_WORDS; w++)
            assert_true(words[w] == (part.limb[2 * w] | (uint64_t)part.limb[2 * w + 1] << 32));
        emi_add_fixed(total, words, EMI_WIDE_WORDS, EMI_WIDE_WORDS);
        add_whole(&exact, &part);
    }
    double wanted = double_of(exact, EMI_WIDE_BELOW), got = emi_unfix_wide(total);
    if (got != wanted) fail_msg("%d numbers: %a, wanted %a", count, got, wanted);
}

/* 300 orders of magnitude, of which the lowest ones round to the last place; and 600, down to subnormals. */
static void wide_sums_are_exact(void **state)
{
    emi_random random = source(3);
    (void)state;
    for (int t = 0; t < TRIALS / 20; t++) {
        check_sum(&random, within(&random, 1, 40), -955, 38);
        check_sum(&random, within(&random, 1, 40), -1074, 38);
        check_sum(&random, within(&random, 1, 40), -230, -180);
        check_sum(&random, 1, -211, 43);
    }
    check_sum(&random, 20000, -200, 29);
}

/* Sums that cancel leave what is small. */
static void what_cancels_leaves_the_rest(void **state)
{
    const double parts[] = {0x1.fffffffffffffp43, 0x1.123456789abcdp-150, -0x1.fffffffffffffp43};
    uint64_t total[EMI_WIDE_WORDS] = {0};
    (void)state;
    for (int n = 0; n < 3; n++) {
        uint64_t fill[EMI_WIDE_WORDS], words[EMI_WIDE_WORDS];
        neutral_for(parts[n], fill);
        assert_int_equal(emi_fix_wide(parts[n], fill, words), 0);
        emi_add_fixed(total, words, EMI_WIDE_WORDS, EMI_WIDE_WORDS);
    }
    assert_true(emi_unfix_wide(total) == parts[1]);
}

/* ---- digits that are filled --------------------------------------------------------------------------------------------- */

static void what_is_filled_is_less_than_half_a_unit(void **state)
{
    emi_random random = source(4);
    double least = 0, most = 0;
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        double x = draw(&random, 53, 61), unit = ldexp(1, ilogb(x) - (DBL_MANT_DIG - 1));
        uint64_t plain, word;
        assert_int_equal(emi_fix(x, neutral, &plain), 0);
        assert_int_equal(emi_fix(x, emi_random_bits(&random), &word), 0);
        double added = (double)as_signed(word - plain) / unit;
        assert_true(fabs(added) <= 0.5);
        least = fmin(least, added), most = fmax(most, added);
    }
    assert_true(least < -0.49 && most > 0.49);
}

static void so_it_is_of_four_words(void **state)
{
    emi_random random = source(5);
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        double x = draw(&random, -300, 43);
        uint64_t fill[EMI_WIDE_WORDS], words[EMI_WIDE_WORDS];
        for (int w = 0; w < EMI_WIDE_WORDS; w++) fill[w] = emi_random_bits(&random);
        assert_int_equal(emi_fix_wide(x, fill, words), 0);
        whole part = whole_of(x, EMI_WIDE_BELOW), filled = {0};
        for (int n = 0; n < 2 * EMI_WIDE_WORDS; n++) filled.limb[n] = (uint32_t)(words[n / 2] >> 32 * (n % 2));
        for (int n = 2 * EMI_WIDE_WORDS; n < LIMBS; n++) filled.limb[n] = words[3] >> 63 ? UINT32_MAX : 0;
        part = negated(part);
        add_whole(&filled, &part);
        int last = ilogb(x) - (DBL_MANT_DIG - 1);
        double added = double_of(filled, EMI_WIDE_BELOW), half = ldexp(0.5, last);
        assert_true(fabs(added) <= (last >= -EMI_WIDE_BELOW ? half : 2 * ldexp(1, -EMI_WIDE_BELOW)));
    }
}

/* Of whatever fraction, and of a whole number too: mean 0, variance 1/4, less than 3/2. */
static void rounding_says_nothing_of_what_is_rounded(void **state)
{
    enum { DRAWS = 200000 };
    const double fractions[] = {0, 0.1, 0.25, 0.5, 0.75, 0.999};
    emi_random random = source(8);
    (void)state;
    for (int n = 0; n < 6; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double y = sign * (1000 + fractions[n]), mean = 0, square = 0;
            for (int t = 0; t < DRAWS; t++) {
                uint64_t word = 0;
                assert_int_equal(emi_fix(y, emi_random_bits(&random), &word), 0);
                double off = (double)as_signed(word) - y;
                assert_true(fabs(off) <= 1.5);
                mean += off / DRAWS;
                square += off * off / DRAWS;
            }
            assert_true(fabs(mean) < 6 * 0.5 / sqrt(DRAWS));
            assert_true(fabs(square - 0.25) < 0.005);
        }
}

/* Of a number near the top of its word nine bits are filled.  Beside it, whatever small number another node has, each of the
 * 512 endings of the total comes up for one of the 512 fills: they say nothing of the small one. */
static void endings_say_nothing_of_small_parts(void **state)
{
    enum { BITS = 9, ENDINGS = 1 << BITS };
    emi_random random = source(6);
    (void)state;
    for (int t = 0; t < 200; t++) {
        double large = draw(&random, 61, 61), small = draw(&random, 0, 20);
        unsigned char seen[ENDINGS] = {0};
        uint64_t with;
        assert_int_equal(emi_fix(small, emi_random_bits(&random), &with), 0);
        for (uint64_t f = 0; f < ENDINGS; f++) {
            uint64_t total;
            assert_int_equal(emi_fix(large, f << (64 - BITS), &total), 0);
            total += with;
            seen[total & (ENDINGS - 1)]++;
        }
        for (int n = 0; n < ENDINGS; n++) assert_int_equal(seen[n], 1);
    }
}

/* The last word of four, of a large number and a small one: uniform, by its bytes, where it is filled; the small one's own
 * where it is not. */
static double chi_square_of_endings(emi_random *random, double small, int filled)
{
    enum { DRAWS = 25600 };
    double count[256] = {0}, chi = 0;
    for (int t = 0; t < DRAWS; t++) {
        double large = draw(random, 30, 30);
        uint64_t fill[EMI_WIDE_WORDS], total[EMI_WIDE_WORDS], words[EMI_WIDE_WORDS];
        neutral_for(large, fill);
        for (int w = 0; w < EMI_WIDE_WORDS && filled; w++) fill[w] = emi_random_bits(random);
        assert_int_equal(emi_fix_wide(large, fill, total), 0);
        neutral_for(small, fill);
        assert_int_equal(emi_fix_wide(small, fill, words), 0);
        emi_add_fixed(total, words, EMI_WIDE_WORDS, EMI_WIDE_WORDS);
        count[total[0] >> 56]++;
    }
    for (int n = 0; n < 256; n++) chi += (count[n] - DRAWS / 256) * (count[n] - DRAWS / 256) / (DRAWS / 256);
    return chi;
}

static void wide_endings_are_uniform(void **state)
{
    const double small[] = {0x1p-150, 0x1.5p-148, 0x1.fffffp-149};
    emi_random random = source(7);
    (void)state;
    for (int n = 0; n < 3; n++) {
        double chi = chi_square_of_endings(&random, small[n], 1);
        assert_true(chi > 160 && chi < 360); /* 255 degrees: mean 255, deviation 22.6 */
        assert_true(chi_square_of_endings(&random, small[n], 0) > 1e6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_the_nearest_or_refused),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(zeros_and_the_smallest),
        cmocka_unit_test(sums_of_words_are_exact),
        cmocka_unit_test(wide_sums_are_exact),
        cmocka_unit_test(what_cancels_leaves_the_rest),
        cmocka_unit_test(what_is_filled_is_less_than_half_a_unit),
        cmocka_unit_test(so_it_is_of_four_words),
        cmocka_unit_test(rounding_says_nothing_of_what_is_rounded),
        cmocka_unit_test(endings_say_nothing_of_small_parts),
        cmocka_unit_test(wide_endings_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
