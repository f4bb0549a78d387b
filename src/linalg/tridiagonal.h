/* The tridiagonal matrix that Lanczos makes of a symmetric operator, a row a step, and the two ends of its spectrum. */
#ifndef EMI_LINALG_TRIDIAGONAL_H
#define EMI_LINALG_TRIDIAGONAL_H

#include "base/error.h"

typedef struct emi_tridiagonal {
    int rows, room;
    double *diagonal; /* [rows]                                                  */
    double *beside;   /* [rows] links a row to the one before; beside[0] is none */
} emi_tridiagonal;

em_status emi_tridiagonal_append(emi_tridiagonal *T, double diagonal, double beside, em_error *err);
void emi_tridiagonal_free(emi_tridiagonal *T); /* accepts the zeroed */

typedef struct emi_ends {
    double low, high;
} emi_ends;

/* The smallest and the largest eigenvalue of the leading rows, as many as a younger T had, to the last digits of its
 * size.  By additions, multiplications and divisions alone, which every processor rounds alike: from the same T the same
 * bits anywhere. */
emi_ends emi_tridiagonal_ends(const emi_tridiagonal *T, int rows);

#endif
