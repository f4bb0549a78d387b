/* Products with a covariance that is never formed: Z = (M/N) Y' (Y X), from a node's rows. */
#ifndef EMI_DATA_BY_ROWS_H
#define EMI_DATA_BY_ROWS_H

#include "data/covariance.h"

/* Z = C_i X, in the operator's precision, summed in double. */
em_status emi_by_rows_apply(const emi_cov *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err);

/* Scores Y X of all rows, row by row, into doubles, or floats where `real` is single; C's weight does not matter. */
em_status emi_by_rows_scores(const emi_cov *C, emi_real real, emi_block X, void *scores, emi_scratch scratch,
                             em_error *err);

#endif
