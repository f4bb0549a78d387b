/* What preprocessing needs to know of a shard: sums over its rows, a block at a time. */
#ifndef EMI_DATA_MOMENTS_H
#define EMI_DATA_MOMENTS_H

#include "data/parts.h"
#include "data/shards.h"

/* What is done to a row before anything else sees it: missing values are filled, then (y - mean) * inverse_scale, feature by
 * feature. */
typedef struct emi_standard {
    int d;
    double *mean;          /* [d]; NULL: not centred  */
    double *inverse_scale; /* [d]; NULL: not scaled   */
    const double *fill;    /* [d] what stands for values that are missing; NULL: none are */
    int mean_is_near;      /* the mean is no larger than the spread by far: it may be subtracted after a product */
} emi_standard;

/* Rows of data to convert at a time: about `bytes` of doubles, at least 8 rows. */
size_t emi_rows_at_once(int d, size_t bytes);

/* Rows first .. of the shard, as the solver sees them, into rows[count * d]. */
em_status emi_standard_read(const emi_standard *standard, const emi_shard *shard, size_t first, size_t count,
                            double *rows, em_error *err);

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
