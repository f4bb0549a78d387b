#include "html.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

void html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': (void)fputs("&amp;", out); break;
        case '<': (void)fputs("&lt;", out); break;
        case '>': (void)fputs("&gt;", out); break;
        case '"': (void)fputs("&quot;", out); break;
        case '\'': (void)fputs("&#39;", out); break;
        default: (void)fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
        }
    }
}

void html_put(FILE *out, const char *format, ...)
{
    va_list texts;
    va_start(texts, format);
    while (*format) {
        size_t plain = strcspn(format, "%");
        (void)fwrite(format, 1, plain, out);
        format += plain;
        if (!*format) break;
        html_text(out, va_arg(texts, const char *));
        format += 2;
    }
    va_end(texts);
}

/* RFC 4648, section 4. */
void html_base64(FILE *out, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t left = strlen(text); left > 0; left -= left < 3 ? left : 3, bytes += 3) {
        uint32_t group = (uint32_t)bytes[0] << 16;
        if (left > 1) group |= (uint32_t)bytes[1] << 8;
        if (left > 2) group |= bytes[2];
        (void)fputc(digits[group >> 18], out);
        (void)fputc(digits[group >> 12 & 63], out);
        (void)fputc(left > 1 ? digits[group >> 6 & 63] : '=', out);
        (void)fputc(left > 2 ? digits[group & 63] : '=', out);
    }
}
