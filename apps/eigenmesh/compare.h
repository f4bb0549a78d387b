/* The same problem by several methods: what compare.c runs, and the other compare_*.c show. */
#ifndef EIGENMESH_COMPARE_H
#define EIGENMESH_COMPARE_H

#include "json.h"
#include "lab/gnuplot.h"
#include "lab/plot_curves.h"

#include "base/output.h"
#include "lab/experiment.h"

typedef struct contender {
    char *name;            /* as asked for: "auto" too */
    const em_model *model; /* NULL: it could not run, or its turn has not come */
    em_error error;        /* why not */
} contender;

typedef struct comparison {
    int count;
    contender *contenders;
    char *names;          /* where they lie */
    lab_results *results; /* where the models lie */
} comparison;

/* The contenders of a list such as "krylov,dsa", which must be methods that run on so many nodes, each once. */
em_status comparison_create(comparison *c, const char *list, int nodes, em_error *err);
void comparison_free(comparison *c); /* accepts the zeroed */

/* The first model there is; NULL when none ran. */
const em_model *comparison_any(const comparison *c);

/* A row a method. */
em_status compare_print(const comparison *c, em_error *err);
void compare_json(json *j, const comparison *c);

/* All traces in one CSV, the method in the first column. */
void compare_write(FILE *out, const comparison *c);

/* A picture: the error, or the residual where no truth is known, against each of these. */
em_status compare_plot(const canvas *to, const comparison *c, const trace_axis *axes, int count, em_error *err);

#endif
