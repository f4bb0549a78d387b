/* A small JSON writer: one object on standard output, which is always valid. */
#ifndef EIGENMESH_JSON_H
#define EIGENMESH_JSON_H

#include <stdint.h>

typedef struct json {
    int depth;
    int empty; /* nothing yet at this depth */
} json;

/* The object, and its end. */
void json_begin(json *j);
void json_end(json *j);

/* key is NULL inside a list. */
void json_open(json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_whole(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value); /* not finite: null */
void json_flag(json *j, const char *key, int value);

#endif
