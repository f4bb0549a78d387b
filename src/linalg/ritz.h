/* A subspace that grows, with what a symmetric operator C makes of it: Ritz pairs and their residuals.
 *
 * B is orthonormal, A = C B.  Some of the first columns may be locked: eigenvectors, for good, whose eigenvalues the rest of
 * the problem no longer has to hold beside its own. */
#ifndef EMI_LINALG_RITZ_H
#define EMI_LINALG_RITZ_H

#include "linalg/block.h"

typedef struct emi_ritz_space {
    int d, size, room; /* columns of B now, and at most                                             */
    int locked;        /* of these                                                                  */
    double *B, *A;     /* (d, room)                                                                 */
    double *T;         /* (room, room) upper triangle of B' A                                       */
    double *V;         /* eigenvectors of its part that is not locked                               */
    double *theta;     /* [size] eigenvalues: of the locked, then of the others, falling            */
    double *X, *R;     /* (d, room) the Ritz vectors of the first pairs; their residuals            */
    double *norm;      /* [room] the residuals' lengths                                             */
} emi_ritz_space;

/* More room, what is there stays. */
em_status emi_ritz_reserve(emi_ritz_space *r, int room, em_error *err);
void emi_ritz_free(emi_ritz_space *r); /* accepts the zeroed and the half-built */

/* Columns of one of its arrays. */
emi_block emi_ritz_columns(const emi_ritz_space *r, double *v, int first, int count);

/* B <- [B q], A <- [A Cq].  EM_ENUMERIC where a number is not finite. */
em_status emi_ritz_append(emi_ritz_space *r, const double *q, const double *Cq, int count);

/* theta and V. */
em_status emi_ritz_solve(emi_ritz_space *r, em_error *err);

/* X, R and norm of the first `pairs`, those that are not locked.  What of a residual lies along locked vectors is rounding,
 * which the other vectors do not feel: it is left out. */
void emi_ritz_residuals(emi_ritz_space *r, int pairs);

/* B shrinks to the locked columns and the best `keep` Ritz vectors; then B' A is diagonal.  R is scribbled on. */
void emi_ritz_keep(emi_ritz_space *r, int keep);

#endif
