/* A table of numbers, wherever it lies.  A reader (one file per format) opens a file and
 * leaves an em_data whose `source` knows how to hand out rows as doubles. */
#ifndef EMI_DATA_DATA_H
#define EMI_DATA_DATA_H

#include "base/error.h"

struct emi_row_kind;

/* How rows come out of a source. */
typedef struct emi_source {
    /* REQUIRED.  Rows first .. first + count - 1 as doubles, into out[count * data->columns], columns
     * in the order of data->pick.  May be called by several threads at once.  Values are handed
     * out as they are, finite or not. */
    em_status (*read)(const em_data *data, size_t first, size_t count, double *out, em_error *err);
    /* OPTIONAL.  These rows will not be needed soon: their memory may go back to the system. */
    void (*forget)(const em_data *data, size_t first, size_t count);
    /* OPTIONAL.  Row `first` where it lies, when all rows from it on lie there packed, as numbers of data->type; else NULL. */
    const void *(*in_place)(const em_data *data, size_t first);
    /* With in_place.  The rows that were used there were the file's: an error where it got shorter meanwhile. */
    em_status (*check)(const em_data *data, size_t first, size_t count, em_error *err);
    /* OPTIONAL.  data->columns and data->pick were set, once, before any row is asked for. */
    em_status (*pick)(em_data *data, em_error *err);
    /* REQUIRED.  Accepts a half-open state. */
    void (*close)(em_data *data);
    /* OPTIONAL.  How rows are gone through that are no packed numbers: see data/row_kind.h. */
    const struct emi_row_kind *rows;
} emi_source;

struct em_data {
    const emi_source *source;
    void *state;        /* the source's own */
    const char *format; /* "npy", "csv", ... */
    char *name;         /* the path, for messages */
    em_dtype type;
    size_t rows;
    size_t columns; /* after picking */
    size_t *pick;   /* [columns] the source's columns handed out; NULL: all, in order */
    char **names;   /* [columns] what they are called; NULL: nothing */

    /* Missing values.  What is left out is only what `rows` and those who ask for rows see: the source has them all. */
    size_t *kept;   /* [rows] the source's rows handed out; NULL: all */
    size_t dropped; /* rows that are not */
    int holes;      /* NaN stands for a value that is missing, and is not an error; of genotypes always */

    em_left_out *left_out; /* [left_out_count] */
    size_t left_out_count;
    char remarks[400];
    char *labels;  /* all of them, each with its 0 */
    size_t *label; /* [the source's rows] where each begins; NULL: none */
};

/* Add to what is left out: the file's column, its name (NULL: none) and why. */
em_status emi_leave_out(em_data *data, size_t column, const char *name, em_error *err, const char *why, ...)
    __attribute__((format(printf, 5, 6)));

/* These columns alone, each once, in this order: `pick` is the table's as soon as data->pick is. */
em_status emi_data_pick(em_data *data, size_t *pick, size_t picked, em_error *err);

/* The file's row of a row of the table. */
size_t emi_data_row(const em_data *data, size_t row);

/* Do what is asked about missing values: drop the rows that have one, or let them be. */
em_status emi_data_missing(em_data *data, em_missing what, em_error *err);

/* A hint that rows will not be needed soon. */
void emi_data_forget(const em_data *data, size_t first, size_t count);

/* Row `first` where it lies, if it and those after it lie there packed, as numbers of data->type; NULL: they must be read. */
const void *emi_data_in_place(const em_data *data, size_t first);

/* To be asked when rows have been used in place: an error where their file got shorter meanwhile. */
em_status emi_data_check(const em_data *data, size_t first, size_t count, em_error *err);

/* The error that names the first non-finite value among rows[count * columns], which are rows
 * first .. of the table; EM_OK when all are finite. */
em_status emi_data_check_finite(const em_data *data, size_t first, size_t count, const double *rows, em_error *err);

size_t emi_dtype_size(em_dtype type);

/* Has single precision all digits of these numbers? */
int emi_dtype_is_single(em_dtype type);

#endif
