#include "base/digest.h"

#include <string.h>

/* Each step is a bijection, so that what once differs differs to the end; the shift lets high bits reach the low ones,
 * without which two changed signs would cancel.  The multiplier is SplitMix64's (Steele, Lea and Flood, OOPSLA 2014). */
uint64_t emi_digest_number(uint64_t digest, uint64_t number)
{
    digest = (digest ^ number) * 0xbf58476d1ce4e5b9u;
    return digest ^ digest >> 32;
}

uint64_t emi_digest_text(uint64_t digest, const char *text)
{
    for (; *text; text++) digest = emi_digest_number(digest, (unsigned char)*text);
    return emi_digest_number(digest, 0);
}

uint64_t emi_digest(uint64_t digest, const void *words, size_t count)
{
    const unsigned char *at = words;
    for (size_t n = 0; n < count; n++) {
        uint64_t word;
        memcpy(&word, at + n * sizeof word, sizeof word);
        digest = emi_digest_number(digest, word);
    }
    return digest;
}
