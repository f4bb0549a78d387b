/* What a fit on one node takes, by each of the ways it can go: a model, in seconds of a machine that need not be this one,
 * since only their order matters.  On a network messages decide instead. */
#ifndef EMI_FIT_COST_H
#define EMI_FIT_COST_H

#include "linalg/skinny.h"

typedef struct emi_sizes {
    double rows, features;
    double filled;    /* the share of a row's numbers that is multiplied  */
    int components;   /* wanted                                            */
    int first;        /* columns of Lanczos' first block                   */
    double tolerance; /* 0: to the last digit                              */
    size_t bytes;     /* of a number as it lies in memory                  */
    emi_real real;    /* products are made in                              */
} emi_sizes;

double emi_cost_of_lanczos(const emi_sizes *s);    /* on the rows                                  */
double emi_cost_of_covariance(const emi_sizes *s); /* formed, and its eigenvectors                  */
double emi_cost_of_gram(const emi_sizes *s);       /* the same for the matrix of the rows' products */

#endif
