/* Writing a table, a block of rows at a time.  The name chooses the format: .npy, .csv, .tsv, .idx, .h5[:/path],
 * raw:TYPE:file, or a .gz of .npy, .csv, .tsv, .idx; "-" is CSV on standard output.  The file appears, whole, at
 * lab_writer_close; lab_writer_discard leaves nothing. */
#ifndef LAB_TABLES_WRITER_H
#define LAB_TABLES_WRITER_H

#include "base/error.h"
#include "base/output.h"

typedef struct lab_writer lab_writer;

em_status lab_writer_open(lab_writer **out, const char *path, em_dtype type, size_t rows, size_t columns,
                          em_error *err);

/* Names of the columns, before the first row: the first line of a text; other formats have no place for them. */
em_status lab_writer_header(lab_writer *writer, const char *const *names, em_error *err);
em_status lab_writer_rows(lab_writer *writer, const double *values, size_t rows, em_error *err);
em_status lab_writer_close(lab_writer **handle, em_error *err);
void lab_writer_discard(lab_writer **handle);

/* The type of numbers of this name, of those that a file can be written of; non-zero: there is none. */
int lab_dtype_named(const char *name, em_dtype *out);

/* ---- for those who write a format ---------------------------------------------------------------------- */

typedef struct lab_format {
    em_status (*begin)(lab_writer *writer, em_error *err); /* OPTIONAL: what comes before the rows */
    em_status (*rows)(lab_writer *writer, const double *values, size_t rows, em_error *err);
    em_status (*end)(lab_writer *writer, em_error *err); /* OPTIONAL: what comes after them */
    void (*close)(lab_writer *writer);                   /* OPTIONAL: release writer->state; accepts NULL there */
} lab_format;

struct lab_writer {
    const lab_format *format;
    char *path;        /* owned: where the output goes */
    const char *inner; /* the dataset inside an HDF5 file */
    em_dtype type;
    size_t rows, columns, written;
    char separator; /* of text */
    int swapped;    /* numbers in the byte order that is not this machine's */
    emi_output *output;
    void *gz;              /* zlib's stream on top of the output; NULL: plain */
    unsigned char *buffer; /* one row of encoded numbers, or text */
    size_t buffer_size;
    void *state; /* the format's own */
};

/* Bytes to the file, through gzip where the name says so; a full disk is noticed here or at the end. */
em_status lab_writer_put(lab_writer *writer, const void *bytes, size_t count, em_error *err);

/* A row as numbers of the writer's type, into its buffer; an error that names the first one that does not fit. */
em_status lab_writer_encode(lab_writer *writer, const double *row, size_t number, em_error *err);

extern const lab_format lab_format_hdf5;

#endif
