/* What preprocessing needs to know of a shard, found in one pass over its rows. */
#ifndef EMI_DATA_MOMENTS_H
#define EMI_DATA_MOMENTS_H

#include "data/parts.h"
#include "data/shards.h"

/* Of every column of the raw rows, each for all columns: found[EMI_SURVEY * d]. */
enum emi_survey_column {
    EMI_COUNT,   /* values that are there: all, but for the missing                    */
    EMI_SUM,     /* of their differences from the origin                               */
    EMI_SQUARES, /* sum of the squares of their differences from their mean            */
    EMI_HIGHEST, /* the largest value; -infinity: there is none                        */
    EMI_LOWEST,  /* the largest of the negated ones                                    */
    EMI_ORIGIN,  /* a value near the others: the mean is this + sum / count             */
    EMI_SURVEY
};

/* With the help of the helpers, if there are any.  Also where non-finite values are found.  With `unit`, powers of two, rows are
 * divided by it first: sums and squares of values that are very large or small are no doubles. */
em_status emi_survey(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                     emi_scratch scratch, em_error *err);

/* Scratch that it needs: ten times d, and more. */
size_t emi_moments_needs(int d);

/* ---- for kinds of rows that have their own: found[EMI_ORIGIN * d], of some of the rows ---------------------------- */

/* Of none. */
void emi_survey_nothing(double *found, size_t d);

/* And of more, from the same origin; an emi_merge_fn. */
void emi_survey_merge(double *found, const double *more, size_t size);

#endif
