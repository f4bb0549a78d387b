/* Rows that are not packed numbers: whoever stores them knows best how they are gone through.  A source that has a kind of rows is
 * asked by it; what the kind does not do is done with the rows as doubles, as emi_source's `read` hands them out. */
#ifndef EMI_DATA_ROW_KIND_H
#define EMI_DATA_ROW_KIND_H

#include "data/operator.h"

typedef struct emi_row_kind {
    const char *name; /* "sparse", ... */

    /* Numbers that a row has, on average: what products with it cost. */
    double (*width)(const em_data *data);

    /* As emi_survey (data/moments.h). */
    em_status (*survey)(const emi_shard *shard, const double *unit, double *found, const emi_helpers *helpers,
                        emi_scratch scratch, em_error *err);

    /* OPTIONAL, where operators have the rows otherwise.  Z = (M/N) Y' (Y X) of the standardised rows, and the sums of squares of the scores, times M/N, where `squares` is not NULL.
     * `real` is the precision that is enough.  Heeds C->every, and C->helpers as emi_sum_parts does. */
    em_status (*multiply)(const emi_operator *C, emi_real real, emi_block X, emi_block Z, double *squares,
                          emi_scratch scratch, em_error *err);

    /* As emi_by_rows_scores (data/by_rows.h). */
    em_status (*scores)(const emi_operator *C, emi_real real, emi_block X, void *scores, emi_scratch scratch,
                        em_error *err);

    /* OPTIONAL.  C_i itself, the caller's to free, where that is not made of rows that are read. */
    em_status (*form)(const emi_operator *C, double **out, em_error *err);

    /* OPTIONAL, of moments in place of rows, which cannot be read.  What all rows weigh, and the sum of the squares of their weights;
     * and a number for all that is known (base/digest.h). */
    double (*weight)(const em_data *data, double *squared);
    uint64_t (*digest)(const em_data *data);
} emi_row_kind;

extern const emi_row_kind emi_moment_rows;
extern const emi_row_kind emi_on_gpu; /* data/on_gpu.c */

/* The kind of a shard's rows; NULL: packed numbers. */
const emi_row_kind *emi_rows_of(const emi_shard *shard);

/* Has the shard moments, and no rows? */
int emi_is_moments(const emi_shard *shard);

/* The sum of the weights of a shard's rows, and of their squares: their number, where they are rows. */
double emi_shard_weight(const emi_shard *shard, double *squared);

#endif
