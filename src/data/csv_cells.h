/* Lines of separated values, cut into cells (RFC 4180 quoting; lines end in LF, CRLF or CR). */
#ifndef EMI_DATA_CSV_CELLS_H
#define EMI_DATA_CSV_CELLS_H

#include "base/error.h"

typedef struct emi_cell {
    const char *at;
    size_t length;
    int quoted; /* it was; the quotes are no part of it */
} emi_cell;

typedef struct emi_csv {
    const char *at, *end;   /* what is left of the text */
    char separator;         /* ' ' stands for any run of blanks */
    size_t width;           /* cells of a line of data; 0: not known yet */
    long line;              /* number of the line last cut, from 1 */
    long broken;            /* lines that it went on for, by line ends in quotes */
    long comments;          /* lines skipped so far, which begin with # */
    long blank;             /* lines skipped so far, which are empty */
    const char *last, *eol; /* the last one, without its #; NULL: none */
    emi_cell *cells;        /* of the line last cut */
    size_t count, room;
} emi_csv;

/* The separator that the first lines use: a tab, a semicolon, a vertical bar, a comma or blanks. */
char emi_csv_find_separator(const char *text, const char *end);

/* Cut the next line.  *more is 0 at the end.  Blank lines are no lines, except where a line has one cell, which then is
 * missing; nor are comments: they begin with #, and do not have as many cells as a line of data. */
em_status emi_csv_next(emi_csv *csv, const char *name, int *more, em_error *err);

/* Cut a line that begins at *at and ends before `stop`; *at is its end then. */
em_status emi_csv_cut(emi_csv *csv, const char **at, const char *stop, const char *name, em_error *err);

void emi_csv_free(emi_csv *csv);

typedef enum emi_cell_kind {
    EMI_CELL_NUMBER,
    EMI_CELL_MISSING, /* empty, NA, NaN, null, ? */
    EMI_CELL_INFINITE,
    EMI_CELL_COMMA,   /* "2,5" or "1.000,5": a number with commas in it, whatever they mean */
    EMI_CELL_NUMBERS, /* "1 2": several numbers, were there something between them          */
    EMI_CELL_TEXT
} emi_cell_kind;

emi_cell_kind emi_cell_number(const emi_cell *cell, double *out);

#endif
