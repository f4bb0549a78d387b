/* What a CSV's columns are called, and which of them are asked for. */
#include "base/memory.h"
#include "data/columns.h"
#include "data/csv_table.h"

#include <math.h>

/* ---- the header ----------------------------------------------------------------------------------- */

/* What a line has, and what its numbers look like. */
typedef struct line {
    size_t cells, texts, missing, numbers, quoted;
    double first; /* of the numbers                                   */
    size_t run;   /* all of them, where each is one more than that before it; else 0 */
    size_t years; /* all of them, where they rise or fall as years do; else 0 */
} line;

static line look_at(const emi_csv *csv)
{
    enum { FIRST = 1500, LAST = 2200 };
    line l = {.cells = csv->count};
    size_t in_run = 0, in_time = 0, rising = 0, falling = 0;
    double number, before = 0;
    for (size_t c = 0; c < csv->count; c++) {
        emi_cell_kind kind = emi_cell_number(&csv->cells[c], &number);
        l.texts += kind == EMI_CELL_TEXT;
        l.missing += kind == EMI_CELL_MISSING;
        l.quoted += csv->cells[c].quoted != 0;
        if (kind != EMI_CELL_NUMBER) continue;
        if (l.numbers == 0) l.first = number;
        in_run += number == l.first + (double)l.numbers && number == floor(number);
        in_time += number == floor(number) && number >= FIRST && number <= LAST;
        rising += l.numbers > 0 && number > before;
        falling += l.numbers > 0 && number < before;
        before = number;
        l.numbers++;
    }
    if (in_run == l.numbers) l.run = l.numbers;
    if (in_time == l.numbers && (rising + 1 == l.numbers || falling + 1 == l.numbers)) l.years = l.numbers;
    return l;
}

/* A line of text alone: were it data, none of its columns could be numbers throughout.  pandas' own for columns without
 * names is 0, 1, 2 ... behind an empty cell. */
static int is_header(const emi_csv *csv)
{
    line l = look_at(csv);
    if (l.texts > 0 && l.texts + l.missing == l.cells) return 1;
    return l.cells > 1 && csv->cells[0].length == 0 && l.run == l.cells - 1 && l.first == 0;
}

/* Numbers that may be names: 0, 1, 2, ... and years, which the next line does not have too. */
static int is_doubtful(line l, line below)
{
    if (l.run > 2 && (l.numbers < l.cells || l.first == 0)) return below.run == 0;
    return l.years > 1 && below.years == 0;
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
    if (!more) goto done;
    line own = look_at(&t->csv), next = look_at(&below);
    *header = own.quoted == t->width && next.quoted == 0;
    if (!*header && is_doubtful(own, next))
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
    status = emi_csv_cut(&above, &at, t->csv.eol, t->file, &ignored);
    if (status == EM_OK && above.count == t->width && is_header(&above)) {
        t->csv = above;
        status = keep_names(t, err);
        t->csv = data;
        t->csv.comments--;
    }
    emi_csv_free(&above);
    return status == EM_ENOMEM ? emi_fail_memory(err, t->file) : EM_OK;
}

static em_status need_line(emi_csv_table *t, em_error *err)
{
    int more;
    em_status status = emi_csv_next(&t->csv, t->file, &more, err);
    if (status != EM_OK || more) return status;
    return emi_fail(err, EM_EDATA, "%s: no row of numbers in it; try another file", t->file);
}

em_status emi_csv_table_begin(emi_csv_table *t, em_error *err)
{
    em_status status = EM_OK;
    int header = t->options->header == EM_HEADER_YES;
    TRY(need_line(t, err));
    t->width = t->csv.width = t->csv.count;
    t->columns = emi_calloc(t->width, sizeof *t->columns);
    if (!t->columns) TRY(emi_fail_memory(err, t->file));
    if (t->options->header == EM_HEADER_AUTO) TRY(recognise(t, &header, err));
    TRY(header ? keep_names(t, err) : try_comment(t, err));
    if (header) TRY(need_line(t, err));
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
        double number;
        int nameless = t->has_header && !*column->name;
        if (column->role == EMI_COLUMN_AUTO && !nameless && emi_cell_number(&t->csv.cells[c], &number) != EMI_CELL_TEXT)
            column->slot = (long)t->slots++;
    }
done:
    emi_free(names);
    return status;
}
