/* A table of numbers, wherever it lies.  A reader (one file per format) opens a file and
 * leaves an em_data whose `source` knows how to hand out rows as doubles. */
#ifndef EMI_DATA_DATA_H
#define EMI_DATA_DATA_H

#include "base/error.h"

/* How rows come out of a source. */
typedef struct emi_source {
    /* REQUIRED.  Rows first .. first + count - 1 as doubles, into out[count * data->columns], columns
     * in the order of data->pick.  May be called by several threads at once.  Values are handed
     * out as they are, finite or not. */
    em_status (*read)(const em_data *data, size_t first, size_t count, double *out, em_error *err);
    /* OPTIONAL.  These rows will not be needed soon: their memory may go back to the system. */
    void (*forget)(const em_data *data, size_t first, size_t count);
    /* OPTIONAL.  Row `first` where it lies, when all rows from it on lie there as packed doubles; else NULL. */
    const double *(*in_place)(const em_data *data, size_t first);
    /* With in_place.  The rows that were used there were the file's: an error where it got shorter meanwhile. */
    em_status (*check)(const em_data *data, size_t first, size_t count, em_error *err);
    /* REQUIRED.  Accepts a half-open state. */
    void (*close)(em_data *data);
} emi_source;

struct em_data {
    const emi_source *source;
    void *state;        /* the source's own */
    const char *format; /* "npy", "csv", ... */
    char *name;         /* the path, for messages */
    em_dtype type;
    size_t rows;
    size_t columns; /* after picking */
    size_t *pick;   /* [columns] the file's columns handed out; NULL: all, in order */
};

/* A hint that rows will not be needed soon. */
void emi_data_forget(const em_data *data, size_t first, size_t count);

/* Row `first` where it lies, if it and those after it lie there as packed doubles; NULL: they must be read. */
const double *emi_data_in_place(const em_data *data, size_t first);

/* To be asked when rows have been used in place: an error where their file got shorter meanwhile. */
em_status emi_data_check(const em_data *data, size_t first, size_t count, em_error *err);

/* The error that names the first non-finite value among rows[count * columns], which are rows
 * first .. of the table; EM_OK when all are finite. */
em_status emi_data_check_finite(const em_data *data, size_t first, size_t count, const double *rows, em_error *err);

size_t emi_dtype_size(em_dtype type);

#endif
