/* Numbers as whole ones of 64 or 256 bits, in which sums are exact and come out the same in any order.
 *
 * A number x becomes x 2^places.  It has 53 bits; where the words have more, the digits below its own are filled: else the last digits
 * of a sum would be those of whoever has the smallest numbers.  What is filled in is less than half a unit of x's last place, either
 * way.  Where the words have fewer, x is rounded to a whole number after the sum of two uniform ones in [-1/2, 1/2) is added: then
 * mean and variance of what rounding adds are 0 and 1/4 whatever x is (Lipshitz, Wannamaker and Vanderkooy, J. Audio Engineering
 * Society 40, 1992), and the sum of the same numbers in many units tells next to nothing but their sum.  It is off by less
 * than 3/2. */
#ifndef EMI_MESH_FIXED_H
#define EMI_MESH_FIXED_H

#include <stddef.h>
#include <stdint.h>

enum {
    EMI_BLOCK_BITS = 61, /* a word holds numbers, and sums of them, up to 2^61                                   */
    EMI_WIDE_WORDS = 4,  /* least first, carrying into each other                                                */
    EMI_WIDE_ABOVE = 44, /* bits of them above the point, beside the sign: sums of 2^44 numbers of at most 1      */
    EMI_WIDE_BELOW = 211 /* and below it                                                                         */
};

/* y = x 2^places into one word; 0, or -1 where it is no number, or too large. */
int emi_fix(double y, uint64_t fill, uint64_t *word);
double emi_unfix(uint64_t word, int places);

/* Into four, with EMI_WIDE_BELOW places: |x| < 2^EMI_WIDE_ABOVE. */
int emi_fix_wide(double x, const uint64_t fill[EMI_WIDE_WORDS], uint64_t words[EMI_WIDE_WORDS]);
double emi_unfix_wide(const uint64_t words[EMI_WIDE_WORDS]);

/* words += more, each number of so many words; carries stay within a number. */
void emi_add_fixed(uint64_t *words, const uint64_t *more, size_t count, unsigned of_number);

#endif
