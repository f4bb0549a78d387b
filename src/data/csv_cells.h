/* Lines of separated values, cut into cells (RFC 4180 quoting; CRLF or LF). */
#ifndef EMI_DATA_CSV_CELLS_H
#define EMI_DATA_CSV_CELLS_H

#include "base/error.h"

typedef struct emi_cell {
    const char *at;
    size_t length;
} emi_cell;

typedef struct emi_csv {
    const char *at, *end; /* what is left of the text */
    char separator;       /* ' ' stands for any run of blanks */
    long line;            /* number of the line last cut, from 1 */
    emi_cell *cells;      /* of that line */
    size_t count, room;
} emi_csv;

/* The separator that the first line uses. */
char emi_csv_separator(const char *text, const char *end, int tabs);

/* Cut the next line.  *more is 0 at the end; blank lines that end the text are no lines. */
em_status emi_csv_next(emi_csv *csv, const char *name, int *more, em_error *err);

void emi_csv_free(emi_csv *csv);

typedef enum emi_cell_kind {
    EMI_CELL_NUMBER,
    EMI_CELL_MISSING, /* empty, NA, NaN, null, ? */
    EMI_CELL_INFINITE,
    EMI_CELL_COMMA, /* "2,5": a number, were the comma a point */
    EMI_CELL_TEXT
} emi_cell_kind;

emi_cell_kind emi_cell_number(const emi_cell *cell, double *out);

#endif
