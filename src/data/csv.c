/* CSV and TSV.  A header is recognised (text above numbers), and so is a column of labels (text, or a name such as
 * "label" above it), which is left out unless columns are named.  The numbers are held in memory. */
#include "base/memory.h"
#include "data/columns.h"
#include "data/csv_cells.h"
#include "data/reader.h"
#include "data/strided.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct table {
    const char *name;
    emi_csv csv;
    size_t width;  /* cells a line */
    char **header; /* [width]; NULL: none */
    size_t *pick;  /* the columns kept */
    size_t picked;
    double *values;
    size_t count, room;
} table;

/* ---- by content: text, that is no byte that text does not have ------------------------------------- */

static int csv_by_content(const emi_input *input)
{
    for (size_t n = 0; n < input->bytes.size && n < 4096; n++) {
        unsigned char c = input->bytes.at[n];
        if (c == 127 || (c < 32 && c != '\t' && c != '\n' && c != '\r')) return 0;
    }
    return 1;
}

/* ---- the header -------------------------------------------------------------------------------------- */

static em_status keep_header(table *t, em_error *err)
{
    t->header = emi_calloc(t->width, sizeof *t->header);
    for (size_t c = 0; t->header && c < t->width; c++) {
        const emi_cell *cell = &t->csv.cells[c];
        t->header[c] = emi_malloc(cell->length + 1);
        if (!t->header[c]) return emi_fail_memory(err, t->name);
        memcpy(t->header[c], cell->at, cell->length);
        t->header[c][cell->length] = 0;
    }
    return t->header ? EM_OK : emi_fail_memory(err, t->name);
}

static int is_text(const emi_cell *cell)
{
    double number;
    return emi_cell_number(cell, &number) == EMI_CELL_TEXT;
}

/* Text on the first line where the second has a number; a lone line that is all text is a header too. */
static em_status looks_like_header(const table *t, int *yes, em_error *err)
{
    em_status status = EM_OK;
    emi_csv next = t->csv;
    size_t texts = 0;
    int more;
    next.cells = NULL, next.room = 0;
    for (size_t c = 0; c < t->width; c++) texts += (size_t)is_text(&t->csv.cells[c]);
    *yes = 0;
    if (texts == 0) goto done;
    TRY(emi_csv_next(&next, t->name, &more, err));
    *yes = !more && texts == t->width;
    for (size_t c = 0; more && c < t->width && c < next.count; c++)
        *yes |= is_text(&t->csv.cells[c]) && !is_text(&next.cells[c]);
done:
    emi_csv_free(&next);
    return status;
}

/* ---- which columns ------------------------------------------------------------------------------------- */

static int names_a_label(const char *name)
{
    static const char *const labels[] = {"label", "class", "target", "species"};
    for (size_t n = 0; n < sizeof labels / sizeof *labels; n++)
        if (strcasecmp(name, labels[n]) == 0) return 1;
    return 0;
}

/* The current line is the first one of data. */
static em_status choose_columns(table *t, const char *spec, em_error *err)
{
    if (spec)
        return emi_columns_parse(spec, t->width, (const char *const *)t->header, t->name, &t->pick, &t->picked, err);
    t->pick = emi_calloc(t->width, sizeof *t->pick);
    if (!t->pick) return emi_fail_memory(err, t->name);
    for (size_t c = 0; c < t->width; c++) {
        int label = is_text(&t->csv.cells[c]) || (t->header && names_a_label(t->header[c]));
        if (!label) t->pick[t->picked++] = c;
    }
    if (t->picked == 0)
        return emi_fail(err, EM_EDATA, "%s: line %ld has no number in it; try another file", t->name, t->csv.line);
    return EM_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* How much of a text a message shows: one line of it, and not too much. */
static int shown(const char *text, size_t length)
{
    enum { MOST = 40 };
    int n = 0;
    while (n < MOST && (size_t)n < length && !iscntrl((unsigned char)text[n])) n++;
    return n;
}

static em_status bad_cell(const table *t, size_t column, emi_cell_kind kind, em_error *err)
{
    static const char *const wrong[] = {[EMI_CELL_INFINITE] = "not finite; try mending it",
                                        [EMI_CELL_COMMA] = "a number with a decimal comma; try points",
                                        [EMI_CELL_TEXT] = "no number; try mending it, or --columns"};
    const emi_cell *cell = &t->csv.cells[column];
    const char *heading = t->header ? t->header[column] : "";
    const char *open = *heading ? " (" : "", *close = *heading ? ")" : "";
    int head = shown(heading, strlen(heading));
    if (kind == EMI_CELL_MISSING)
        return emi_fail(err, EM_EDATA,
                        "%s: line %ld, column %zu%s%.*s%s: the value is missing; try filling it or dropping the row",
                        t->name, t->csv.line, column + 1, open, head, heading, close);
    return emi_fail(err, EM_EDATA, "%s: line %ld, column %zu%s%.*s%s: '%.*s' is %s", t->name, t->csv.line, column + 1,
                    open, head, heading, close, shown(cell->at, cell->length), cell->at, wrong[kind]);
}

static em_status grow(table *t, em_error *err)
{
    size_t room = t->room ? 2 * t->room : 1024, bytes;
    while (room - t->count < t->picked) room *= 2;
    double *values = emi_size_overflows(room, sizeof *values, &bytes) ? NULL : emi_realloc(t->values, bytes);
    if (!values) return emi_fail_memory(err, t->name);
    t->values = values;
    t->room = room;
    return EM_OK;
}

static em_status add_row(table *t, em_error *err)
{
    em_status status = EM_OK;
    if (t->csv.count != t->width)
        return emi_fail(err, EM_EDATA, "%s: line %ld has %zu column%s, where the first has %zu; try mending it",
                        t->name, t->csv.line, t->csv.count, t->csv.count == 1 ? "" : "s", t->width);
    if (t->room - t->count < t->picked) TRY(grow(t, err));
    for (size_t c = 0; c < t->picked; c++) {
        emi_cell_kind kind = emi_cell_number(&t->csv.cells[t->pick[c]], &t->values[t->count + c]);
        if (kind != EMI_CELL_NUMBER) TRY(bad_cell(t, t->pick[c], kind, err));
    }
    t->count += t->picked;
done:
    return status;
}

static em_status read_table(table *t, const em_read_options *options, em_error *err)
{
    em_status status = EM_OK;
    int more, header = options->header == EM_HEADER_YES;
    TRY(emi_csv_next(&t->csv, t->name, &more, err));
    t->width = t->csv.count;
    if (more && options->header == EM_HEADER_AUTO) TRY(looks_like_header(t, &header, err));
    if (header && more) {
        TRY(keep_header(t, err));
        TRY(emi_csv_next(&t->csv, t->name, &more, err));
    }
    if (!more) TRY(emi_fail(err, EM_EDATA, "%s: no row of numbers in it; try another file", t->name));
    if (t->csv.count == t->width) TRY(choose_columns(t, options->columns, err));
    while (more) {
        TRY(add_row(t, err));
        TRY(emi_csv_next(&t->csv, t->name, &more, err));
    }
done:
    return status;
}

static em_status hand_over(table *t, em_data *data, em_error *err)
{
    emi_bytes held = {(unsigned char *)t->values, t->count * sizeof *t->values, EMI_HELD};
    emi_layout layout = {.type = EM_F64,
                         .rows = t->count / t->picked,
                         .columns = t->picked,
                         .row_stride = (ptrdiff_t)(t->picked * sizeof *t->values),
                         .column_stride = sizeof *t->values};
    em_status status = emi_strided_open(data, &held, &layout, err);
    if (status == EM_OK) t->values = NULL;
    return status;
}

static void free_table(table *t)
{
    for (size_t c = 0; t->header && c < t->width; c++) emi_free(t->header[c]);
    emi_free(t->header);
    emi_free(t->pick);
    emi_free(t->values);
    emi_csv_free(&t->csv);
}

static em_status csv_open(em_data *data, emi_input *input, const emi_request *request, int *picked, em_error *err)
{
    em_status status = EM_OK;
    table t = {.name = data->name};
    TRY(emi_input_need_all(input, err));
    const char *text = (const char *)input->bytes.at, *end = text + input->bytes.size;
    if (end - text >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3; /* UTF-8's byte-order mark */
    char separator = emi_csv_separator(text, end, emi_path_ends(request->path, ".tsv"));
    t.csv = (emi_csv){.at = text, .end = end, .separator = separator};
    data->format = separator == '\t' ? "tsv" : "csv";
    TRY(read_table(&t, request->options, err));
    TRY(hand_over(&t, data, err));
    *picked = 1;
done:
    free_table(&t);
    return status;
}

static int csv_by_name(const char *path)
{
    return emi_path_ends(path, ".csv") || emi_path_ends(path, ".tsv") || emi_path_ends(path, ".txt");
}

const emi_reader emi_reader_csv = {
    .format = "csv", .by_content = csv_by_content, .by_name = csv_by_name, .open = csv_open};
