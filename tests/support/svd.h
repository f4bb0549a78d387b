/* The principal components of a table to more digits than double has: the truth for claims about doubles. */
#ifndef TESTS_SUPPORT_SVD_H
#define TESTS_SUPPORT_SVD_H

#include <stddef.h>

typedef struct svd {
    int count, d;         /* pairs: the smaller of N and d                                          */
    long double *sigma;   /* [count] singular values of the centred rows, falling                    */
    long double *vectors; /* [count][d] right singular vectors; where sigma is 0, of no meaning      */
    double offset;        /* sqrt(N) ||mean||: what centring had to take off                         */
} svd;

/* Of rows[N * d], row-major, centred by their mean: one-sided Jacobi in long double, which keeps the digits of small
 * values beside large ones. */
svd svd_of_rows(const double *rows, size_t N, int d);
void svd_free(svd *s);

/* sin of the angle between x and the k-th vector. */
double svd_sine(const svd *s, const double *x, int k);

/* sin of the largest angle between the span of count orthonormal vectors X[count][d] and that of vectors first ... */
double svd_sine_of_span(const svd *s, const double *X, int first, int count);

/* How far the span of vectors first .. last may itself be off, as a sine; 1 or more: it is not determined. */
double svd_own_error(const svd *s, int first, int last);

/* ||C x - theta x||, C being the covariance, divided by N, that s is the decomposition of. */
double svd_residual(const svd *s, const double *x, double theta, size_t N);

#endif
