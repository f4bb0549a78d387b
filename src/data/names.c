/* Names of columns: UTF-8 here, an array of NumPy's text in a file. */
#include "data/names.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

/* Room for `count` pointers and the text they point to, in one piece; *text is where that begins. */
static char **new_names(size_t count, size_t bytes, char **text)
{
    char **names = emi_malloc(count * sizeof *names + bytes);
    if (names) *text = (char *)(names + count);
    return names;
}

char **emi_names_copy(const char *const *names, size_t count)
{
    size_t bytes = 0;
    char *text = NULL;
    for (size_t f = 0; f < count; f++) bytes += strlen(names[f]) + 1;
    char **copies = new_names(count, bytes, &text);
    for (size_t f = 0; copies && f < count; f++) {
        size_t size = strlen(names[f]) + 1;
        copies[f] = memcpy(text, names[f], size);
        text += size;
    }
    return copies;
}

/* ---- to a file -------------------------------------------------------------------------------------- */

size_t emi_names_width(char *const *names, size_t count)
{
    size_t width = 1;
    for (size_t f = 0; f < count; f++) {
        size_t length = emi_utf8_length(names[f]);
        if (length > width) width = length;
    }
    return width < EMI_NAME_LONGEST ? width : EMI_NAME_LONGEST;
}

void emi_names_to_array(char *const *names, size_t count, size_t width, unsigned char *out)
{
    memset(out, 0, EMI_UTF32 * width * count);
    for (size_t f = 0; f < count; f++) {
        const char *at = names[f];
        for (size_t c = 0; *at && c < width; c++) {
            uint32_t code = emi_utf8_next(&at);
            memcpy(out + EMI_UTF32 * (f * width + c), &code, EMI_UTF32);
        }
    }
}

/* ---- and back --------------------------------------------------------------------------------------- */

/* One name to `out`, its bytes and the zero that ends it; without `out`, only how many they are.  0: it is no text. */
static size_t decode(const unsigned char *array, size_t width, char *out)
{
    size_t size = 0, ended = 0;
    char bytes[EMI_UTF8_MOST];
    for (size_t c = 0; c < width; c++) {
        uint32_t code;
        memcpy(&code, array + EMI_UTF32 * c, EMI_UTF32);
        if (code == 0) {
            ended = 1;
            continue;
        }
        size_t more = ended ? 0 : emi_utf8_put(bytes, code); /* a zero within a name would hide the rest of it */
        if (more == 0) return 0;
        if (out) memcpy(out + size, bytes, more);
        size += more;
    }
    if (out) out[size] = 0;
    return size + 1;
}

char **emi_names_from_array(const unsigned char *array, size_t count, size_t width, int *bad)
{
    size_t bytes = 0;
    char *text = NULL;
    *bad = 0;
    for (size_t f = 0; f < count && !*bad; f++) {
        size_t size = decode(array + EMI_UTF32 * width * f, width, NULL);
        *bad = size == 0;
        bytes += size;
    }
    char **names = *bad ? NULL : new_names(count, bytes, &text);
    for (size_t f = 0; names && f < count; f++) {
        names[f] = text;
        text += decode(array + EMI_UTF32 * width * f, width, text);
    }
    return names;
}
