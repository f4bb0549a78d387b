/* A table that is spread over a network and fitted there, masked or not, with every block on its links written down. */
#ifndef TESTS_SUPPORT_TABLE_FIT_H
#define TESTS_SUPPORT_TABLE_FIT_H

#include "fit/options.h"
#include "support/watched_masks.h"

#include <eigenmesh/engine.h>

/* A block that went along a link. */
typedef struct seen_block {
    em_link link;
    size_t count;    /* of words */
    uint64_t *words; /* as they went */
    int up;          /* to the parent, where sums go */
    long sum;        /* of a masked sum, whose view comes last: its place among those that were watched; -1: of none */
} seen_block;

typedef struct seen {
    seen_block *blocks;
    size_t count, room;
} seen;

typedef struct table_fit {
    const double *values; /* [rows * columns]                       */
    size_t rows;
    int columns;
    int holes;         /* what is no number is missing              */
    const char *split; /* NULL: contiguous                          */
    const char *topology;
    int nodes, threads;
    const em_options *options;
    const unsigned char *view; /* NULL: one of zeros                */
    watched *masks;            /* NULL: sums are not masked         */
    seen *seen;                /* NULL: nobody looks                */
} table_fit;

em_status table_fit_run(const table_fit *t, em_model **model, em_error *err);

void seen_free(seen *s);

#endif
