/* What preprocessing needs to know of a shard: sums over its rows, a block at a time. */
#ifndef EMI_DATA_MOMENTS_H
#define EMI_DATA_MOMENTS_H

#include "data/parts.h"
#include "data/standard.h"

/* Of every column of the raw rows: the sum, how many values are missing, the largest value and the largest of the negated
 * ones, into found[EMI_SURVEY * d], each for all columns.  With the help of a helpers, if there is one.  Also where non-finite
 * values are found.  With `factor`, powers of two, the rows are multiplied by it first: sums of values that large overflow. */
enum emi_survey_column { EMI_SUM, EMI_MISSING, EMI_HIGHEST, EMI_LOWEST, EMI_SURVEY };

em_status emi_survey(const emi_shard *shard, const double *factor, double *found, const emi_helpers *helpers,
                     emi_scratch scratch, em_error *err);

/* Column sums of squares of the standardised rows, into sum[d]. */
em_status emi_sum_squares(const emi_standard *standard, const emi_shard *shard, double *sum, const emi_helpers *helpers,
                          emi_scratch scratch, em_error *err);

/* Scratch that either of the two needs. */
size_t emi_moments_needs(int d);

#endif
