/* What a CSV's columns are called, and which of them are asked for. */
#include "base/memory.h"
#include "data/columns.h"
#include "data/csv_table.h"
#include "data/names.h"

#include <math.h>

/* ---- the header ----------------------------------------------------------------------------------- */

static emi_cell_kind kind_of(const emi_cell *cell)
{
    double number;
    return emi_cell_number(cell, &number);
}

/* The numbers of a line, each one more than that before it: how many there are, and the first; 0: they are not so. */
static size_t count_run(const emi_csv *csv, double *first)
{
    size_t count = 0;
    double number;
    for (size_t c = 0; c < csv->count; c++) {
        if (emi_cell_number(&csv->cells[c], &number) != EMI_CELL_NUMBER) continue;
        if (count == 0) *first = number;
        if (number != *first + (double)count || number != floor(number)) return 0;
        count++;
    }
    return count;
}

static size_t count_kind(const emi_csv *csv, emi_cell_kind kind)
{
    size_t count = 0;
    for (size_t c = 0; c < csv->count; c++) count += kind_of(&csv->cells[c]) == kind;
    return count;
}

/* A line of text alone: were it data, none of its columns could be numbers throughout.  pandas' own for columns without
 * names is 0, 1, 2 ... behind an empty cell. */
static int is_header(const emi_csv *csv)
{
    size_t texts = count_kind(csv, EMI_CELL_TEXT), missing = count_kind(csv, EMI_CELL_MISSING);
    double first = 0;
    if (texts > 0 && texts + missing == csv->count) return 1;
    return csv->count > 1 && csv->cells[0].length == 0 && count_run(csv, &first) == csv->count - 1 && first == 0;
}

/* Whole numbers that rise or fall, as years do: how many; 0: others are among them. */
static size_t count_years(const emi_csv *csv)
{
    enum { FIRST = 1500, LAST = 2200 };
    size_t count = 0, rising = 0, falling = 0;
    double number, before = 0;
    for (size_t c = 0; c < csv->count; c++) {
        if (emi_cell_number(&csv->cells[c], &number) != EMI_CELL_NUMBER) continue;
        if (number != floor(number) || number < FIRST || number > LAST) return 0;
        rising += count > 0 && number > before;
        falling += count > 0 && number < before;
        before = number;
        count++;
    }
    return rising + 1 == count || falling + 1 == count ? count : 0;
}

static size_t count_quoted(const emi_csv *csv)
{
    size_t count = 0;
    for (size_t c = 0; c < csv->count; c++) count += csv->cells[c].quoted != 0;
    return count;
}

/* Numbers that may be names: 0, 1, 2, ... and years, which the next line does not have too. */
static int is_doubtful(const emi_csv *csv, const emi_csv *below)
{
    double first = 0;
    size_t run = count_run(csv, &first), years = count_years(csv),
           texts = csv->count - count_kind(csv, EMI_CELL_NUMBER);
    if (run > 2 && (texts > 0 || first == 0)) return count_run(below, &first) == 0;
    return years > 1 && count_years(below) == 0;
}

/* Names, numbers, or either?  Numbers in quotes above numbers without are names: R writes them so. */
static em_status recognise(emi_csv_table *t, int *header, em_error *err)
{
    em_status status = EM_OK;
    emi_csv below = t->csv;
    int more;
    below.cells = NULL, below.room = 0;
    *header = is_header(&t->csv);
    if (*header) goto done;
    TRY(emi_csv_next(&below, t->file, &more, err));
    *header = more && count_quoted(&t->csv) == t->width && count_quoted(&below) == 0;
    if (!*header && more && is_doubtful(&t->csv, &below))
        TRY(emi_fail(err, EM_EDATA, "%s: line %ld has numbers that may be names; try header=yes or no", t->file,
                     t->csv.line));
done:
    emi_csv_free(&below);
    return status;
}

static em_status keep_names(emi_csv_table *t, em_error *err)
{
    enum { LONGEST = 1000 }; /* a model keeps a little more */
    t->has_header = 1;
    for (size_t c = 0; c < t->width; c++) {
        if (t->csv.cells[c].length > LONGEST)
            return emi_fail(err, EM_EDATA,
                            "%s: column %zu has a name of %zu letters; try option delimiter, or header=no", t->file,
                            c + 1, t->csv.cells[c].length);
        t->columns[c].name = emi_cell_text(&t->csv.cells[c], &t->latin1);
        if (!t->columns[c].name) return emi_fail_memory(err, t->file);
    }
    return EM_OK;
}

/* "# a, b, c" right above the data, with a name for every column: how NumPy and many instruments write a header. */
static em_status try_comment(emi_csv_table *t, em_error *err)
{
    em_status status = EM_OK;
    emi_csv above = {.separator = t->csv.separator, .line = t->csv.line}, data = t->csv;
    em_error ignored;
    if (!t->csv.last || t->options->header == EM_HEADER_NO) return EM_OK;
    const char *at = t->csv.last;
    while (at < t->csv.eol && (*at == ' ' || *at == '\t')) at++;
    if (at == t->csv.eol || *at == t->csv.separator) at = t->csv.last - 1; /* a column called "#" */
    status = emi_csv_cut(&above, at, t->csv.eol, t->file, &ignored);
    if (status == EM_OK && above.count == t->width && is_header(&above)) {
        t->csv = above;
        status = keep_names(t, err);
        t->csv = data;
        t->csv.comments--;
    }
    emi_csv_free(&above);
    return status == EM_ENOMEM ? emi_fail_memory(err, t->file) : EM_OK;
}

em_status emi_csv_table_begin(emi_csv_table *t, em_error *err)
{
    em_status status = EM_OK;
    int more, header = t->options->header == EM_HEADER_YES;
    TRY(emi_csv_next(&t->csv, t->file, &more, err));
    if (!more) TRY(emi_fail(err, EM_EDATA, "%s: no row of numbers in it; try another file", t->file));
    t->width = t->csv.width = t->csv.count;
    t->columns = emi_calloc(t->width, sizeof *t->columns);
    if (!t->columns) TRY(emi_fail_memory(err, t->file));
    if (t->options->header == EM_HEADER_AUTO) TRY(recognise(t, &header, err));
    if (!header) {
        status = try_comment(t, err);
        goto done;
    }
    TRY(keep_names(t, err));
    TRY(emi_csv_next(&t->csv, t->file, &more, err));
    if (!more) TRY(emi_fail(err, EM_EDATA, "%s: no row of numbers in it; try another file", t->file));
done:
    return status;
}

/* ---- which columns -------------------------------------------------------------------------------- */

static const char **names_of(const emi_csv_table *t)
{
    const char **names = t->has_header ? emi_calloc(t->width, sizeof *names) : NULL;
    for (size_t c = 0; names && c < t->width; c++) names[c] = t->columns[c].name;
    return names;
}

static em_status choose_label(emi_csv_table *t, const char *const *names, em_error *err)
{
    size_t column = 0;
    if (!t->options->label) return EM_OK;
    em_status status = emi_column_find(t->options->label, t->width, names, t->file, &column, err);
    if (status == EM_OK) t->columns[column].role = EMI_COLUMN_LABEL;
    return status;
}

/* --columns.  Beside another table's features it says what may be looked at: names must be there; positions are that other
 * table's own. */
static em_status choose_listed(emi_csv_table *t, const char *const *names, em_error *err)
{
    emi_columns listed = {0};
    em_status status = EM_OK;
    int alone = !t->options->features;
    if (!t->options->columns) return EM_OK;
    TRY(emi_columns_parse(&listed, t->options->columns, t->width, names, t->file, err));
    t->by_position = !alone && listed.by_position;
    for (size_t c = 0; c < t->width; c++)
        if ((listed.named || listed.excluded[c] || t->by_position) && t->columns[c].role == EMI_COLUMN_AUTO)
            t->columns[c].role = EMI_COLUMN_EXCLUDED;
    for (size_t n = 0; listed.named && !t->by_position && n < listed.picked; n++) {
        emi_csv_column *column = &t->columns[listed.pick[n]];
        if (column->role == EMI_COLUMN_LABEL) continue; /* which is no feature, also where it is listed */
        column->role = alone ? EMI_COLUMN_CHOSEN : EMI_COLUMN_AUTO;
        if (alone) column->slot = (long)t->slots++;
    }
done:
    emi_columns_free(&listed);
    return status;
}

/* Those of another table, in its order. */
static em_status choose_features(emi_csv_table *t, const char *const *names, em_error *err)
{
    const em_read_options *o = t->options;
    if (!o->features) return EM_OK;
    size_t *place = emi_calloc(o->feature_count, sizeof *place);
    em_status status = place ? EM_OK : emi_fail_memory(err, t->file);
    if (status == EM_OK) status = emi_names_match(names, t->width, o, t->file, place, err);
    for (size_t f = 0; status == EM_OK && f < o->feature_count; f++) {
        emi_csv_column *column = &t->columns[place[f]];
        if (column->role == EMI_COLUMN_LABEL || (column->role == EMI_COLUMN_EXCLUDED && !t->by_position))
            status = emi_fail(err, EM_EINVAL, "%s: column %s is a feature of %s; try without leaving it out", t->file,
                              column->name, o->features_of);
        column->role = EMI_COLUMN_CHOSEN;
        column->slot = (long)f;
    }
    t->slots = o->feature_count;
    emi_free(place);
    return status;
}

em_status emi_csv_table_choose(emi_csv_table *t, em_error *err)
{
    em_status status = EM_OK;
    const em_read_options *o = t->options;
    const char **names = names_of(t);
    for (size_t c = 0; c < t->width; c++) t->columns[c].slot = EMI_NO_SLOT;
    if (t->has_header && !names) TRY(emi_fail_memory(err, t->file));
    TRY(choose_label(t, names, err));
    TRY(choose_listed(t, names, err));
    TRY(choose_features(t, names, err));
    /* Of the others only columns with a name are used, or all where there is no header; text, as it seems, is not kept. */
    for (size_t c = 0; c < t->width && !o->features && t->csv.count == t->width; c++) {
        emi_csv_column *column = &t->columns[c];
        int nameless = t->has_header && !*column->name;
        if (column->role == EMI_COLUMN_AUTO && !nameless && kind_of(&t->csv.cells[c]) != EMI_CELL_TEXT)
            column->slot = (long)t->slots++;
    }
done:
    emi_free(names);
    return status;
}
