/* What residuals say of angles: the numbers behind a certificate. */
#ifndef EMI_MODEL_BOUNDS_H
#define EMI_MODEL_BOUNDS_H

#include "model/certificate.h"

typedef struct emi_bounds {
    const emi_evidence *e;
    int K, splits;       /* how many leading components may be taken out of the problem, at most */
    double *square;      /* [K] ||R_k||^2                                               */
    double *G;           /* (K, K) X' R                                                 */
    double *along;       /* (K + 1, K) sum of G_ik^2 over i < m                          */
    double *error;       /* [K + 1] ||E||^2 of the first m                              */
    double *spread;      /* [K] s . |x_k|                                               */
    double *shift;       /* [K] what the mean may be off by along x_k                   */
    double shift_in_all; /* and in all                                                  */
    double *spread_of;   /* [K + 1] sum of the squares of the first m of these          */
    double *left;        /* [K + 1] sum of s_f^2 outside the first m                    */
    double *tail;        /* (K, K) residuals from the k-th on, outside the first m      */
    double *unexplained; /* [K + 1] variance outside the first m                        */
    double *numbers;     /* all of these                                                */
    int knows_next;      /* the eigenvalue after the K-th                               */
} emi_bounds;

/* Of the evidence, whose CX becomes R and whose `next` is filled in where it is not known. */
em_status emi_bounds_find(emi_bounds *b, emi_evidence *e, em_error *err);
void emi_bounds_free(emi_bounds *b);

/* Rounding in C x_k, outside the first m components. */
double emi_noise(const emi_bounds *b, int k, int m);

/* What may be wrong with component k outside the first m. */
double emi_residual_outside(const emi_bounds *b, int k, int m);

/* The bound of the head of certificate.h, for the subspace of components first .. last, by the best m; at most 1. */
double emi_bound(const emi_bounds *b, int first, int last);

#endif
