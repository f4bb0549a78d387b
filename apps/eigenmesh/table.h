/* Texts in a row, and tables of them for people: columns as wide as what is in them, numbers to the right. */
#ifndef EIGENMESH_TABLE_H
#define EIGENMESH_TABLE_H

#include <eigenmesh/eigenmesh.h>

/* One after the other, each with its 0, so that all of them can travel between processes as one piece. */
typedef struct texts {
    char *text;
    size_t size, room;
    int failed; /* out of memory */
} texts;

void texts_put(texts *t, const char *text);
const char *text_after(const char *text); /* the next one */

enum { TABLE_COLUMNS = 16 }; /* at most */

typedef struct table {
    int columns;
    texts cells;
} table;

/* Cells go in row by row; the first row is the heading. */
void table_begin(table *t, int columns);
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print it on stdout and release it; a want of memory is told here. */
em_status table_print(table *t, em_error *err);

#endif
