/* The BLAS library that this process runs with, and how many cores one call of it may use.  The library knows one number for
 * the whole process, so that whoever runs BLAS claims it for as long as that takes.  Claims nest and overlap, in one thread
 * or in several: while any is held, the number is the smallest that a holder asked for, so that a claim of 1 is kept
 * whatever else runs.  What the process had before the first claim comes back with the last release. */
#ifndef EMI_LINALG_BLAS_H
#define EMI_LINALG_BLAS_H

void emi_blas_claim(int threads);   /* 1 or more */
void emi_blas_release(int threads); /* the same number as was claimed */

/* The file that has cblas_dgemm, NULL where that cannot be told; and a symbol of that very library, or of those it is made
 * of, NULL where there is none: another BLAS in this process is another's. */
const char *emi_blas_file(void);
void *emi_blas_symbol(const char *name);

/* For a while, another number than the one that was claimed: larger ones pay for large eigenproblems alone, since threads that
 * BLAS has woken get in the way of ours for some time after. */
void emi_blas_exchange(int from, int to);

#endif
