/* Sparse tables to test with, and the same as dense ones. */
#ifndef TESTS_SUPPORT_SPARSE_H
#define TESTS_SUPPORT_SPARSE_H

#include <eigenmesh/eigenmesh.h>

typedef struct sparse_plan {
    size_t rows, columns;
    double filled; /* the share of values that are not zero: above 1, all of them */
    em_dtype type, index_type;
    int untidy; /* columns fall in a row, each row has a zero that is stored, and its first value in two halves */
    uint64_t seed;
} sparse_plan;

typedef struct sparse_table {
    sparse_plan plan;
    double *dense; /* [rows * columns] what it is */
    void *values, *indices, *starts;
} sparse_table;

/* Every seventh row is empty, unless all is filled.  Deviations of the columns fall by a tenth each. */
sparse_table sparse_make(sparse_plan plan);

/* Of a table whose dense numbers were changed since: values, indices and starts anew. */
void sparse_store(sparse_table *t);
void sparse_free(sparse_table *t);

/* Both as tables, which borrow what they are of. */
em_data *sparse_open(const sparse_table *t);
em_data *sparse_open_dense(const sparse_table *t);

#endif
