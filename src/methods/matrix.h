/* Eigenpairs of a matrix at hand, for methods that form one. */
#ifndef EMI_METHODS_MATRIX_H
#define EMI_METHODS_MATRIX_H

#include "run/solver.h"

/* The `wanted` largest eigenvalues of the symmetric n x n matrix A, falling, and unit eigenvectors (n, wanted).  A may be
 * destroyed.  Few of many are found by Lanczos, the rest by LAPACK; either way to all digits. */
em_status emi_top_of_matrix(const emi_solver *s, int n, double *A, int wanted, double *values, double *vectors,
                            em_error *err);

/* As many of these eigenvalues as explain the fraction that was asked for; or K, where it was K. */
int emi_components_of(const emi_solver *s, const double *values);

/* What the first `found` of n eigenvalues say of those after the K that are the answer; the next may be off by `doubt`. */
void emi_keep_rest(emi_solver *s, const double *values, int K, int found, int n, double doubt);

/* The answer from the other side: with fewer rows than features on a network of one node, Y Y' is the smaller matrix, and
 * Y' u an eigenvector of C where u is one of it. */
em_status emi_gram_solve(emi_solver *s, em_error *err);

#endif
