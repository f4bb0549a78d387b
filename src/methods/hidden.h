/* A start that is somebody's answer spans, nearly, an invariant subspace, and has no residual: that does not make it the leading
 * one.  Rows that came since may have brought a direction that is orthogonal to it and larger than its last.  What could have met
 * that direction is the random columns beside the answer, and how well they would show it can be said.
 *
 * Let w be a unit eigenvector of C with eigenvalue lambda, B an orthonormal basis, T = B' C B, and R = C B - B T.  Then
 *
 *     (lambda - T) B' w = R' w,    so that    |w' r| <= || R (lambda - T)^-1 B' r ||   for every r of B's span,
 *
 * and where r is a random unit vector of d dimensions, that |w' r| is no more than g has a chance of at most g sqrt(2 d / pi).  All
 * columns r that are random would have to miss w alike: their chances multiply.  (J. L. M. van Dorsselaer, M. E. Hochstenbach and
 * H. A. van der Vorst, "Computing probabilistic bounds for extreme eigenvalues of symmetric matrices with the Lanczos method",
 * SIAM J. Matrix Analysis 22, 2000, have it for one vector; here B may have come about in any way.) */
#ifndef EMI_METHODS_HIDDEN_H
#define EMI_METHODS_HIDDEN_H

#include "linalg/ritz.h"

/* The chance that C has an eigenvalue of `lambda` or more whose vector is none of the first `found` Ritz vectors', and that all
 * `count` random columns of B, from the column `first` on, would not have shown it.  Nothing may be locked; lambda is larger than
 * the Ritz values after those. */
em_status emi_hidden_chance(const emi_ritz_space *r, int first, int count, int found, double lambda, double *chance,
                            em_error *err);

#endif
