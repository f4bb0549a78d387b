#include "data/csv_table.h"

#include "base/memory.h"
#include "data/encoding.h"
#include "data/names.h"

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
