/* Moments of rows in memory, and what they should be: sums in long double over all rows. */
#ifndef TESTS_SUPPORT_MOMENTS_H
#define TESTS_SUPPORT_MOMENTS_H

#include <eigenmesh/eigenmesh.h>

/* Rows that are drawn; free them. */
double *moments_rows(size_t count, size_t d, uint64_t seed);

em_data *moments_table(const void *values, em_dtype type, size_t rows, size_t d);
em_moments *moments_create(size_t d);
void moments_add(em_moments *m, const void *values, em_dtype type, size_t rows, size_t d);

/* Weighted, as numpy.cov(rows.T, aweights=weights) divides: by W - sum of squares / W.  weights: NULL: all are 1. */
void moments_truth(const double *rows, const double *weights, size_t count, size_t d, double *mean, double *covariance);

/* Mean and covariance are those, entry by entry, beside the deviations of both features. */
void moments_check(em_moments *m, const double *rows, const double *weights, size_t count, double tolerance);

#endif
