#include "data/encoding.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

/* A byte that is none is a character of one byte, and unknown. */
static int is_utf8(const char *text)
{
    while (*text) {
        const char *at = text;
        if (emi_utf8_next(&text) == EMI_UTF8_UNKNOWN && text == at + 1) return 0;
    }
    return 1;
}

char *emi_utf8_copy(const char *text, size_t length, int *latin1)
{
    char *copy = emi_malloc(2 * length + 1), *to = copy; /* a byte of Latin-1 becomes one or two */
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (is_utf8(copy)) return copy;
    for (size_t n = 0; n < length; n++) to += emi_utf8_put(to, (unsigned char)text[n]);
    *to = 0;
    *latin1 = 1;
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
    if (count % 2)
        return emi_fail(err, EM_EDATA, "%s: cut short, half a character of UTF-16 is left; try fetching it again",
                        name);
    char *text = emi_size_overflows(count / 2, 3, &room) ? NULL : emi_malloc(room + EMI_UTF8_MOST);
    if (!text) return emi_fail_memory(err, name);
    char *to = text;
    for (size_t n = 2; n + 1 < count; n += 2) {
        uint32_t code = unit_of(bytes + n, big), next = n + 3 < count ? unit_of(bytes + n + 2, big) : 0;
        if (code >= 0xD800 && code < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (next - 0xDC00);
            n += 2;
        }
        size_t length = emi_utf8_put(to, code);
        if (length == 0) *to = '?', length = 1;
        to += length;
    }
    *out = (emi_bytes){(unsigned char *)text, (size_t)(to - text), EMI_HELD};
    return EM_OK;
}
