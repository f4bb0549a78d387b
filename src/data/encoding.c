#include "data/encoding.h"

#include "base/memory.h"

#include <string.h>

size_t emi_utf8_put(uint32_t code, char *out)
{
    static const uint32_t ends[] = {0x80, 0x800, 0x10000};
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    size_t more = 0;
    while (more < 3 && code >= ends[more]) more++;
    for (size_t n = more; n > 0; n--, code >>= 6) out[n] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(leads[more] | code);
    return more + 1;
}

/* Bytes of the character that begins with this one; 0: none does. */
static size_t length_of(unsigned char lead)
{
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

uint32_t emi_utf8_next(const char **text)
{
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *at = (const unsigned char *)*text;
    size_t length = length_of(*at);
    uint32_t code = *at & masks[length];
    for (size_t n = 1; n < length; n++) code = code << 6 | (at[n] & 0x3F);
    *text += length;
    return code;
}

/* No characters in a longer form than they need, no halves of pairs, nothing beyond the last plane (RFC 3629). */
static int is_character(uint32_t code, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

int emi_utf8_is_valid(const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        size_t bytes = length_of((unsigned char)*text);
        if (bytes == 0 || bytes > (size_t)(end - text)) return 0;
        for (size_t n = 1; n < bytes; n++)
            if (((unsigned char)text[n] & 0xC0) != 0x80) return 0;
        if (!is_character(emi_utf8_next(&text), bytes)) return 0;
    }
    return 1;
}

char *emi_utf8_copy(const char *text, size_t length, int *latin1)
{
    int valid = emi_utf8_is_valid(text, length);
    char *copy = emi_malloc(2 * length + 1), *to = copy;
    if (!copy) return NULL;
    for (size_t n = 0; n < length; n++) {
        if (valid)
            *to++ = text[n];
        else
            to += emi_utf8_put((unsigned char)text[n], to);
    }
    *to = 0;
    *latin1 |= !valid;
    return copy;
}

/* ---- UTF-16 ------------------------------------------------------------------------------------ */

int emi_is_utf16(const unsigned char *bytes, size_t count)
{
    return count >= 2 && ((bytes[0] == 0xFF && bytes[1] == 0xFE) || (bytes[0] == 0xFE && bytes[1] == 0xFF));
}

static uint32_t unit_of(const unsigned char *at, int big)
{
    return big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

em_status emi_from_utf16(const unsigned char *bytes, size_t count, const char *name, emi_bytes *out, em_error *err)
{
    int big = bytes[0] == 0xFE;
    size_t room;
    char *text = emi_size_overflows(count / 2, 3, &room) ? NULL : emi_malloc(room + 1);
    if (!text) return emi_fail_memory(err, name);
    char *to = text;
    for (size_t n = 2; n + 1 < count; n += 2) {
        uint32_t code = unit_of(bytes + n, big), next = n + 3 < count ? unit_of(bytes + n + 2, big) : 0;
        if (code >= 0xD800 && code < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (next - 0xDC00);
            n += 2;
        }
        to += emi_utf8_put(code >= 0xD800 && code < 0xE000 ? '?' : code, to);
    }
    *out = (emi_bytes){(unsigned char *)text, (size_t)(to - text), EMI_HELD};
    return EM_OK;
}
