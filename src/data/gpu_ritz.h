/* The small problem of block Lanczos, on the host: T = B' C B of a basis B that lies elsewhere, what its eigenpairs say, and when to
 * look at them.
 *
 * A Ritz pair's residual is the length of beta v, v the end of its eigenvector of T and beta the link to the next block (Golub and
 * Underwood, Mathematical Software III, 1977), so that no product is needed to know it. */
#ifndef EMI_DATA_GPU_RITZ_H
#define EMI_DATA_GPU_RITZ_H

#include "base/error.h"

#include <stddef.h>

typedef struct emi_gpu_ritz {
    size_t b, room, pairs;    /* columns of a block, of T at most; pairs that are found                      */
    double *T, *beta;         /* its upper triangle; (b, b)                                                  */
    double *values, *vectors; /* (pairs), (n, pairs), when they were found last                              */
    double *work;             /* (room, room)                                                                */
    double tolerance, before; /* that the residual shall have, and what it was at the last look              */
    size_t since, next;       /* so many steps ago; so many steps to the next one                            */
    double seconds;           /* the last look took; 0: there was none                                       */
} emi_gpu_ritz;

em_status emi_gpu_ritz_open(emi_gpu_ritz *r, size_t b, size_t room, size_t pairs, double tolerance, em_error *err);
void emi_gpu_ritz_close(emi_gpu_ritz *r); /* accepts the zeroed */

/* The columns of T that belong to the last block of n columns: H (n, b). */
void emi_gpu_ritz_take(emi_gpu_ritz *r, size_t n, const double *H);

/* The largest of n entries of T's diagonal. */
double emi_gpu_ritz_largest(const emi_gpu_ritz *r, size_t n);

/* beta = second first, both upper triangles; NULL: first alone. */
void emi_gpu_ritz_link(emi_gpu_ritz *r, const double *first, const double *second);

/* The eigenpairs of n columns of T. */
em_status emi_gpu_ritz_solve(emi_gpu_ritz *r, size_t n, em_error *err);

/* The residual of pair k of those. */
double emi_gpu_ritz_residual(const emi_gpu_ritz *r, size_t n, size_t k);

/* These, and are the first `wanted` within the tolerance, each relative to its eigenvalue?  Else `next` says when to look again. */
em_status emi_gpu_ritz_look(emi_gpu_ritz *r, size_t n, size_t wanted, int *enough, em_error *err);

/* May the next step be taken, which takes so long, while the host looks whether it is needed? */
int emi_gpu_ritz_goes_on(const emi_gpu_ritz *r, double step_seconds);

/* Will two digits do? */
int emi_gpu_ritz_is_rough(const emi_gpu_ritz *r);

#endif
