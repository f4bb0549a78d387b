/* Sums over many rows, in parts of a fixed size that threads may share: each part is summed by itself and the parts are
 * added in order, so that the result depends on their number alone, not on who did which part. */
#ifndef EMI_DATA_PARTS_H
#define EMI_DATA_PARTS_H

#include "base/pool.h"
#include "linalg/block.h"

/* Threads that are free to help, and scratch for each of them. */
typedef struct emi_helpers {
    emi_pool *pool;
    emi_scratch *scratch;
} emi_helpers;

/* The sum over rows first .. first + count - 1, into sum[size], whatever was there. */
typedef em_status emi_part_fn(void *context, size_t first, size_t count, double *sum, emi_scratch scratch,
                              em_error *err);

/* How many rows, and how many numbers each has. */
typedef struct emi_extent {
    size_t count, width;
} emi_extent;

/* The sum over all rows, into sum[size].  Without a helpers the calling thread does it all with its own scratch. */
em_status emi_sum_parts(emi_extent rows, double *sum, size_t size, emi_part_fn *part, void *context,
                        const emi_helpers *helpers, emi_scratch scratch, em_error *err);

/* The same, where parts are not added: `more`, of the rows that follow, goes into what was found of those before. */
typedef void emi_merge_fn(double *found, const double *more, size_t size);
em_status emi_gather_parts(emi_extent rows, double *found, size_t size, emi_part_fn *part, emi_merge_fn *merge,
                           void *context, const emi_helpers *helpers, emi_scratch scratch, em_error *err);

#endif
