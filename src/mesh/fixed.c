#include "mesh/fixed.h"

#include <float.h>
#include <math.h>

/* ---- one word ----------------------------------------------------------------------------------------------------- */

/* `bits` of the fill, as a whole number between -2^(bits - 1) and 2^(bits - 1). */
static uint64_t filled(uint64_t fill, int bits)
{
    return bits > 0 ? (fill >> (64 - bits)) - ((uint64_t)1 << (bits - 1)) : 0;
}

/* Rounded as fixed.h says, by the halves of the fill.  The fraction is taken apart first, so that nothing is lost. */
static int64_t rounded(double y, uint64_t fill)
{
    double whole = floor(y), one = (double)(fill >> 32) * 0x1p-32, other = (double)(uint32_t)fill * 0x1p-32;
    return (int64_t)whole + (int64_t)rint(y - whole + (one + other - 1));
}

int emi_fix(double y, uint64_t fill, uint64_t *word)
{
    const double most = ldexp(1, EMI_BLOCK_BITS + 1);
    if (!(fabs(y) < most)) return -1;
    int bits = y != 0 ? ilogb(y) - (DBL_MANT_DIG - 1) : 0;
    *word = bits > 0 ? (uint64_t)(int64_t)y + filled(fill, bits) : (uint64_t)rounded(y, fill);
    return 0;
}

double emi_unfix(uint64_t word, int places)
{
    double magnitude = word >> 63 ? -(double)(~word + 1) : (double)word;
    return ldexp(magnitude, -places);
}

/* ---- four ------------------------------------------------------------------------------------------------------------ */

static void negate(uint64_t words[EMI_WIDE_WORDS])
{
    uint64_t carry = 1;
    for (int w = 0; w < EMI_WIDE_WORDS; w++) {
        words[w] = ~words[w] + carry;
        carry = carry && words[w] == 0;
    }
}

/* words = value 2^place */
static void place_bits(uint64_t value, int place, uint64_t words[EMI_WIDE_WORDS])
{
    int word = place / 64, bit = place % 64;
    for (int w = 0; w < EMI_WIDE_WORDS; w++) words[w] = 0;
    if (word < EMI_WIDE_WORDS) words[word] = value << bit;
    if (bit > 0 && word + 1 < EMI_WIDE_WORDS) words[word + 1] = value >> (64 - bit);
}

/* The lowest `bits` of the fill, less half of what these can be. */
static void add_filled(uint64_t words[EMI_WIDE_WORDS], const uint64_t fill[EMI_WIDE_WORDS], int bits)
{
    uint64_t more[EMI_WIDE_WORDS], half[EMI_WIDE_WORDS];
    if (bits <= 0) return;
    for (int w = 0; w < EMI_WIDE_WORDS; w++) {
        int have = bits - 64 * w;
        more[w] = have <= 0 ? 0 : have >= 64 ? fill[w] : fill[w] & (((uint64_t)1 << have) - 1);
    }
    place_bits(1, bits - 1, half);
    negate(half);
    emi_add_fixed(words, more, EMI_WIDE_WORDS, EMI_WIDE_WORDS);
    emi_add_fixed(words, half, EMI_WIDE_WORDS, EMI_WIDE_WORDS);
}

int emi_fix_wide(double x, const uint64_t fill[EMI_WIDE_WORDS], uint64_t words[EMI_WIDE_WORDS])
{
    if (!(fabs(x) < ldexp(1, EMI_WIDE_ABOVE))) return -1;
    place_bits(0, 0, words);
    if (x == 0) return 0;
    int last = ilogb(x) - (DBL_MANT_DIG - 1) + EMI_WIDE_BELOW; /* the place of its last bit */
    int64_t whole = last >= 0 ? (int64_t)ldexp(x, EMI_WIDE_BELOW - last) : rounded(ldexp(x, EMI_WIDE_BELOW), fill[0]);
    place_bits((uint64_t)(whole < 0 ? -whole : whole), last >= 0 ? last : 0, words);
    if (whole < 0) negate(words);
    add_filled(words, fill, last);
    return 0;
}

/* The words of a sum are rounded once: from the highest bit on, with one that says whether anything is below. */
double emi_unfix_wide(const uint64_t words[EMI_WIDE_WORDS])
{
    uint64_t size[EMI_WIDE_WORDS];
    int negative = words[EMI_WIDE_WORDS - 1] >> 63 != 0, top = EMI_WIDE_WORDS - 1, high = 63;
    for (int w = 0; w < EMI_WIDE_WORDS; w++) size[w] = words[w];
    if (negative) negate(size);
    while (top > 0 && size[top] == 0) top--;
    if (size[top] == 0) return 0;
    while (!(size[top] >> high & 1)) high--;
    uint64_t lead = size[top] << (63 - high), below = 0;
    if (top > 0 && high < 63) lead |= size[top - 1] >> (high + 1);
    if (top > 0) below = high < 63 ? size[top - 1] << (63 - high) : size[top - 1];
    for (int w = top - 2; w >= 0; w--) below |= size[w];
    double value = ldexp((double)(lead | (below != 0)), 64 * top + high - 63 - EMI_WIDE_BELOW);
    return negative ? -value : value;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------- */

void emi_add_fixed(uint64_t *words, const uint64_t *more, size_t count, unsigned of_number)
{
    for (size_t n = 0; n < count; n += of_number) {
        uint64_t carry = 0;
        for (size_t w = n; w < n + of_number; w++) {
            uint64_t sum = words[w] + more[w], total = sum + carry;
            carry = (sum < more[w]) | (total < sum);
            words[w] = total;
        }
    }
}
