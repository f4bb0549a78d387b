/* A method's vocabulary: each line is one operation at every node that lives here. */
#ifndef EMI_METHODS_STEPS_H
#define EMI_METHODS_STEPS_H

#include "run/solver.h"

/* Do components that have this variance together explain more than the fraction that was asked for? */
int emi_explains_fraction(const emi_solver *s, double variance);

/* Z_i = C_i X_i */
void emi_apply(emi_solver *s, const emi_field *X, emi_field *Z);

/* H_i = C_i X_i - X_i U(X_i' C_i X_i) */
void emi_sanger_direction(emi_solver *s, const emi_field *X, emi_field *H);

/* Z_i = Z_i + a Y_i */
void emi_add_scaled(emi_solver *s, emi_field *Z, double a, const emi_field *Y);

/* Z_i = a (Z_i + Y_i) */
void emi_add_times(emi_solver *s, emi_field *Z, double a, const emi_field *Y);

/* Z_i = qr(Z_i) */
void emi_qr(emi_solver *s, emi_field *Z);

/* Z_i = the orthonormal columns nearest to Z_i */
void emi_nearest_orthonormal(emi_solver *s, emi_field *Z);

/* z_i = (I - X_<k X_<k') z_i */
void emi_deflate(emi_solver *s, int k, emi_field *z);

/* x_i = z_i / ||z_i|| */
void emi_normalise(emi_solver *s, const emi_field *z, emi_field *x);

/* Z = W^times Z, one round each */
void emi_mix_times(emi_solver *s, int times, emi_field *Z, emi_field *work);

/* From a basis B_i and S_i ~ C B_i: X_i = the Ritz vectors, one power step on, and the residual a node sees.
 * Without s->ritz: X_i = B_i. */
void emi_ritz(emi_solver *s, const emi_field *B, const emi_field *S, emi_field *X);

/* theta_ik = x_k' S_ik, for S_i ~ C X_i; of all columns, or of a single one. */
void emi_note_theta(emi_solver *s, const emi_field *X, const emi_field *S);
void emi_note_theta_of(emi_solver *s, int k, const emi_field *x, const emi_field *z);

/* The residual a node sees when S_i ~ C X_i: max_k ||S_ik - theta_k X_ik|| / theta_k.  What rounding forbids to improve
 * counts as nothing. */
void emi_note_residual(emi_solver *s, const emi_field *X, const emi_field *S);

/* What a node's residual does not see: how far S_i still moved in the last round of mixing, `before` being what it was.
 * Where nodes agree it no longer does.  The residual becomes that, where it is larger. */
void emi_note_disagreement(emi_solver *s, const emi_field *S, const emi_field *before);

/* The residual a node sees when S_i tracks Sanger's direction: max_k ||S_ik|| / theta_ik. */
void emi_note_direction(emi_solver *s, const emi_field *S);

/* At the root: room for an answer of so many columns; what it held is gone. */
em_status emi_answer_room(emi_solver *s, int columns, em_error *err);

/* Products with the rows are as good as any that the certificate could make where the last eigenvalue is no smaller part of the first:
 * they are sums of products with larger vectors, whose rounding they have. */
double emi_least_for_products(const emi_solver *s);

/* At the root: the estimate of K components and of their eigenvalues, copies of x (d, K) and theta[K], which may be NULL. */
void emi_keep_answer(emi_solver *s, const double *x, const double *theta, int K);

#endif
