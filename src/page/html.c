#include "page/html.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void put_bytes(emi_html *to, const char *bytes, size_t count)
{
    if (count == 0) return;
    char *text = to->failed ? NULL : emi_grow(to->text, &to->room, to->size + count, 1);
    if (!text) {
        to->failed = 1;
        return;
    }
    to->text = text;
    memcpy(text + to->size, bytes, count);
    to->size += count;
}

/* Noncharacters are valid UTF-8, and errors of HTML; C1 controls too. */
static int is_no_text(uint32_t letter)
{
    return letter == EMI_UTF8_UNKNOWN || (letter & 0xfffe) == 0xfffe || (letter >= 0xfdd0 && letter < 0xfdf0) ||
           (letter >= 0x7f && letter < 0xa0);
}

/* Returns what follows, where it has more letters than that. */
static const char *put_letters(emi_html *to, const char *text, int letters)
{
    static const char special[] = "&<>\"'", *const instead[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const char *next = text; *text && letters > 0; text = next, letters--) {
        uint32_t letter = emi_utf8_next(&next);
        const char *found = letter < 0x80 ? strchr(special, (int)letter) : NULL;
        const char *put = found                ? instead[found - special]
                          : letter < 0x20      ? " "
                          : is_no_text(letter) ? "\xef\xbf\xbd"
                                               : NULL;
        put_bytes(to, put ? put : text, put ? strlen(put) : (size_t)(next - text));
    }
    return text;
}

/* A conversion and its length: "%.3g", "%llu". */
typedef struct conversion {
    char text[16], kind;
    int longs, is_size;
} conversion;

static const char *take_conversion(const char *format, conversion *c)
{
    size_t n = 1;
    *c = (conversion){.text = "%"};
    for (format++; strchr("0123456789.+-# lz", *format) && *format; format++) {
        c->longs += *format == 'l';
        c->is_size |= *format == 'z';
        if (n + 2 < sizeof c->text) c->text[n++] = *format;
    }
    c->kind = c->text[n] = *format;
    return format + 1;
}

void emi_put(emi_html *to, const char *format, ...)
{
    char number[64];
    conversion c;
    va_list list;
    va_start(list, format);
    while (*format) {
        size_t plain = strcspn(format, "%");
        put_bytes(to, format, plain);
        format += plain;
        if (!*format) break;
        format = take_conversion(format, &c);
        *number = 0;
        switch (c.kind) {
        case 's': (void)put_letters(to, va_arg(list, const char *), INT32_MAX); break;
        case 'c': (void)snprintf(number, sizeof number, "%c", va_arg(list, int)); break;
        case 'd':
            if (c.longs)
                (void)snprintf(number, sizeof number, "%ld", va_arg(list, long));
            else
                (void)snprintf(number, sizeof number, "%d", va_arg(list, int));
            break;
        case 'u':
            if (c.is_size)
                (void)snprintf(number, sizeof number, "%zu", va_arg(list, size_t));
            else
                (void)snprintf(number, sizeof number, "%llu", va_arg(list, unsigned long long));
            break;
        case '%': (void)snprintf(number, sizeof number, "%%"); break;
        default: (void)emi_text_print(number, sizeof number, c.text, va_arg(list, double));
        }
        put_bytes(to, number, strlen(number));
    }
    va_end(list);
}

void emi_put_words(emi_html *to, const char *text)
{
    while (*text) {
        size_t blanks = strspn(text, " ");
        put_bytes(to, text, blanks);
        text += blanks;
        int letters = 0;
        for (const char *next = text; *next && *next != ' '; letters++) (void)emi_utf8_next(&next);
        if (!letters) continue;
        emi_put(to, "<span>");
        text = put_letters(to, text, letters);
        emi_put(to, "</span>");
    }
}

void emi_put_as_it_is(emi_html *to, const char *style)
{
    put_bytes(to, style, strlen(style));
}

void emi_put_cut(emi_html *to, const char *text, int letters)
{
    /* One letter more is no longer than the dots. */
    int fits = emi_utf8_length(text) <= (size_t)letters;
    (void)put_letters(to, text, fits ? letters : letters - 1);
    if (!fits) put_bytes(to, "\xe2\x80\xa6", 3);
}

void emi_put_cut_middle(emi_html *to, const char *text, int letters)
{
    size_t length = emi_utf8_length(text);
    int fits = length <= (size_t)letters, end = letters / 2;
    text = put_letters(to, text, fits ? letters : letters - 1 - end);
    if (fits) return;
    put_bytes(to, "\xe2\x80\xa6", 3);
    for (size_t left = length - (size_t)(letters - 1 - end); left > (size_t)end; left--) (void)emi_utf8_next(&text);
    (void)put_letters(to, text, end);
}

/* Widths are those of DejaVu Sans, which is wide as such letters go; what is no alphabet of ours may be twice as wide. */
double emi_text_width(const char *text, int letters, double size)
{
    double width = 0;
    for (; *text && letters > 0; letters--) {
        uint32_t letter = emi_utf8_next(&text);
        int narrow = letter < 0x80 && strchr(".,:;-|!'ijlI ", (int)letter), wide = letter >= 0x1100;
        width += narrow ? 0.4 : wide ? 1.05 : letter < 0x80 && strchr("%mwMW@", (int)letter) ? 1 : 0.66;
    }
    return width * size;
}

const char *emi_real_text(char room[EMI_REAL_ROOM], double value, double step, int digits)
{
    enum { ALL_DIGITS = 15 };
    char format[16];
    double needed = ceil(log10(fabs(value) / step)) + 1; /* NaN and infinite of 0, which has one */
    if (needed > digits) digits = needed < ALL_DIGITS ? (int)needed : ALL_DIGITS;
    (void)snprintf(format, sizeof format, "%%.%dg", digits);
    (void)emi_text_print(room, EMI_REAL_ROOM, format, value);
    return room;
}

void emi_put_name(emi_html *to, const char *name, int letters)
{
    emi_put(to, "<bdi>");
    emi_put_cut(to, name, letters);
    emi_put(to, "</bdi>");
}

void emi_put_count(emi_html *to, unsigned long long count)
{
    if (count >= 1000) {
        emi_put_count(to, count / 1000);
        emi_put(to, "&#8239;%c%c%c", (char)('0' + count / 100 % 10), (char)('0' + count / 10 % 10),
                (char)('0' + count % 10));
    } else {
        emi_put(to, "%llu", count);
    }
}

void emi_put_bytes(emi_html *to, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t n = 0;
    for (; bytes >= 999.5 && n + 1 < sizeof units / sizeof *units; n++) bytes /= 1e3;
    emi_put(to, "%.3g&#8239;%s", bytes, units[n]);
}

void emi_put_seconds(emi_html *to, double seconds)
{
    static const struct {
        double least, unit;
        const char *name;
    } scales[] = {{3600, 3600, "h"}, {60, 60, "min"}, {1, 1, "s"}, {1e-3, 1e-3, "ms"}, {0, 1e-6, "µs"}};
    size_t n = 0;
    while (seconds < scales[n].least) n++;
    emi_put(to, "%.3g&#8239;%s", seconds / scales[n].unit, scales[n].name);
}
