/* Numbers at regular places in memory: what most binary formats come down to. */
#ifndef EMI_DATA_STRIDED_H
#define EMI_DATA_STRIDED_H

#include "data/data.h"
#include "data/input.h"

typedef struct emi_layout {
    em_dtype type;
    int swapped;
    size_t offset; /* of the first number */
    size_t rows, columns;
    ptrdiff_t row_stride, column_stride; /* bytes */
} emi_layout;

/* Make `data` a table over these bytes, which it then owns; on failure the caller still does. */
em_status emi_strided_open(em_data *data, const emi_bytes *bytes, const emi_layout *layout, em_error *err);

/* The same over all bytes of an input. */
em_status emi_strided_take(em_data *data, emi_input *input, const emi_layout *layout, em_error *err);

#endif
