/* Products with a covariance that is never formed: Z = (M/N) Y' (Y X), from a node's rows. */
#ifndef EMI_DATA_BY_ROWS_H
#define EMI_DATA_BY_ROWS_H

#include "data/operator.h"

/* As the operator has them: for kinds that do not multiply otherwise. */
double emi_by_rows_cost(double rows, int d, int K);
em_status emi_by_rows_apply(const emi_operator *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err);
em_status emi_by_rows_measure(const emi_operator *C, emi_block X, double *out, emi_scratch scratch, em_error *err);

/* Scratch of products with K columns, and of scores. */
size_t emi_by_rows_needs(int d, int K);

/* Scores Y X of all rows, row by row, into doubles, or floats where `real` is single; C's weight does not matter. */
em_status emi_by_rows_scores(const emi_operator *C, emi_real real, emi_block X, void *scores, emi_scratch scratch,
                             em_error *err);

#endif
