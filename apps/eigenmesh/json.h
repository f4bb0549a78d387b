/* A small JSON writer: what it writes is always valid. */
#ifndef EIGENMESH_JSON_H
#define EIGENMESH_JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int depth;
    int empty; /* nothing yet at this depth */
} json;

void json_begin(json *j, FILE *out);
void json_end(json *j);

/* key is NULL inside a list, and for the outermost value. */
void json_open(json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_whole(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value); /* not finite: null */
void json_flag(json *j, const char *key, int value);

#endif
