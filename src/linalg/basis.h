/* An orthonormal basis that grows. */
#ifndef EMI_LINALG_BASIS_H
#define EMI_LINALG_BASIS_H

#include "linalg/block.h"

/* Make R (d x n) an orthonormal continuation of the orthonormal basis B (d x b): what of R lies outside B's span, as
 * orthonormal columns.  Columns that add nothing, measured against `scale`, are dropped: *kept of them are left. */
em_status emi_extend_basis(emi_block B, emi_block R, double scale, int *kept, em_error *err);

/* All eigenvalues of the symmetric n x n matrix A, falling, and unit eigenvectors in place of it. */
em_status emi_all_eigen(double *A, int n, double *values, em_error *err);

/* The K largest, as emi_top_eigen has them, by the one of the two that is quicker. */
em_status emi_first_eigen(double *A, int n, int K, double *values, double *vectors, em_error *err);

#endif
