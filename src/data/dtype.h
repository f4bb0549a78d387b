/* The kinds of number that files hold: one table for readers and writers. */
#ifndef EMI_DATA_DTYPE_H
#define EMI_DATA_DTYPE_H

#include "base/error.h"

typedef struct emi_dtype {
    const char *name;       /* "f32", in raw:f32:D:file */
    const char *descr;      /* NumPy's, of this machine's byte order: "<f4" */
    size_t size;            /* bytes */
    char kind;              /* NumPy's letter: f, i, u, b */
    int idx_code;           /* IDX's type byte; 0: it has none */
    double lowest, highest; /* finite numbers it holds */
    void (*load)(const unsigned char *from, ptrdiff_t stride, size_t count, double *out);
    void (*store)(double value, unsigned char *out);
} emi_dtype;

const emi_dtype *emi_dtype_of(em_dtype type);
int emi_dtype_named(const char *name, size_t length, em_dtype *out); /* non-zero: no such name */
int emi_dtype_numpy(char kind, size_t size, em_dtype *out);          /* non-zero: not a number we read */
int emi_dtype_idx(int code, em_dtype *out);                          /* non-zero: no such code */

/* Numbers of `type`, `stride` bytes apart, to doubles; swapped: of the other byte order. */
void emi_decode(em_dtype type, int swapped, const unsigned char *from, ptrdiff_t stride, size_t count, double *out);

/* Doubles to packed numbers; the index of the first one that `type` cannot hold, or count.  A type of whole numbers
 * holds no fractions; one of floating point rounds, and holds no finite number beyond its largest. */
size_t emi_encode(em_dtype type, int swapped, const double *from, size_t count, unsigned char *out);

int emi_little_endian(void);

#endif
