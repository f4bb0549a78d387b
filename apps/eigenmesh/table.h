/* Tables for people: columns as wide as what is in them, numbers to the right. */
#ifndef EIGENMESH_TABLE_H
#define EIGENMESH_TABLE_H

#include <eigenmesh/eigenmesh.h>

enum { TABLE_CELL = 32 };

typedef struct table {
    int columns;
    size_t cells, capacity;
    char (*text)[TABLE_CELL];
    int failed; /* out of memory, told by table_print */
} table;

/* Cells go in row by row; the first row is the heading. */
void table_begin(table *t, int columns);
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print it on stdout and release it. */
em_status table_print(table *t, em_error *err);

#endif
