#include "table.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <string.h>

void table_begin(table *t, int columns)
{
    *t = (table){.columns = columns};
}

static int make_room(table *t)
{
    if (t->cells < t->capacity) return 1;
    size_t capacity = t->capacity ? 2 * t->capacity : 64;
    char(*text)[TABLE_CELL] = emi_realloc(t->text, capacity * sizeof *text);
    if (!text) {
        t->failed = 1;
        return 0;
    }
    t->text = text;
    t->capacity = capacity;
    return 1;
}

void table_cell(table *t, const char *format, ...)
{
    if (t->failed || !make_room(t)) return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(t->text[t->cells++], TABLE_CELL, format, args);
    va_end(args);
}

static int column_width(const table *t, int column)
{
    size_t width = 0;
    for (size_t cell = (size_t)column; cell < t->cells; cell += (size_t)t->columns) {
        size_t length = strlen(t->text[cell]);
        if (length > width) width = length;
    }
    return (int)width;
}

static void print_cells(const table *t, const int *widths)
{
    for (size_t cell = 0; cell < t->cells; cell++) {
        int column = (int)(cell % (size_t)t->columns);
        /* The first column names the row: text to the left. */
        (void)printf(column ? "   %*s" : "%-*s", widths[column], t->text[cell]);
        if (column == t->columns - 1) (void)putchar('\n');
    }
}

em_status table_print(table *t, em_error *err)
{
    em_status status = EM_OK;
    int *widths = t->failed ? NULL : emi_calloc((size_t)t->columns, sizeof *widths);
    if (widths) {
        for (int column = 0; column < t->columns; column++) widths[column] = column_width(t, column);
        print_cells(t, widths);
    } else {
        status = emi_fail_memory(err, "the table");
    }
    emi_free(widths);
    emi_free(t->text);
    *t = (table){0};
    return status;
}
