/* How far an answer can be trusted, from the answer and C times it alone, whatever the method believed.
 *
 * With R_k = C x_k - theta_k x_k, the sine of the angle between x_k and its eigenvector is at most ||R_k|| / gap_k, the gap
 * being theta_k's distance to the nearest other eigenvalue (Davis and Kahan, SIAM J. Numerical Analysis 7, 1970).  Where the
 * first m components are known much better than the others need, and are much larger, the same holds of what is left of
 * the problem without them, plus what their own error E does to the rest:
 *
 *     ||(I - X_m X_m') R_k|| / gap_k  +  (||X_m' R_k|| + ||E||) / (theta_m - theta_k)  +  ||E||^2 / ((theta_m - theta_k) gap_k)
 *
 * The best m is taken.  What rounding may hide (data/rounding.h) is added to every residual. */
#ifndef EMI_MODEL_CERTIFICATE_H
#define EMI_MODEL_CERTIFICATE_H

#include "data/rounding.h"
#include "linalg/block.h"

/* What is known. */
typedef struct emi_evidence {
    emi_block X;           /* (d, K) unit columns, by falling theta                                    */
    emi_block CX;          /* (d, K) C times them; becomes R                                           */
    const double *lengths; /* [K] of R, instead of CX, where they are estimated; or NULL               */
    const double *theta;   /* [K] x_k' C x_k                                                           */
    double next, beyond;   /* the eigenvalue after the K-th, and how far it may lie above; NaN: unknown */
    double variance;       /* trace(C)                                                                 */
    int rank;              /* at most: no more rows or features                                        */
    double tolerance;      /* on the residual; 0: none                                                 */
    int from_formed;       /* X comes from formed covariances                                          */
    int final;             /* there is no other way, which may know more                               */
    emi_rounding rounding; /* of CX                                                                    */
} emi_evidence;

/* What follows: told to everyone, so in doubles. */
typedef struct emi_tally {
    double open;     /* the last ones cannot be told apart from those after the K-th                   */
    double has;      /* components with variance of their own: the first so many                        */
    double limited;  /* of these, those above the tolerance where rounding forbids more                 */
    double unknown;  /* of these, those that rounding leaves undetermined                              */
    double short_of; /* of these, those above the tolerance for want of iterations                      */
    double missed;   /* an eigenvalue larger than the last one found is not among those found            */
} emi_tally;

typedef struct emi_verdict {
    double *residual; /* [K] ||R_k|| / theta_k                                                          */
    double *angle;    /* [K] bound on the sine of the angle to the true eigenvector, at most 1         */
    double *cluster;  /* [K] the first of those whose eigenvalues cannot be told apart                  */
    double *together; /* [K] bound on the sine of the largest angle of the cluster's subspace           */
    emi_tally n;
    double hidden; /* components whose last digits, as the tolerance has them, rounding may hide            */
} emi_verdict;

/* `out`'s arrays are the caller's. */
em_status emi_certify(emi_evidence *evidence, emi_verdict *out, em_error *err);

#endif
