#include "data/csv_table.h"

#include "base/memory.h"
#include "data/columns.h"
#include "data/encoding.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Without its quotes' doubling. */
char *emi_cell_text(const emi_cell *cell, int *latin1)
{
    char *text = emi_utf8_copy(cell->at, cell->length, latin1), *to = text;
    for (const char *from = text; from && *from; from++) {
        *to++ = *from;
        if (from[0] == '"' && from[1] == '"') from++;
    }
    if (text) *to = 0;
    return text;
}

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

/* All of a row's labels so far, in one text. */
static em_status add_label(emi_csv_table *t, const emi_cell *cell, em_error *err)
{
    int latin1 = 0;
    char *text = emi_cell_text(cell, &latin1);
    size_t length = text ? strlen(text) + 1 : 0;
    char *labels = text ? emi_grow(t->labels, &t->label_room, t->label_size + length, 1) : NULL;
    if (labels) t->labels = labels;
    size_t *label = labels ? emi_grow(t->label, &t->row_room, t->rows + 1, sizeof *label) : NULL;
    if (label) {
        t->label = label;
        label[t->rows] = t->label_size;
        memcpy(labels + t->label_size, text, length);
        t->label_size += length;
    }
    emi_free(text);
    return label ? EM_OK : emi_fail_memory(err, t->file);
}

em_status emi_csv_table_add(emi_csv_table *t, em_error *err)
{
    em_status status = EM_OK;
    if (t->csv.count != t->width)
        return emi_fail(err, EM_EDATA, "%s: line %ld has %zu column%s, where the first has %zu; try mending it%s",
                        t->file, t->csv.line, t->csv.count, t->csv.count == 1 ? "" : "s", t->width,
                        t->width == 1 ? ", or removing the first, if that is a title" : "");
    double *values = emi_grow(t->values, &t->room, (t->rows + 1) * t->slots, sizeof *values);
    if (!values && t->slots > 0) return emi_fail_memory(err, t->file);
    t->values = values;
    double *row = values ? values + t->rows * t->slots : NULL;
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

/* ---- what the columns have turned out to be --------------------------------------------------------------- */

static int is_nameless(const emi_csv_table *t, size_t c)
{
    return t->has_header && !*t->columns[c].name;
}

/* The index that pandas and R write: no name, in front, one more from row to row. */
static int is_index(const emi_csv_table *t, size_t c)
{
    const emi_csv_column *column = &t->columns[c];
    return c == 0 && is_nameless(t, c) && column->kind == EMI_COLUMN_NUMBERS && column->rises;
}

/* A column without any value may have some elsewhere, whose mean it is to be filled with. */
static int is_used(const emi_csv_table *t, size_t c)
{
    const emi_csv_column *column = &t->columns[c];
    if (column->slot == EMI_NO_SLOT || column->kind == EMI_COLUMN_TEXT) return 0;
    return column->kind == EMI_COLUMN_NUMBERS || column->role == EMI_COLUMN_CHOSEN ||
           (t->has_header && t->options->missing == EM_MISSING_MEAN);
}

static em_status leave_out(const emi_csv_table *t, em_data *data, size_t c, em_error *err)
{
    const emi_csv_column *column = &t->columns[c];
    const char *name = column->name;
    if (column->role == EMI_COLUMN_EXCLUDED) return emi_leave_out(data, c, name, err, "as asked");
    if (column->role == EMI_COLUMN_LABEL) return emi_leave_out(data, c, name, err, "the label");
    if (column->kind == EMI_COLUMN_EMPTY) return emi_leave_out(data, c, name, err, "empty");
    if (column->kind == EMI_COLUMN_TEXT) return emi_leave_out(data, c, name, err, "text, such as '%s'", column->sample);
    if (is_index(t, c)) return emi_leave_out(data, c, name, err, "an index, %.0f to %.0f", column->first, column->last);
    return emi_fail(err, EM_EDATA,
                    "%s: column %zu has no name, though others have, and numbers; try a name for it, or columns=-%zu "
                    "to leave it out",
                    t->file, c + 1, c);
}

/* Numbers under a name that the other table does not have. */
static em_status refuse_extra(const emi_csv_table *t, em_error *err)
{
    const em_read_options *o = t->options;
    emi_name_list extra = {0};
    for (size_t c = 0; c < t->width; c++) {
        const emi_csv_column *column = &t->columns[c];
        if (column->role == EMI_COLUMN_AUTO && column->kind == EMI_COLUMN_NUMBERS && !is_nameless(t, c))
            emi_name_list_add(&extra, column->name);
    }
    if (!o->features || extra.count == 0) return EM_OK;
    return emi_fail(err, EM_EDATA, "%s: has %s, which %s of %s; try option columns with the names that both have",
                    t->file, emi_name_list_end(&extra), extra.count == 1 ? "is no feature" : "are no features",
                    o->features_of);
}

static em_status refuse_empty(const emi_csv_table *t, size_t c, em_error *err)
{
    return emi_fail(err, EM_EDATA, "%s: column %zu (%s) has no value at all; try other option columns, or missing=mean",
                    t->file, c + 1, t->columns[c].name ? t->columns[c].name : "no name");
}

/* The columns in the order of their slots. */
static size_t *in_order(const emi_csv_table *t)
{
    size_t *column = emi_calloc(t->slots + 1, sizeof *column);
    for (size_t c = 0; column && c < t->width; c++)
        if (t->columns[c].slot != EMI_NO_SLOT) column[t->columns[c].slot] = c;
    return column;
}

/* Features with their names.  Where a slot is not used after all, the others are picked from the values. */
static em_status keep_features(emi_csv_table *t, em_data *data, const size_t *column, em_error *err)
{
    size_t used = 0;
    for (size_t s = 0; s < t->slots; s++) used += (size_t)is_used(t, column[s]);
    if (used == 0)
        return emi_fail(err, EM_EDATA, "%s: no column of numbers in it; try another file, or option delimiter",
                        t->file);
    if (t->has_header) data->names = emi_calloc(used, sizeof *data->names);
    if (used < t->slots) data->pick = emi_calloc(used, sizeof *data->pick);
    if ((t->has_header && !data->names) || (used < t->slots && !data->pick)) return emi_fail_memory(err, t->file);
    data->columns = used;
    for (size_t s = 0, f = 0; s < t->slots; s++) {
        emi_csv_column *from = &t->columns[column[s]];
        if (!is_used(t, column[s])) continue;
        if (data->pick) data->pick[f] = s;
        if (data->names) data->names[f] = from->name, from->name = NULL;
        f++;
    }
    return EM_OK;
}

em_status emi_csv_table_end(emi_csv_table *t, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    size_t *column = in_order(t);
    if (!column) TRY(emi_fail_memory(err, t->file));
    TRY(refuse_extra(t, err));
    for (size_t c = 0; c < t->width; c++) {
        const emi_csv_column *own = &t->columns[c];
        int missing_all = own->role == EMI_COLUMN_CHOSEN && own->kind == EMI_COLUMN_EMPTY;
        if (missing_all && t->options->missing != EM_MISSING_MEAN) TRY(refuse_empty(t, c, err));
        if (!is_used(t, c)) TRY(leave_out(t, data, c, err));
    }
    TRY(keep_features(t, data, column, err));
done:
    emi_free(column);
    return status;
}

void emi_csv_table_free(emi_csv_table *t)
{
    for (size_t c = 0; t->columns && c < t->width; c++) emi_free(t->columns[c].name);
    emi_free(t->columns);
    emi_free(t->values);
    emi_free(t->labels);
    emi_free(t->label);
    emi_csv_free(&t->csv);
}
