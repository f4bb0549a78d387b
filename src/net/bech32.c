#include "net/bech32.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

enum { CHECK_GROUPS = 6, TEXT_MOST = EMI_BECH32_TEXT - 1, PREFIX_MOST = EMI_BECH32_PREFIX - 1 };

static const uint32_t constant = 0x2bc830a3; /* BIP-350's; that of BIP-173 was 1 */

/* One more group into the check: a polynomial over GF(32), modulo BIP-173's generator. */
static uint32_t check_group(uint32_t check, unsigned group)
{
    static const uint32_t generator[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    uint32_t top = check >> 25;
    check = (check & 0x1ffffff) << 5 ^ group;
    for (int bit = 0; bit < 5; bit++)
        if (top >> bit & 1) check ^= generator[bit];
    return check;
}

/* The prefix counts too: its upper bits, a zero, its lower ones. */
static uint32_t check_prefix(const char *prefix, size_t length)
{
    uint32_t check = 1;
    for (size_t n = 0; n < length; n++) check = check_group(check, (unsigned char)prefix[n] >> 5);
    check = check_group(check, 0);
    for (size_t n = 0; n < length; n++) check = check_group(check, (unsigned char)prefix[n] & 31);
    return check;
}

static int is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static int is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

/* What a prefix may be made of: what is visible in ASCII. */
static int is_visible(char c)
{
    return c > ' ' && c < 127;
}

int emi_bech32m_write(const char *prefix, const unsigned char *groups, size_t count, char text[EMI_BECH32_TEXT])
{
    size_t length = strlen(prefix);
    if (length < 1 || length > PREFIX_MOST || count > TEXT_MOST - CHECK_GROUPS - 1 - length) return -1;
    for (size_t n = 0; n < length; n++)
        if (!is_visible(prefix[n]) || is_capital(prefix[n])) return -1;
    uint32_t check = check_prefix(prefix, length);
    memcpy(text, prefix, length);
    text += length;
    *text++ = '1';
    for (size_t n = 0; n < count; n++) {
        if (groups[n] > 31) return -1;
        check = check_group(check, groups[n]);
        *text++ = alphabet[groups[n]];
    }
    for (int n = 0; n < CHECK_GROUPS; n++) check = check_group(check, 0);
    check ^= constant;
    for (int n = 0; n < CHECK_GROUPS; n++) *text++ = alphabet[check >> 5 * (CHECK_GROUPS - 1 - n) & 31];
    *text = 0;
    return 0;
}

/* The text in small letters, and its length; 0 where it cannot be bech32m at all. */
static size_t in_small_letters(const char *text, char small[EMI_BECH32_TEXT])
{
    size_t length = strnlen(text, EMI_BECH32_TEXT);
    int capitals = 0, smalls = 0;
    if (length > TEXT_MOST) return 0;
    for (size_t n = 0; n < length; n++) {
        if (!is_visible(text[n])) return 0;
        capitals |= is_capital(text[n]), smalls |= is_small(text[n]);
        small[n] = is_capital(text[n]) ? (char)(text[n] - 'A' + 'a') : text[n];
    }
    small[length] = 0;
    return capitals && smalls ? 0 : length;
}

int emi_bech32m_read(const char *text, char prefix[EMI_BECH32_PREFIX], unsigned char groups[EMI_BECH32_GROUPS],
                     size_t *count)
{
    char small[EMI_BECH32_TEXT];
    size_t length = in_small_letters(text, small);
    const char *one = length ? strrchr(small, '1') : NULL; /* the last: a prefix may have others */
    size_t before = one ? (size_t)(one - small) : 0;
    if (before < 1 || before > PREFIX_MOST || length < before + 1 + CHECK_GROUPS) return -1;
    uint32_t check = check_prefix(small, before);
    *count = length - before - 1 - CHECK_GROUPS;
    for (size_t n = before + 1; n < length; n++) {
        const char *letter = strchr(alphabet, small[n]);
        if (!letter) return -1;
        unsigned group = (unsigned)(letter - alphabet);
        check = check_group(check, group);
        if (n - before - 1 < *count) groups[n - before - 1] = (unsigned char)group;
    }
    if (check != constant) return -1;
    memcpy(prefix, small, before);
    prefix[before] = 0;
    return 0;
}
