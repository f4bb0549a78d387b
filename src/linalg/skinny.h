/* Products of rows with a few columns, both ways at once: S = Y X and Z += Y' S, in double or in single precision.
 *
 * BLAS is made for matrices that are wide both ways; with some eight columns it reaches half of what the processor can do.
 * Here columns lie in panels of 64 bytes: [panel][d][8 doubles or 16 floats], the last one filled up with zeros.  Rows are
 * packed, d numbers each, and come in multiples of eight, filled up with rows of zeros. */
#ifndef EMI_LINALG_SKINNY_H
#define EMI_LINALG_SKINNY_H

#include "linalg/block.h"

enum { EMI_PANEL_BYTES = 64, EMI_SKINNY_ROWS = 8 };

typedef enum emi_real { EMI_DOUBLE, EMI_SINGLE } emi_real;

size_t emi_real_size(emi_real real);
const char *emi_real_name(emi_real real); /* "double", "single" */

/* Columns of a panel, as many as the processor multiplies at once; and panels that hold so many columns. */
int emi_panel_width(emi_real real);
size_t emi_panels(emi_real real, int columns);

/* A block as panels; and Z = factor times panels that hold doubles, but are as wide as those of `real`. */
void emi_panels_from(emi_real real, emi_block X, void *panels);
void emi_panels_to(emi_real real, double factor, const double *panels, emi_block Z);

/* sums += floats, which become zero: single precision is for short sums. */
void emi_move_sums(float *floats, double *sums, size_t count);

/* Rows that will be wanted next, as many as are multiplied now: memory is asked for them meanwhile. */
typedef struct emi_ahead {
    const char *rows;
    size_t size; /* bytes of a number; 0: nothing is known of them */
} emi_ahead;

/* S = start + Y X, a panel after the other: [panel][count][64 bytes]; or X is NULL, and S is as it is.  Z += Y' S, in panels, or
 * NULL where that is not wanted. */
typedef struct emi_skinny_product {
    emi_real real;
    size_t d, panels;
    const void *X;
    const void *start; /* a row of each panel, or NULL: 0 */
    void *S, *Z;
} emi_skinny_product;

void emi_skinny(const emi_skinny_product *p, const void *Y, size_t count, emi_ahead ahead);

/* sums[k] += the sum of column k of S, over the first `count` of its `rows`. */
void emi_skinny_sums(emi_real real, const void *S, size_t rows, size_t count, int columns, double *sums);

/* The same of its squares; S is in doubles. */
void emi_skinny_squares(const double *S, size_t rows, size_t count, int columns, double *sums);

/* ---- one for each kind of processor, for tests: emi_skinny uses the first that this one can run ------------------ */

typedef void emi_skinny_fn(const emi_skinny_product *p, size_t panel, const void *Y, size_t count, emi_ahead ahead);

typedef struct emi_skinny_kernel {
    const char *name;
    int (*runs)(void);
    emi_skinny_fn *block[2]; /* by emi_real */
} emi_skinny_kernel;

extern const emi_skinny_kernel emi_skinny_kernels[]; /* the last one runs everywhere, and ends with a nameless one */

#endif
