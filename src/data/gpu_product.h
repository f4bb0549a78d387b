/* Products with rows on a GPU, from block to block there: Z = (M/N) Y' (Y X), as data/by_rows.c makes them.  All of it within the GPU. */
#ifndef EMI_DATA_GPU_PRODUCT_H
#define EMI_DATA_GPU_PRODUCT_H

#include "data/gpu_rows.h"

typedef struct emi_gpu_products {
    emi_gpu_rows *rows;
    const emi_operator *C;
    emi_gpu *gpu;
    emi_real real;
    int as_they_lie; /* columns are scaled before, and the mean is taken off the scores  */
    double judged;   /* by others, later, to so many digits: rounding may leave more; 0: by nobody */
    int sums_up;     /* the mean is taken off the sums too                                */
    int measures;    /* x' C x of each column too */
    int alone;       /* there may be no others: the first time, a copy of all rows would be for nothing */
    int kept;        /* rows are kept as they are multiplied                                             */
    emi_gpu_features features;
    size_t columns;
    emi_address X, start, ones;
    emi_address Z, squares, sums; /* in double: d x columns, columns x columns, columns */
} emi_gpu_products;

/* A block to its room there, and one from there. */
em_status emi_gpu_put_block(emi_gpu *gpu, emi_block X, emi_address *out, em_error *err);
em_status emi_gpu_get_block(emi_gpu *gpu, emi_address from, emi_block Z, em_error *err);

/* For blocks of that many columns at most. */
em_status emi_gpu_products_open(emi_gpu_products *t, size_t most, em_error *err);

/* Z, and squares where it measures, from X of doubles; until the next one. */
em_status emi_gpu_products_make(emi_gpu_products *t, emi_address X, size_t columns, em_error *err);

#endif
