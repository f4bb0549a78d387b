#include "json.h"

#include "base/text.h"
#include "base/utf8.h"

#include <math.h>

void json_begin(json *j, FILE *out)
{
    *j = (json){.out = out, .empty = 1};
}

void json_end(json *j)
{
    (void)fputc('\n', j->out);
}

static void put_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const char *end = text; *text; text = end) {
        uint32_t code = emi_utf8_next(&end);
        if (code == EMI_UTF8_UNKNOWN && end == text + 1) /* no UTF-8; the character itself has three bytes */
            (void)fputs("\\ufffd", out);
        else if (code < 0x20 || code == 0x7f)
            (void)fprintf(out, "\\u%04x", code);
        else
            (void)fprintf(out, "%s%.*s", code == '"' || code == '\\' ? "\\" : "", (int)(end - text), text);
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
    char text[EMI_NUMBER_TEXT];
    put_key(j, key);
    (void)emi_text_of_double(text, value);
    (void)fputs(isfinite(value) ? text : "null", j->out);
}

void json_flag(json *j, const char *key, int value)
{
    put_key(j, key);
    (void)fputs(value ? "true" : "false", j->out);
}
