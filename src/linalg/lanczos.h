/* The largest eigenvalue of a symmetric positive semidefinite operator. */
#ifndef EMI_LINALG_LANCZOS_H
#define EMI_LINALG_LANCZOS_H

#include "base/error.h"

/* z = A v, vectors of length d. */
typedef em_status emi_product_fn(void *context, const double *v, double *z, em_error *err);

/* Lanczos with full reorthogonalisation from a fixed start, until the Ritz value is known to `tolerance`
 * relative, or d steps, or a step limit that no covariance has been seen to need. */
em_status emi_largest_eigenvalue(emi_product_fn *apply, void *context, int d, double tolerance, double *value,
                                 double *doubt, em_error *err);

#endif
