/* Independent truth for a PCA: pooled rows, LAPACK, and no code of the library. */
#ifndef TESTS_SUPPORT_TRUTH_H
#define TESTS_SUPPORT_TRUTH_H

#include <stddef.h>

/* Covariance of rows[N * d] (row-major) divided by N, its eigenvalues falling and unit eigenvectors: q_k is
 * vectors[k * d .. ].  values[d], vectors[d * d]. */
void truth_pca(const double *rows, size_t N, int d, double *values, double *vectors);

/* sin^2 of the angle between x and the unit vector q. */
double truth_sin2(const double *x, const double *q, int d);

/* Gaussian rows with the given covariance eigenvalues, around a mean that is not zero; drawn by a generator of the
 * tests' own.  Caller frees. */
double *truth_rows(size_t N, int d, const double *spectrum, unsigned seed);

#endif
