/* A field is one d x K block for each node that lives in this process. */
#ifndef EMI_LINALG_FIELD_H
#define EMI_LINALG_FIELD_H

#include "linalg/block.h"

typedef struct emi_field {
    int nodes, rows, cols;
    size_t stride; /* doubles from one node's block to the next */
    double *v;
} emi_field;

em_status emi_field_alloc(emi_field *out, int nodes, int rows, int cols, em_error *err); /* zeroed */
void emi_field_free(emi_field *field);                                                   /* accepts the zeroed */

emi_block emi_at(const emi_field *field, int node);                  /* node: counted from 0 in this process */
emi_field emi_columns(const emi_field *field, int first, int count); /* a view of these columns of every block */
void emi_swap(emi_field *a, emi_field *b);
void emi_field_copy(const emi_field *from, emi_field *to);

#endif
