#include "print.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- tables -------------------------------------------------------------------------------------------- */

void texts_put(texts *t, const char *text)
{
    size_t bytes = strlen(text) + 1, needed = t->size + bytes;
    if (!t->failed && needed > t->room) {
        char *grown = emi_realloc(t->text, 2 * needed);
        t->failed = grown == NULL;
        if (grown) t->text = grown, t->room = 2 * needed;
    }
    if (t->failed) return;
    memcpy(t->text + t->size, text, bytes);
    t->size = needed;
}

const char *text_after(const char *text)
{
    return text + strlen(text) + 1;
}

void table_begin(table *t, int columns)
{
    *t = (table){.columns = columns};
}

void table_cell(table *t, const char *format, ...)
{
    char cell[32];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(cell, sizeof cell, format, args);
    va_end(args);
    texts_put(&t->cells, cell);
}

void table_text(table *t, const char *text)
{
    texts_put(&t->cells, text);
}

/* The first column names the row: text to the left.  Nothing is behind the last one. */
static void print_cell(const table *t, int column, int width, const char *cell)
{
    int last = column == t->columns - 1;
    (void)printf("%s%*s", column ? "   " : "", t->of_text && last ? 0 : t->of_text || !column ? -width : width, cell);
    if (last) (void)putchar('\n');
}

em_status table_print(table *t, em_error *err)
{
    int widths[TABLE_COLUMNS] = {0}, column = 0;
    const char *cell;
    em_status status = t->cells.failed ? emi_fail_memory(err, "the table") : EM_OK;
    for (size_t at = 0; at < t->cells.size; at += strlen(cell) + 1, column = (column + 1) % t->columns) {
        cell = t->cells.text + at;
        if ((int)strlen(cell) > widths[column]) widths[column] = (int)strlen(cell);
    }
    column = 0;
    for (size_t at = 0; at < t->cells.size && status == EM_OK; at += strlen(cell) + 1) {
        cell = t->cells.text + at;
        print_cell(t, column, widths[column], cell);
        column = (column + 1) % t->columns;
    }
    emi_free(t->cells.text);
    *t = (table){0};
    return status;
}

/* ---- words ------------------------------------------------------------------------------------------------ */

const char *size_text(double bytes, char out[SIZE_ROOM])
{
    (void)snprintf(out, SIZE_ROOM, "%.3g %s", bytes / (bytes < 1e9 ? 1e6 : 1e9), bytes < 1e9 ? "MB" : "GB");
    return out;
}

void words_print(int at, int column, int width, const char *text)
{
    if (at >= column - 1) {
        (void)putchar('\n');
        at = 0;
    }
    (void)printf("%*s", column - at, "");
    at = column;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (at > column && at + 1 + word > width) {
            (void)printf("\n%*s", column, "");
            at = column;
        }
        at += printf("%s%.*s", at > column ? " " : "", word, text);
        text += word;
        text += strspn(text, " ");
    }
    (void)putchar('\n');
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void put_string(const char *text)
{
    (void)putchar('"');
    for (const char *end = text; *text; text = end) {
        uint32_t code = emi_utf8_next(&end);
        if (code == EMI_UTF8_UNKNOWN && end == text + 1) /* no UTF-8; the character itself has three bytes */
            (void)printf("\\ufffd");
        else if (code < 0x20 || code == 0x7f)
            (void)printf("\\u%04x", code);
        else
            (void)printf("%s%.*s", code == '"' || code == '\\' ? "\\" : "", (int)(end - text), text);
    }
    (void)putchar('"');
}

static void break_line(const json *j)
{
    if (!j->on_one_line) (void)printf("\n%*s", 2 * j->depth, "");
}

static void put_key(json *j, const char *key)
{
    if (!j->empty) (void)printf(j->on_one_line ? ", " : ",");
    if (j->depth) break_line(j);
    j->empty = 0;
    if (!key) return;
    put_string(key);
    (void)printf(": ");
}

void json_begin(json *j)
{
    *j = (json){.empty = 1};
    json_open(j, NULL, '{');
}

void json_begin_line(json *j)
{
    *j = (json){.empty = 1, .on_one_line = 1};
    json_open(j, NULL, '{');
}

void json_end(json *j)
{
    json_close(j, '}');
    (void)putchar('\n');
}

void json_open(json *j, const char *key, char bracket)
{
    put_key(j, key);
    (void)putchar(bracket);
    j->depth++;
    j->empty = 1;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->empty) break_line(j);
    (void)putchar(bracket);
    j->empty = 0;
}

void json_text(json *j, const char *key, const char *text)
{
    put_key(j, key);
    if (text)
        put_string(text);
    else
        (void)printf("null");
}

void json_whole(json *j, const char *key, uint64_t value)
{
    put_key(j, key);
    (void)printf("%llu", (unsigned long long)value);
}

void json_real(json *j, const char *key, double value)
{
    char text[EMI_NUMBER_TEXT] = "null";
    if (isfinite(value)) (void)emi_text_of_double(text, value);
    put_key(j, key);
    (void)printf("%s", text);
}

void json_flag(json *j, const char *key, int value)
{
    put_key(j, key);
    (void)printf(value ? "true" : "false");
}
