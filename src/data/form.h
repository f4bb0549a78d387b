/* Forming the matrix of all products of some vectors: of the features, a covariance; or of the rows, a Gram matrix. */
#ifndef EMI_DATA_FORM_H
#define EMI_DATA_FORM_H

#include "data/operator.h"

/* Vectors first .. first + count - 1, of n numbers each, as linalg/outer.h wants them; where they lie across, `stride` numbers
 * after each other.  `room`: doubles, as many as there are numbers, or a row has. */
typedef em_status emi_vectors_fn(const emi_operator *C, size_t first, size_t count, void *out, size_t stride,
                                 double *room, em_error *err);

typedef struct emi_vectors {
    int n;
    size_t count;
    int across;
    emi_vectors_fn *read;
} emi_vectors;

/* (M/N) times their sum of v v', n x n, both triangles; the caller's to free.  Needs emi_form_needs(n, d) of scratch. */
em_status emi_form(const emi_operator *C, const emi_vectors *v, double **out, emi_scratch scratch, em_error *err);
size_t emi_form_needs(int n, int d);
size_t emi_gram_needs(int n, int d); /* of n rows: for forming, and for coming back */

/* Floating-point operations of forming C_i. */
double emi_form_cost(double rows, int d);

/* Doubles that it takes for a while beside the matrix and the scratch. */
double emi_form_memory(double n, int threads);

#endif
