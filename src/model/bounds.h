/* The numbers behind a certificate, and the bounds on angles that follow from them: see certificate.h. */
#ifndef EMI_MODEL_BOUNDS_H
#define EMI_MODEL_BOUNDS_H

#include "model/certificate.h"

/* What residuals say of angles: the numbers behind a certificate. */
typedef struct emi_bounds {
    const emi_evidence *e;
    int K, splits;       /* how many leading components may be taken out of the problem, at most */
    double *G;           /* (K, K) X' R; NULL where R is estimated                      */
    double *along;       /* (splits + 1, K) sum of G_ik^2 over i < m                     */
    double *tail;        /* (K, splits + 1) residuals from the k-th on, outside the first m */
    double *square;      /* [K] ||R_k||^2                                               */
    double *spread;      /* [K] s . |x_k|                                               */
    double *shift;       /* [K] what the mean may be off by along x_k                   */
    double *error;       /* [K + 1] ||E||^2 of the first m                              */
    double *spread_of;   /* [K + 1] sum of the squares of the spreads of the first m    */
    double *left;        /* [K + 1] sum of s_f^2 outside the first m                    */
    double *unexplained; /* [K + 1] variance outside the first m                        */
    double shift_in_all; /* what the mean may be off by in all                          */
    int knows_next;      /* the eigenvalue after the K-th                               */
} emi_bounds;

/* e's CX becomes R; where the next eigenvalue is not known, the most that it can be takes its place. */
em_status emi_bounds_find(emi_bounds *b, emi_evidence *e, em_error *err);
void emi_bounds_free(emi_bounds *b); /* accepts the zeroed and the half-built */

/* Outside the first m components: what rounding may hide in R_k; and R_k's length, with that. */
double emi_noise_of(const emi_bounds *b, int k, int m);
double emi_residual_outside(const emi_bounds *b, int k, int m);

/* On the sine of the largest angle of components first .. last to their subspace: the best of all m. */
double emi_bound_of(const emi_bounds *b, int first, int last);

#endif
