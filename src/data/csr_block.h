/* Some rows of a sparse matrix as products take them, and their products with a panel of columns (linalg/skinny.h). */
#ifndef EMI_DATA_CSR_BLOCK_H
#define EMI_DATA_CSR_BLOCK_H

#include "data/csr.h"

/* A shard's rows, and what is done to them on the way. */
typedef struct emi_csr_view {
    const emi_shard *shard;
    const emi_csr *m;
    emi_real real;      /* that values are wanted in                                                     */
    const double *fill; /* [d] for values that are missing; NULL: none are                               */
    const double *less; /* [d] taken off full columns, of which then every row has an entry; NULL: full  *
                         * columns are as others                                                         */
    int32_t *slot;      /* [d], where `less` is given: which of the full columns it is, -1: none         */
} emi_csr_view;

enum { EMI_CSR_ROWS = 64 }; /* of a block, at most */

typedef struct emi_csr_block {
    size_t rows, begin[EMI_CSR_ROWS], end[EMI_CSR_ROWS]; /* of each row's entries */
    const int32_t *feature;
    const void *value; /* of the view's precision */
} emi_csr_block;

/* Rows from `first` on, as many of `count` as a block has, and one at least: where they lie, or in the scratch, which has two numbers
 * for each column or more. */
void emi_csr_take(const emi_csr_view *v, size_t first, size_t count, emi_scratch scratch, emi_csr_block *b);

/* S = start + Y X, a panel each row; `start` is as wide. */
void emi_csr_scores(const emi_csr_block *b, emi_real real, const void *X, const void *start, void *S);

/* Z += Y' S, in double. */
void emi_csr_sums(const emi_csr_block *b, emi_real real, const void *S, double *Z);

#endif
