#include "data/csv_cells.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- the separator ------------------------------------------------------------------------------ */

static const char *line_end(const char *at, const char *end)
{
    while (at < end && *at != '\n' && *at != '\r') at++;
    return at;
}

/* Where the line after `at` begins, which is the end of one. */
static const char *after_end(const char *at, const char *end)
{
    if (at + 1 < end && at[0] == '\r' && at[1] == '\n') return at + 2;
    return at < end ? at + 1 : at;
}

static int is_blank_text(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at == end;
}

/* The first line from `at` on that is neither blank nor a comment; empty at the end. */
static emi_cell full_line(const char *at, const char *end)
{
    while (at < end) {
        const char *eol = line_end(at, end);
        if (!is_blank_text(at, eol) && *at != '#') return (emi_cell){.at = at, .length = (size_t)(eol - at)};
        at = after_end(eol, end);
    }
    return (emi_cell){.at = end};
}

/* A quote is one only where a cell begins with it: 5" is a size. */
static size_t count_outside_quotes(emi_cell line, char wanted)
{
    size_t count = 0;
    int quoted = 0;
    for (size_t n = 0; n < line.length; n++) {
        char c = line.at[n], before = n > 0 ? line.at[n - 1] : ',';
        if (c == '"' && (quoted || strchr("\t;|, ", before))) quoted = !quoted;
        count += !quoted && c == wanted;
    }
    return count;
}

/* One that two lines have alike is better than one that they do not.  Commas come last: where decimals have commas, cells
 * have semicolons. */
char emi_csv_find_separator(const char *text, const char *end)
{
    static const char known[] = "\t;|,";
    emi_cell first = full_line(text, end), second = full_line(first.at + first.length, end);
    for (int alike = 1; alike >= 0; alike--)
        for (const char *c = known; *c; c++) {
            size_t count = count_outside_quotes(first, *c);
            if (count > 0 && (!alike || count == count_outside_quotes(second, *c))) return *c;
        }
    while (first.length > 0 && isspace((unsigned char)*first.at)) first.at++, first.length--;
    while (first.length > 0 && isspace((unsigned char)first.at[first.length - 1])) first.length--;
    return count_outside_quotes(first, ' ') > 0 ? ' ' : ',';
}

/* ---- cells --------------------------------------------------------------------------------------- */

void emi_csv_free(emi_csv *csv)
{
    emi_free(csv->cells);
    csv->cells = NULL;
}

static em_status add_cell(emi_csv *csv, const char *at, const char *end, const char *name, em_error *err)
{
    emi_cell *cells = emi_grow(csv->cells, &csv->room, csv->count + 1, sizeof *cells);
    if (!cells) return emi_fail_memory(err, name);
    csv->cells = cells;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    int quoted = end - at >= 2 && *at == '"' && end[-1] == '"';
    csv->cells[csv->count++] = (emi_cell){at + quoted, (size_t)(end - at) - 2 * (size_t)quoted, quoted};
    return EM_OK;
}

/* Behind the quoted text that begins at `at`; NULL: the quote is never closed. */
static const char *behind_quotes(emi_csv *csv, const char *at, const char *stop)
{
    for (at++; at < stop; at++) {
        csv->broken += *at == '\n';
        if (*at != '"') continue;
        if (at + 1 == stop || at[1] != '"') return at + 1;
        at++; /* a doubled one stands for itself */
    }
    return NULL;
}

/* Where the cell that begins at `at` ends: at its separator, its line's end or the text's.  NULL: a quote is never
 * closed.  A quote in the midst of a cell is a sign like any other. */
static const char *cell_end(emi_csv *csv, const char *at, const char *stop)
{
    const char separator = csv->separator, *from = at;
    while (from < stop && *from == ' ' && separator != ' ') from++;
    if (from < stop && *from == '"') at = behind_quotes(csv, from, stop);
    while (at && at < stop && *at != separator && *at != '\n' && *at != '\r') at++;
    return at;
}

static const char *skip_blanks(const emi_csv *csv, const char *at, const char *stop)
{
    while (csv->separator == ' ' && at < stop && (*at == ' ' || *at == '\t')) at++;
    return at;
}

static int ends_line(const char *at, const char *stop)
{
    return at == stop || *at == '\n' || *at == '\r';
}

em_status emi_csv_cut(emi_csv *csv, const char **at, const char *stop, const char *name, em_error *err)
{
    csv->count = 0;
    for (const char *from = skip_blanks(csv, *at, stop);;) {
        const char *end = cell_end(csv, from, stop);
        if (!end)
            return emi_fail(err, EM_EDATA, "%s: line %ld has a quote that is never closed; try closing it", name,
                            csv->line);
        em_status status = add_cell(csv, from, end, name, err);
        if (status != EM_OK) return status;
        from = ends_line(end, stop) ? end : skip_blanks(csv, end + 1, stop);
        if (ends_line(end, stop) || (csv->separator == ' ' && ends_line(from, stop))) {
            *at = from;
            return EM_OK;
        }
    }
}

/* A line that begins with # and is none of the data; prose may hold a quote that is never closed. */
static em_status is_comment(emi_csv *csv, const char *name, int *yes, em_error *err)
{
    em_error unclosed;
    const char *at = csv->at;
    *yes = *at == '#';
    if (!*yes || csv->width < 2) return EM_OK;
    em_status status = emi_csv_cut(csv, &at, line_end(at, csv->end), name, &unclosed);
    *yes = status == EM_EDATA || csv->count != csv->width;
    if (status == EM_OK || status == EM_EDATA) return EM_OK;
    if (err) *err = unclosed;
    return status;
}

em_status emi_csv_next(emi_csv *csv, const char *name, int *more, em_error *err)
{
    em_status status = EM_OK;
    int comment;
    for (;;) {
        *more = !is_blank_text(csv->at, csv->end);
        if (!*more) break;
        csv->line += 1 + csv->broken;
        csv->broken = 0;
        TRY(is_comment(csv, name, &comment, err));
        int may_be_blank = csv->width != 1 && strchr(" \t\r\n", *csv->at);
        const char *eol = comment || may_be_blank ? line_end(csv->at, csv->end) : csv->at;
        if (!comment && !(may_be_blank && is_blank_text(csv->at, eol))) {
            TRY(emi_csv_cut(csv, &csv->at, csv->end, name, err));
            csv->at = after_end(csv->at, csv->end);
            break;
        }
        csv->blank += !comment && csv->width > 0;
        if (comment) csv->last = csv->at + 1, csv->eol = eol;
        csv->comments += comment;
        csv->at = after_end(eol, csv->end);
    }
done:
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

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

/* What is no number itself: digits with commas among them, and points (2,5 and 1,234,567 and 1.000,5); numbers with blanks
 * between them, and nothing else; or text. */
static emi_cell_kind no_number(const emi_cell *cell)
{
    size_t digits = 0, commas = 0, blanks = 0;
    int last = 0;
    for (size_t n = 0; n < cell->length; n++) {
        char c = cell->at[n];
        last = isdigit((unsigned char)c) != 0;
        digits += (size_t)last;
        commas += c == ',';
        blanks += c == ' ' || c == '\t';
        if (!last && !strchr("+-., \teE", c)) return EMI_CELL_TEXT;
    }
    if (blanks == 0 && digits > 0 && commas > 0) return EMI_CELL_COMMA;
    return blanks > 0 && digits > 1 && last ? EMI_CELL_NUMBERS : EMI_CELL_TEXT;
}

emi_cell_kind emi_cell_number(const emi_cell *cell, double *out)
{
    if (short_number(cell->at, cell->length, out) == 0) return EMI_CELL_NUMBER;
    if (emi_text_is_missing(cell->at, cell->length)) return EMI_CELL_MISSING;
    if (long_number(cell->at, cell->length, out) != 0) return no_number(cell);
    return isnan(*out) ? EMI_CELL_MISSING : isinf(*out) ? EMI_CELL_INFINITE : EMI_CELL_NUMBER;
}
