/* How many cores one BLAS call may use.  The library knows one number for the whole process, so that whoever runs BLAS
 * claims it for as long as that takes.  Claims nest and overlap, in one thread or in several: while any is held, the
 * number is the smallest that a holder asked for, so that a claim of 1 is kept whatever else runs.  What the process had
 * before the first claim comes back with the last release. */
#ifndef EMI_LINALG_BLAS_H
#define EMI_LINALG_BLAS_H

void emi_blas_claim(int threads);   /* 1 or more */
void emi_blas_release(int threads); /* the same number as was claimed */

#endif
