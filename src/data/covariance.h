/* A node's covariance C_i = (M/N) sum_{y in i} (y - mu)(y - mu)', as an operator. */
#ifndef EMI_DATA_COVARIANCE_H
#define EMI_DATA_COVARIANCE_H

#include "data/parts.h"
#include "data/standard.h"

typedef struct emi_cov {
    int d;
    double weight; /* M / N */
    const emi_shard *shard;
    const emi_standard *standard;
    emi_real real;              /* precision of products with the rows, and of what is summed to form it */
    double *dense;              /* [d * d], both triangles; NULL: not formed             */
    double *gram;               /* [rows * rows] Y Y', both triangles; NULL: not formed             */
    double *packed;             /* [rows * d] Y beside it, where rows do not lie so that some features can be read */
    size_t every;               /* products are of one block of rows in so many: a sample; 0: of all */
    int by_rows;                /* products with the data even where it is formed        */
    const emi_helpers *helpers; /* threads that may help with the rows; NULL: none */
} emi_cov;

/* Are products made with the covariance, and not with the data? */
int emi_cov_is_dense(const emi_cov *C);

/* Floating-point operations of forming C_i, and of one product with a d x K block either way. */
double emi_cov_form_cost(size_t rows, int d);
double emi_cov_apply_cost(const emi_cov *C, int K);
double emi_cov_dense_cost(int d, int K);
double emi_cov_implicit_cost(size_t rows, int d, int K);

/* Form C_i, which makes the operator dense; or Y Y', the same from the other side.  Scratch as in data/form.h. */
em_status emi_cov_form(emi_cov *C, emi_scratch scratch, em_error *err);
em_status emi_gram_form(emi_cov *C, emi_scratch scratch, em_error *err);

/* X = Y' U for vectors U of the other side. */
em_status emi_gram_lift(const emi_cov *C, emi_block U, emi_block X, emi_scratch scratch, em_error *err);

/* Z = C_i X, d x K.  Needs emi_cov_apply_needs(d, K) of scratch; products with rows make do with emi_cov_apply_needs(d, 1). */
em_status emi_cov_apply(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err);
size_t emi_cov_apply_needs(int d, int K);

/* From the rows, whatever is formed: C_i X, and after it x_k' C_i x_k of each column as a sum of squares of scores, which
 * rounding spoils least.  out[(d + 1) K]. */
em_status emi_cov_measure(const emi_cov *C, emi_block X, double *out, emi_scratch scratch, em_error *err);

void emi_cov_free(emi_cov *C); /* accepts the zeroed */

#endif
