/* Symmetric products: C += weight (v_1 v_1' + v_2 v_2' + ...), the upper triangle, by one thread or in tiles that threads
 * share.  Every entry is summed by one thread in one order: the bits do not depend on how many there are. */
#ifndef EMI_LINALG_OUTER_H
#define EMI_LINALG_OUTER_H

#include "base/pool.h"
#include "linalg/skinny.h"

typedef struct emi_outer {
    int n;     /* C is n x n                                                                         */
    double *C; /* both triangles' room; the upper one is added to                                    */
    double weight;
    emi_real real; /* of the vectors: products in single precision are summed in double, some at a time  */
    int at_once;   /* vectors in one product in single precision; 0: as many as lose hardly a digit           */
    int large;     /* tiles are large: less work for one thread, and fewer of them to share                          */
    int across;    /* number i of vector r lies at v[i * count + r]; otherwise at v[r * n + i]           */
    const double
        *more;   /* [n] emi_outer_share, in single precision: a vector more, of weight 1, as double; NULL: none */
    float *sums; /* n * n, for single precision: what is not in C yet                                  */
    int held;    /* products in it                                                                     */
} emi_outer;

/* Add `count` vectors, BLAS running on one thread; C is right after the end of all. */
void emi_outer_add(emi_outer *o, const void *v, size_t count);
void emi_outer_end(emi_outer *o);

/* The same in tiles.  Each thread of the pool, which may be NULL, has emi_outer_needs(large) doubles of its own scratch, from
 * `from` on. */
em_status emi_outer_share(const emi_outer *o, const void *v, size_t count, emi_pool *pool, const emi_scratch *scratch,
                          size_t from, em_error *err);
size_t emi_outer_needs(int large);

/* The lower triangle from the upper one. */
void emi_mirror(double *A, int n);

#endif
