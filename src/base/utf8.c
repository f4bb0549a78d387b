#include "base/utf8.h"

/* Half of a pair that only UTF-16 knows, or past the end of Unicode. */
static int is_no_character(uint32_t code)
{
    return (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
}

uint32_t emi_utf8_next(const char **text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* that needs so many bytes */
    const unsigned char *at = (const unsigned char *)*text;
    int bytes = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf8 ? 4 : 0;
    uint32_t code = bytes < 2 ? *at : *at & (0x7fu >> bytes);
    int good = bytes > 0;
    for (int n = 1; good && n < bytes; n++) {
        good = (at[n] & 0xc0) == 0x80; /* which the end of the text is not */
        code = code << 6 | (at[n] & 0x3f);
    }
    good = good && code >= least[bytes] && !is_no_character(code);
    *text += good ? bytes : 1;
    return good ? code : EMI_UTF8_UNKNOWN;
}

size_t emi_utf8_length(const char *text)
{
    size_t length = 0;
    for (; *text; length++) (void)emi_utf8_next(&text);
    return length;
}

size_t emi_utf8_put(char out[EMI_UTF8_MOST], uint32_t code)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (is_no_character(code)) return 0;
    size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t n = bytes; n-- > 1; code >>= 6) out[n] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[bytes] | code);
    return bytes;
}
