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
    int formed;       /* covariances are there already                     */
    size_t bytes;     /* of a number as it lies in memory                  */
    emi_real real;    /* products are made in                              */
    int gpu;          /* a GPU makes them, and covariances                 */
} emi_sizes;

double emi_cost_of_lanczos(const emi_sizes *s);    /* on the rows                                  */
double emi_cost_of_covariance(const emi_sizes *s); /* formed, and its eigenvectors                  */
double emi_cost_of_gram(const emi_sizes *s);       /* the same for the matrix of the rows' products */

/* On a GPU, where rows lie already or have yet to be sent: is a covariance formed, while they are on their way (or after it, where some
 * of them have holes), in less time than products with them take? */
int emi_forming_there_pays(const emi_sizes *s, int lent, int holes);

/* ---- which device multiplies the rows ------------------------------------------------------------------------------ */

/* So many products with as many columns as components, by a GPU, or by so many threads. */
double emi_cost_of_products(const emi_sizes *s, long products, int gpu, int threads);

/* The rows to a GPU, which this process may have used before. */
double emi_cost_of_sending(const emi_sizes *s, int begun);

#endif
