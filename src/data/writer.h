/* Writers: a table to a file, a block of rows at a time; one emi_format per format. */
#ifndef EMI_DATA_WRITER_H
#define EMI_DATA_WRITER_H

#include "base/error.h"

typedef struct emi_format {
    em_status (*begin)(em_writer *writer, em_error *err); /* OPTIONAL: what comes before the rows */
    em_status (*rows)(em_writer *writer, const double *values, size_t rows, em_error *err);
    em_status (*end)(em_writer *writer, em_error *err); /* OPTIONAL: what comes after them */
    void (*close)(em_writer *writer);                   /* OPTIONAL: release writer->state; accepts NULL there */
} emi_format;

struct em_writer {
    const emi_format *format;
    char *path;        /* owned: where the output goes */
    const char *inner; /* the dataset inside an HDF5 file */
    em_dtype type;
    size_t rows, columns, written;
    char separator; /* of text */
    int swapped;    /* numbers in the byte order that is not this machine's */
    em_output *output;
    void *gz;              /* zlib's stream on top of the output; NULL: plain */
    unsigned char *buffer; /* one row of encoded numbers, or text */
    size_t buffer_size;
    void *state; /* the format's own */
};

/* Bytes to the file, through gzip where the name says so; a full disk is noticed here or at the end. */
em_status emi_writer_put(em_writer *writer, const void *bytes, size_t count, em_error *err);

/* A row as numbers of the writer's type, into its buffer; an error that names the first one that does not fit. */
em_status emi_writer_encode(em_writer *writer, const double *row, size_t number, em_error *err);

extern const emi_format emi_format_hdf5;

#endif
