#include "linalg/field.h"

#include "base/memory.h"

#include <string.h>

em_status emi_field_alloc(emi_field *out, int nodes, int rows, int cols, em_error *err)
{
    size_t size, total;
    *out = (emi_field){.nodes = nodes, .rows = rows, .cols = cols};
    if (emi_size_overflows((size_t)rows, (size_t)cols, &size))
        return emi_fail_memory_try(err, "field", "fewer nodes or components");
    out->stride = (size + 7) / 8 * 8; /* every block begins on a cache line */
    if (emi_size_overflows(out->stride, (size_t)nodes, &total) || !(out->v = emi_doubles(total)))
        return emi_fail_memory_try(err, "field", "fewer nodes or components");
    memset(out->v, 0, total * sizeof *out->v);
    return EM_OK;
}

void emi_field_free(emi_field *field)
{
    emi_free(field->v);
    field->v = NULL;
}

emi_block emi_at(const emi_field *field, int node)
{
    return (emi_block){field->rows, field->cols, field->v + (size_t)node * field->stride};
}

emi_field emi_columns(const emi_field *field, int first, int count)
{
    emi_field view = *field;
    view.cols = count;
    view.v += (size_t)first * (size_t)field->rows;
    return view;
}

void emi_swap(emi_field *a, emi_field *b)
{
    emi_field swap = *a;
    *a = *b, *b = swap;
}

void emi_field_copy(const emi_field *from, emi_field *to)
{
    for (int i = 0; i < from->nodes; i++) {
        emi_block block = emi_at(from, i);
        memcpy(emi_at(to, i).v, block.v, sizeof(double) * (size_t)block.rows * (size_t)block.cols);
    }
}
