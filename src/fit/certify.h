/* The certificate of a job that ran: one estimate for all, its true residuals, and what they bound.  Whatever the method
 * believed, what stands here decides. */
#ifndef EMI_FIT_CERTIFY_H
#define EMI_FIT_CERTIFY_H

#include "fit/run.h"
#include "model/certificate.h"

/* What the root tells beside K numbers of each kind. */
typedef struct emi_said {
    double status; /* of certifying, at the root                                   */
    double closer; /* covariances could not tell: the rows are to be asked         */
    double strict; /* the method has seen that there is nothing left               */
    emi_tally n;
    double rest;           /* the sum of the eigenvalues after the K-th; NaN: unknown        */
    double squares, cubes; /* sums of those of their shares of it; NaN: unknown     */
} emi_said;

typedef struct emi_findings {
    emi_job *job;
    int estimated;   /* residuals are, from a sketch                                 */
    double *lengths; /* [K] of residuals, while they are                             */
    int K, by_rows;  /* products with the rows, where the covariances could not tell */
    emi_field parts; /* (d + 1, K) C_i X, and x_k' C_i x_k                           */
    double *sum;     /* (d + 1, K) of all nodes; at the root                         */
    double *X, *CX;  /* (d, K) in order of falling theta; at the root, where they were or */
    double *moved;   /* (d, 2 K) moved to; or NULL                                   */
    double *told;    /* all that follows, in one piece                               */
    size_t told_count;
    double *order, *theta; /* [K] which column of the estimate each component is, and its eigenvalue */
    emi_verdict verdict;   /* [K] each; its tally is                                                 */
    emi_said *says;
} emi_findings;

/* Collective; counts as report.  nodes: what there is to say of how the nodes stand to the estimate. */
em_status emi_certify_job(emi_findings *f, emi_job *job, em_info *nodes, em_error *err);
void emi_findings_free(emi_findings *f); /* accepts the zeroed */

#endif
