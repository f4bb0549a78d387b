/* The columns of a CSV: what they are called, what they turn out to hold, and which become features.
 *
 * A column is numbers or text throughout.  Text is left out, and named; a column with both is an error that names the cell.
 * What a column holds is known at the end, so that its first cells are kept, or at least remembered, until then. */
#ifndef EMI_DATA_CSV_TABLE_H
#define EMI_DATA_CSV_TABLE_H

#include "data/csv_cells.h"
#include "data/data.h"

enum { EMI_SAMPLE = 40, EMI_NO_SLOT = -1 };

typedef struct emi_csv_column {
    char *name; /* "": the header leaves it open; NULL: there is no header */
    enum { EMI_COLUMN_AUTO, EMI_COLUMN_CHOSEN, EMI_COLUMN_EXCLUDED, EMI_COLUMN_LABEL } role;
    enum { EMI_COLUMN_EMPTY, EMI_COLUMN_NUMBERS, EMI_COLUMN_TEXT } kind;
    long slot;               /* where its numbers stand in a row of values; EMI_NO_SLOT: they are not kept */
    long missing_at;         /* the first line without a value; 0: none                                    */
    long text_at, number_at; /* the first line of each kind                                                */
    char sample[EMI_SAMPLE]; /* the text there                                                             */
    double first, last;      /* numbers of a column without a name: */
    int rises;               /* by one from line to line?           */
} emi_csv_column;

typedef struct emi_csv_table {
    const char *file;
    const em_read_options *options;
    emi_csv csv;
    size_t width;
    int has_header;
    int by_position;         /* --columns has positions, which are those of the table that the features are of */
    emi_csv_column *columns; /* [width] */
    size_t slots, rows;
    double *values; /* [rows * slots] */
    size_t room;
    int latin1;    /* a name was */
    char *labels;  /* all of them, one after the other, each with its 0 */
    size_t *label; /* [rows] where each begins */
    size_t label_size, label_room, row_room;
} emi_csv_table;

/* Its header, from the line last cut or a comment above it, or none. */
em_status emi_csv_table_begin(emi_csv_table *t, em_error *err);

/* Which columns are asked for: by --columns, by the names of another table's features, or all. */
em_status emi_csv_table_choose(emi_csv_table *t, em_error *err);

/* The line last cut, as a row. */
em_status emi_csv_table_add(emi_csv_table *t, em_error *err);

/* What the columns have turned out to be: the slots of the features, in their order, and their names; and what is left
 * out, and why. */
em_status emi_csv_table_end(emi_csv_table *t, em_data *data, em_error *err);

/* A cell as UTF-8, without its quotes' doubling; NULL: no memory. */
char *emi_cell_text(const emi_cell *cell, int *latin1);

void emi_csv_table_free(emi_csv_table *t); /* accepts the zeroed */

#endif
