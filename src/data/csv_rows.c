/* A CSV's rows: cells as numbers, and what each column turns out to hold. */
#include "base/memory.h"
#include "data/csv_table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------------------------------- */

/* How much of a text a message shows: one line of it, and not too much. */
static int shown(const char *text, size_t length)
{
    int n = 0;
    while (n < EMI_SAMPLE - 1 && (size_t)n < length && !iscntrl((unsigned char)text[n])) n++;
    while (n > 0 && (size_t)n < length && ((unsigned char)text[n] & 0xC0) == 0x80) n--; /* a whole character */
    return n;
}

/* "data.csv: line 3, column 2 (b)" */
static const char *place(const emi_csv_table *t, size_t c, long line, char out[512])
{
    const char *name = t->columns[c].name ? t->columns[c].name : "";
    int head = shown(name, strlen(name));
    (void)snprintf(out, 512, "%.400s: line %ld, column %zu%s%.*s%s", t->file, line, c + 1, head ? " (" : "", head, name,
                   head ? ")" : "");
    return out;
}

/* How to call a column in --columns. */
static const char *handle(const emi_csv_table *t, size_t c, char out[64])
{
    const char *name = t->columns[c].name;
    if (name && *name && strlen(name) < EMI_SAMPLE && !strpbrk(name, ", \"'"))
        (void)snprintf(out, 64, "%s", name);
    else
        (void)snprintf(out, 64, "%zu", c);
    return out;
}

static em_status both_kinds(const emi_csv_table *t, size_t c, em_error *err)
{
    const emi_csv_column *column = &t->columns[c];
    char where[512], called[64];
    int above = !t->has_header && column->text_at == t->csv.line - 1 && t->rows <= 1;
    return emi_fail(err, EM_EDATA, "%s: '%s' is no number, where line %ld has one; try mending it, or columns=-%s%s",
                    place(t, c, column->text_at, where), column->sample, column->number_at, handle(t, c, called),
                    above ? ", or header=yes" : "");
}

static em_status not_a_number(const emi_csv_table *t, size_t c, emi_cell_kind kind, em_error *err)
{
    const emi_cell *cell = &t->csv.cells[c];
    const char *wrong = kind == EMI_CELL_INFINITE  ? "not finite; try mending it"
                        : kind == EMI_CELL_COMMA   ? "a number with a comma in it; try digits and one point"
                        : kind == EMI_CELL_NUMBERS ? "several numbers; try delimiter=space"
                                                   : "no number; try mending it, or other option columns";
    char where[512];
    return emi_fail(err, EM_EDATA, "%s: '%.*s' is %s", place(t, c, t->csv.line, where), shown(cell->at, cell->length),
                    cell->at, wrong);
}

static em_status missing(const emi_csv_table *t, size_t c, em_error *err)
{
    char where[512];
    return emi_fail(err, EM_EDATA, "%s: the value is missing; try filling it, or missing=drop or mean",
                    place(t, c, t->columns[c].missing_at, where));
}

static em_status see_number(emi_csv_table *t, size_t c, double number, em_error *err)
{
    emi_csv_column *column = &t->columns[c];
    if (column->kind == EMI_COLUMN_EMPTY) {
        column->first = number;
        column->rises = number == floor(number);
        column->number_at = t->csv.line;
        column->kind = EMI_COLUMN_NUMBERS;
    } else if (column->kind == EMI_COLUMN_TEXT) {
        column->number_at = t->csv.line;
        return both_kinds(t, c, err);
    }
    column->rises &= number == column->first + (double)t->rows;
    column->last = number;
    int wanted = t->options->missing == EM_MISSING_ERROR && column->slot != EMI_NO_SLOT;
    return column->missing_at && wanted ? missing(t, c, err) : EM_OK;
}

static em_status see_text(emi_csv_table *t, size_t c, em_error *err)
{
    emi_csv_column *column = &t->columns[c];
    const emi_cell *cell = &t->csv.cells[c];
    if (column->kind == EMI_COLUMN_TEXT) return EM_OK;
    if (column->role == EMI_COLUMN_CHOSEN) return not_a_number(t, c, EMI_CELL_TEXT, err);
    column->text_at = t->csv.line;
    (void)snprintf(column->sample, sizeof column->sample, "%.*s", shown(cell->at, cell->length), cell->at);
    if (column->kind == EMI_COLUMN_NUMBERS) return both_kinds(t, c, err);
    column->kind = EMI_COLUMN_TEXT;
    return EM_OK;
}

/* A cell of a column that may be a feature. */
static em_status see(emi_csv_table *t, size_t c, double *number, em_error *err)
{
    emi_csv_column *column = &t->columns[c];
    emi_cell_kind kind = emi_cell_number(&t->csv.cells[c], number);
    switch (kind) {
    case EMI_CELL_NUMBER: return see_number(t, c, *number, err);
    case EMI_CELL_TEXT: return see_text(t, c, err);
    case EMI_CELL_MISSING: *number = NAN; break;
    case EMI_CELL_COMMA:
    case EMI_CELL_NUMBERS:
    case EMI_CELL_INFINITE: return column->kind == EMI_COLUMN_TEXT ? EM_OK : not_a_number(t, c, kind, err);
    }
    column->rises = 0;
    if (!column->missing_at) column->missing_at = t->csv.line;
    int certain = column->kind == EMI_COLUMN_NUMBERS || column->role == EMI_COLUMN_CHOSEN;
    int wanted = t->options->missing == EM_MISSING_ERROR && column->slot != EMI_NO_SLOT;
    return certain && wanted ? missing(t, c, err) : EM_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static em_status grow(emi_csv_table *t, em_error *err)
{
    size_t room = t->room ? 2 * t->room : 1024, bytes;
    while (room - t->rows * t->slots < t->slots) room *= 2;
    double *values = emi_size_overflows(room, sizeof *values, &bytes) ? NULL : emi_realloc(t->values, bytes);
    if (!values) return emi_fail_memory(err, t->file);
    t->values = values;
    t->room = room;
    return EM_OK;
}

/* All of a row's labels so far, in one text. */
static em_status add_label(emi_csv_table *t, const emi_cell *cell, em_error *err)
{
    int latin1 = 0;
    char *text = emi_cell_text(cell, &latin1);
    size_t length = text ? strlen(text) + 1 : 0;
    if (text && t->label_room - t->label_size < length) {
        size_t room = 2 * t->label_room + length;
        char *labels = emi_realloc(t->labels, room);
        if (labels) t->labels = labels, t->label_room = room;
    }
    if (text && t->rows == t->row_room) {
        size_t room = t->row_room ? 2 * t->row_room : 256;
        size_t *label = emi_realloc(t->label, room * sizeof *label);
        if (label) t->label = label, t->row_room = room;
    }
    int fits = text && t->label_room - t->label_size >= length && t->rows < t->row_room;
    if (fits) {
        memcpy(t->labels + t->label_size, text, length);
        t->label[t->rows] = t->label_size;
        t->label_size += length;
    }
    emi_free(text);
    return fits ? EM_OK : emi_fail_memory(err, t->file);
}

em_status emi_csv_table_add(emi_csv_table *t, em_error *err)
{
    em_status status = EM_OK;
    if (t->csv.count != t->width)
        return emi_fail(err, EM_EDATA, "%s: line %ld has %zu column%s, where the first has %zu; try mending it%s",
                        t->file, t->csv.line, t->csv.count, t->csv.count == 1 ? "" : "s", t->width,
                        t->width == 1 ? ", or removing the first, if that is a title" : "");
    if (t->slots > 0 && t->room - t->rows * t->slots < t->slots) TRY(grow(t, err));
    double *row = t->slots > 0 ? t->values + t->rows * t->slots : NULL;
    for (size_t c = 0; c < t->width; c++) {
        const emi_csv_column *column = &t->columns[c];
        double number = NAN;
        if (column->role == EMI_COLUMN_LABEL) TRY(add_label(t, &t->csv.cells[c], err));
        if (column->role == EMI_COLUMN_LABEL || column->role == EMI_COLUMN_EXCLUDED) continue;
        TRY(see(t, c, &number, err));
        if (row && column->slot != EMI_NO_SLOT) row[column->slot] = number;
    }
    t->rows++;
done:
    return status;
}
