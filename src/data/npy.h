/* The .npy header (NumPy Enhancement Proposal 1; numpy.lib.format), read and written.  Shared by the
 * reader, the writer and the model file. */
#ifndef EMI_DATA_NPY_H
#define EMI_DATA_NPY_H

#include "data/strided.h"

enum { EMI_NPY_MAX_DIMS = 8, EMI_NPY_PREFIX = 12, EMI_NPY_MAX_HEADER = 65536 };

typedef struct emi_npy {
    enum { EMI_NPY_NUMBER, EMI_NPY_UNICODE } kind;
    em_dtype type;    /* of a number */
    size_t item_size; /* bytes an element takes */
    int swapped;      /* the file's byte order is not this machine's */
    int fortran_order;
    int dims; /* 0 for a scalar */
    size_t shape[EMI_NPY_MAX_DIMS];
    size_t count;       /* product of shape, checked */
    size_t payload;     /* count * item_size, checked */
    size_t data_offset; /* where the payload begins */
} emi_npy;

/* Read and parse prefix and header: an error where it is no .npy, or claims a header over EMI_NPY_MAX_HEADER.  Every size is
 * checked for overflow. */
em_status emi_npy_read_header(emi_input *input, const char *name, emi_npy *header, em_error *err);

/* Write prefix and header (version 1.0, C order, 64-byte aligned, this machine's byte order made
 * explicit) for the dtype text `descr` ("<f8", "<U12"), into out; returns its size.  `out` has room
 * for 256 bytes. */
size_t emi_npy_format(char *out, const char *descr, int dims, const size_t *shape);

/* Where the numbers of such an array lie: the first dimension is rows; the others together are columns, in the order of
 * the array.  An error where it is no table. */
em_status emi_npy_layout(const emi_npy *header, const char *name, emi_layout *layout, em_error *err);

/* "<f8" for EM_F64 and so on. */
const char *emi_npy_descr(em_dtype type);

#endif
