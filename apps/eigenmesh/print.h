/* Results on standard output: tables for people, and one JSON object for programs. */
#ifndef EIGENMESH_PRINT_H
#define EIGENMESH_PRINT_H

#include <eigenmesh/eigenmesh.h>

/* ---- texts in a row, and tables of them: columns as wide as what is in them, numbers to the right ---------- */

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
    int of_text; /* all columns to the left */
    texts cells;
} table;

/* Cells go in row by row; the first row is the heading. */
void table_begin(table *t, int columns);
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_text(table *t, const char *text); /* of any length */

/* Print it on stdout and release it; a want of memory is told here. */
em_status table_print(table *t, em_error *err);

/* 3.2 MB, 1.5 GB */
enum { SIZE_ROOM = 32 };
const char *size_text(double bytes, char out[SIZE_ROOM]);

/* Words in lines of up to `width`, which begin at `column`; the first line is printed up to `at` already. */
void words_print(int at, int column, int width, const char *text);

/* ---- JSON: always valid -------------------------------------------------------------------------------------- */

typedef struct json {
    int depth;
    int empty;       /* nothing yet at this depth */
    int on_one_line; /* else a line a member      */
} json;

/* The object, and its end. */
void json_begin(json *j);
void json_begin_line(json *j); /* all of it on one line */
void json_end(json *j);

/* key is NULL inside a list. */
void json_open(json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_whole(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value); /* not finite: null */
void json_flag(json *j, const char *key, int value);

#endif
