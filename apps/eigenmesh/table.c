#include "table.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <string.h>

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
        /* The first column names the row: text to the left. */
        (void)printf(column ? "   %*s" : "%-*s", widths[column], cell);
        column = (column + 1) % t->columns;
        if (column == 0) (void)putchar('\n');
    }
    emi_free(t->cells.text);
    *t = (table){0};
    return status;
}
