#include "data/csv_cells.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

char emi_csv_separator(const char *text, const char *end, int tabs)
{
    size_t commas = 0, semicolons = 0, tabulators = 0, blanks = 0;
    int quoted = 0;
    for (; text < end && (quoted || *text != '\n'); text++) {
        quoted ^= *text == '"';
        if (quoted) continue;
        commas += *text == ',';
        semicolons += *text == ';';
        tabulators += *text == '\t';
        blanks += *text == ' ';
    }
    if (tabs || tabulators > commas + semicolons) return '\t';
    if (semicolons > 0) return ';'; /* where decimals have commas, fields have semicolons */
    return commas == 0 && blanks > 0 ? ' ' : ',';
}

void emi_csv_free(emi_csv *csv)
{
    emi_free(csv->cells);
    csv->cells = NULL;
}

static em_status add_cell(emi_csv *csv, const char *at, const char *end, const char *name, em_error *err)
{
    if (csv->count == csv->room) {
        size_t room = csv->room ? 2 * csv->room : 64;
        emi_cell *cells = emi_realloc(csv->cells, room * sizeof *cells);
        if (!cells) return emi_fail_memory(err, name);
        csv->cells = cells;
        csv->room = room;
    }
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    if (end - at >= 2 && *at == '"' && end[-1] == '"') at++, end--;
    csv->cells[csv->count++] = (emi_cell){at, (size_t)(end - at)};
    return EM_OK;
}

static int is_blank_text(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at == end;
}

/* Where the cell that begins at `at` ends: at its separator, its line's end or the text's.  NULL: a quote is never
 * closed. */
static const char *cell_end(const emi_csv *csv, const char *at)
{
    int quoted = 0;
    for (; at < csv->end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted && (*at == '\n' || *at == csv->separator))
            return at;
    }
    return quoted ? NULL : at;
}

static const char *skip_blanks(const emi_csv *csv, const char *at)
{
    while (csv->separator == ' ' && at < csv->end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

em_status emi_csv_next(emi_csv *csv, const char *name, int *more, em_error *err)
{
    em_status status = EM_OK;
    csv->count = 0;
    *more = !is_blank_text(csv->at, csv->end);
    if (!*more) return EM_OK;
    csv->line++;
    const char *at = skip_blanks(csv, csv->at);
    for (;;) {
        const char *end = cell_end(csv, at);
        if (!end)
            TRY(emi_fail(err, EM_EDATA, "%s: line %ld has a quote that is never closed; try closing it", name,
                         csv->line));
        int last = end == csv->end || *end == '\n';
        TRY(add_cell(csv, at, end, name, err));
        at = last ? end : skip_blanks(csv, end + 1);
        if (last || (csv->separator == ' ' && (at == csv->end || *at == '\n' || *at == '\r'))) break;
    }
    while (at < csv->end && *at != '\n') at++;
    csv->at = at < csv->end ? at + 1 : at;
done:
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static int is_word(const emi_cell *cell, const char *word)
{
    if (strlen(word) != cell->length) return 0;
    for (size_t n = 0; n < cell->length; n++)
        if (tolower((unsigned char)cell->at[n]) != word[n]) return 0;
    return 1;
}

/* Up to 15 digits and a small power of ten: both are exact in a double, so that one rounding gives the nearest
 * (Clinger, "How to read floating point numbers accurately", 1990).  Non-zero: not of that kind. */
static int short_number(const char *at, size_t length, double *out)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *end = at + length;
    int negative = at < end && *at == '-', digits = 0, behind = 0, point = 0;
    int64_t value = 0;
    for (at += negative; at < end; at++) {
        if (*at == '.' && !point) {
            point = 1;
        } else if (isdigit((unsigned char)*at) && digits < 15) {
            value = 10 * value + (*at - '0');
            digits++;
            behind += point;
        } else {
            return -1;
        }
    }
    if (digits == 0) return -1;
    *out = (double)value / powers[behind];
    if (negative) *out = -*out;
    return 0;
}

static int long_number(const char *at, size_t length, double *out)
{
    enum { LONGEST = 400 };
    char copy[LONGEST + 1], *end;
    if (length == 0 || length > LONGEST || memchr(at, 'x', length) || memchr(at, 'X', length) || memchr(at, 0, length))
        return -1;
    memcpy(copy, at, length);
    copy[length] = 0;
    *out = emi_text_strtod(copy, &end);
    return end == copy + length ? 0 : -1;
}

static int has_decimal_comma(const emi_cell *cell)
{
    char copy[32], *comma;
    double number;
    if (cell->length >= sizeof copy || !memchr(cell->at, ',', cell->length)) return 0;
    memcpy(copy, cell->at, cell->length);
    comma = memchr(copy, ',', cell->length);
    *comma = '.';
    return long_number(copy, cell->length, &number) == 0;
}

emi_cell_kind emi_cell_number(const emi_cell *cell, double *out)
{
    static const char *const missing[] = {"", "na", "n/a", "nan", "null", "none", "?"};
    if (short_number(cell->at, cell->length, out) == 0) return EMI_CELL_NUMBER;
    for (size_t w = 0; w < sizeof missing / sizeof *missing; w++)
        if (is_word(cell, missing[w])) return EMI_CELL_MISSING;
    if (long_number(cell->at, cell->length, out) != 0) return has_decimal_comma(cell) ? EMI_CELL_COMMA : EMI_CELL_TEXT;
    return isnan(*out) ? EMI_CELL_MISSING : isinf(*out) ? EMI_CELL_INFINITE : EMI_CELL_NUMBER;
}
