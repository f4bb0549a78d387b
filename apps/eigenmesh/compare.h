/* The same problem by several methods: what compare.c runs, and compare_report.c shows. */
#ifndef EIGENMESH_COMPARE_H
#define EIGENMESH_COMPARE_H

#include "print.h"

#include <eigenmesh/eigenmesh.h>

typedef struct contender {
    char *name;      /* as asked for: "auto" too */
    em_model *model; /* NULL: it could not run, or its turn has not come */
    em_error error;  /* why not */
} contender;

typedef struct comparison {
    int count;
    contender *contenders;
    char *names; /* where they lie */
} comparison;

/* A row a method. */
em_status compare_print(const comparison *c, em_error *err);
void compare_json(json *j, const comparison *c);

/* All traces in one CSV, the method in the first column. */
void compare_write(FILE *out, const comparison *c);

#endif
