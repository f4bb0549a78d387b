/* CSV and TSV, held in memory as numbers: what separates the cells, how the text is encoded, and whether there is a header
 * is found out, and said in the table's remarks. */
#include "base/memory.h"
#include "data/csv_table.h"
#include "data/encoding.h"
#include "data/reader.h"
#include "data/strided.h"

#include <ctype.h>
#include <string.h>

/* ---- by content: text, that is no byte that text does not have ------------------------------------- */

static int csv_by_content(const emi_input *input)
{
    if (emi_is_utf16(input->bytes.at, input->bytes.size)) return 1;
    for (size_t n = 0; n < input->bytes.size && n < 4096; n++) {
        unsigned char c = input->bytes.at[n];
        if (c == 127 || (c < 32 && c != '\t' && c != '\n' && c != '\r')) return 0;
    }
    return 1;
}

/* ---- separators ------------------------------------------------------------------------------------------ */

static const struct {
    char separator;
    const char *name, *words;
} separators[] = {{',', "comma", "commas"},
                  {';', "semicolon", "semicolons"},
                  {'\t', "tab", "tabs"},
                  {'|', "bar", "vertical bars"},
                  {' ', "space", "blanks"}};

enum { SEPARATORS = sizeof separators / sizeof *separators };

/* --delimiter, or what the text itself says. */
static em_status choose_separator(emi_csv *csv, const emi_read_request *request, em_error *err)
{
    const char *given = request->options.delimiter;
    if (csv->end - csv->at > 5 && memcmp(csv->at, "sep=", 4) == 0 &&
        strchr("\r\n", csv->at[5])) { /* Excel's own line */
        csv->separator = csv->at[4];
        csv->at += 5;
        csv->line++;
        while (csv->at < csv->end && strchr("\r\n", *csv->at)) csv->at++;
    }
    if (!given && csv->separator) return EM_OK;
    csv->separator = 0;
    if (!given) {
        csv->separator = emi_csv_find_separator(csv->at, csv->end);
        if (csv->separator == ',' && emi_path_ends(request->path, ".tsv")) csv->separator = '\t';
        return EM_OK;
    }
    for (int s = 0; s < SEPARATORS; s++)
        if (strcmp(given, separators[s].name) == 0) csv->separator = separators[s].separator;
    if (strcmp(given, "\\t") == 0) csv->separator = '\t';
    if (csv->separator) return EM_OK;
    if (strlen(given) != 1 || isalnum((unsigned char)*given) || strchr("\"+-.\r\n#", *given))
        return emi_fail(err, EM_EINVAL,
                        "delimiter: '%s' cannot separate numbers; try one of , ; | tab space, or another sign", given);
    csv->separator = *given;
    return EM_OK;
}

static void describe_separator(char separator, char *out, size_t room)
{
    (void)snprintf(out, room, "'%c'", separator);
    for (int s = 0; s < SEPARATORS; s++)
        if (separators[s].separator == separator) (void)snprintf(out, room, "%s", separators[s].words);
}

static void describe(const emi_csv_table *t, int utf16, em_data *data)
{
    char between[32], comments[48] = "", blank[48] = "";
    describe_separator(t->csv.separator, between, sizeof between);
    if (t->csv.comments)
        (void)snprintf(comments, sizeof comments, ", %ld comment line%s skipped", t->csv.comments,
                       t->csv.comments == 1 ? "" : "s");
    if (t->csv.blank)
        (void)snprintf(blank, sizeof blank, ", %ld blank line%s skipped", t->csv.blank, t->csv.blank == 1 ? "" : "s");
    (void)snprintf(data->remarks, sizeof data->remarks, "%s, %s%s%s%s%s", between,
                   t->has_header ? "a header" : "no header", comments, blank, utf16 ? ", UTF-16" : "",
                   t->latin1 ? ", names in Latin-1" : "");
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static em_status read_table(emi_csv_table *t, em_data *data, em_error *err)
{
    em_status status = EM_OK;
    int more = 1;
    TRY(emi_csv_table_begin(t, err));
    TRY(emi_csv_table_choose(t, err));
    while (more) {
        TRY(emi_csv_table_add(t, err));
        TRY(emi_csv_next(&t->csv, t->file, &more, err));
    }
    TRY(emi_csv_table_end(t, data, err));
done:
    return status;
}

static em_status hand_over(emi_csv_table *t, em_data *data, em_error *err)
{
    emi_bytes held = {(unsigned char *)t->values, t->rows * t->slots * sizeof *t->values, EMI_HELD};
    size_t columns = data->columns;
    emi_layout layout = {.type = EM_F64,
                         .rows = t->rows,
                         .columns = t->slots,
                         .row_stride = (ptrdiff_t)(t->slots * sizeof *t->values),
                         .column_stride = sizeof *t->values};
    em_status status = emi_strided_open(data, &held, &layout, err);
    if (status != EM_OK) return status;
    data->columns = columns;
    data->labels = t->labels;
    data->label = t->label;
    t->values = NULL;
    t->labels = NULL;
    t->label = NULL;
    return EM_OK;
}

/* The text without a byte-order mark, as UTF-8; `converted` holds it where it had to be. */
static em_status decode(const emi_input *input, const char *name, emi_bytes *converted, emi_csv *csv, em_error *err)
{
    em_status status = EM_OK;
    emi_bytes text = input->bytes;
    if (emi_is_utf16(text.at, text.size)) {
        TRY(emi_from_utf16(text.at, text.size, name, converted, err));
        text = *converted;
    }
    csv->at = (const char *)text.at;
    csv->end = csv->at + text.size;
    if (text.size >= 3 && memcmp(csv->at, "\xEF\xBB\xBF", 3) == 0) csv->at += 3; /* UTF-8's own mark */
    if (memchr(text.at, 0, text.size))
        TRY(emi_fail(err, EM_EDATA, "%s: has a byte of zero, which no text has; try saving it as UTF-8 text", name));
done:
    return status;
}

static em_status csv_open(em_data *data, emi_input *input, const emi_read_request *request, em_error *err)
{
    em_status status = EM_OK;
    emi_csv_table t = {.file = data->name, .options = &request->options, .csv.line = request->options.lines_before};
    emi_bytes converted = {0};
    TRY(emi_input_need_all(input, err));
    TRY(decode(input, data->name, &converted, &t.csv, err));
    TRY(choose_separator(&t.csv, request, err));
    data->format = t.csv.separator == '\t' ? "tsv" : "csv";
    TRY(read_table(&t, data, err));
    describe(&t, converted.at != NULL, data);
    TRY(hand_over(&t, data, err));
done:
    emi_csv_table_free(&t);
    emi_bytes_release(&converted);
    return status;
}

const emi_reader emi_reader_csv = {
    .format = "csv", .by_content = csv_by_content, .endings = {".csv", ".tsv", ".txt"}, .open = csv_open, .picks = 1};
