#include "json.h"
#include "number.h"

#include <math.h>

void json_begin(json *j, FILE *out)
{
    *j = (json){.out = out, .empty = 1};
}

void json_end(json *j)
{
    (void)fputc('\n', j->out);
}

/* Length of the UTF-8 character at s; 0 when it is none (RFC 3629: no overlong forms, no
 * surrogates, nothing past U+10FFFF). */
static int utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    (void)fputc('"', out);
    while (*s) {
        int length = utf8_length(s);
        if (!length)
            (void)fputs("\\ufffd", out);
        else if (*s < 0x20 || *s == 0x7f)
            (void)fprintf(out, "\\u%04x", *s);
        else
            (void)fprintf(out, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "", length, (const char *)s);
        s += length ? length : 1;
    }
    (void)fputc('"', out);
}

static void put_key(json *j, const char *key)
{
    if (!j->empty) (void)fputc(',', j->out);
    if (j->depth) (void)fprintf(j->out, "\n%*s", 2 * j->depth, "");
    j->empty = 0;
    if (!key) return;
    put_string(j->out, key);
    (void)fputs(": ", j->out);
}

void json_open(json *j, const char *key, char bracket)
{
    put_key(j, key);
    (void)fputc(bracket, j->out);
    j->depth++;
    j->empty = 1;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->empty) (void)fprintf(j->out, "\n%*s", 2 * j->depth, "");
    (void)fputc(bracket, j->out);
    j->empty = 0;
}

void json_text(json *j, const char *key, const char *text)
{
    put_key(j, key);
    if (text)
        put_string(j->out, text);
    else
        (void)fputs("null", j->out);
}

void json_whole(json *j, const char *key, uint64_t value)
{
    put_key(j, key);
    (void)fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_real(json *j, const char *key, double value)
{
    char text[NUMBER_TEXT];
    put_key(j, key);
    (void)fputs(isfinite(value) ? number_text(value, text) : "null", j->out);
}

void json_flag(json *j, const char *key, int value)
{
    put_key(j, key);
    (void)fputs(value ? "true" : "false", j->out);
}
