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

/* The answer, on a network of one node, from a matrix that is not C but has its eigenvalues, and whose eigenvectors are lifted:
 * as Y Y' is, with fewer rows than features. */
em_status emi_solve_other_side(emi_solver *s, em_error *err);

#endif
