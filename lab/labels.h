/* What the rows are called, so that a picture can colour them: a few classes, or a number each. */
#ifndef LAB_LABELS_H
#define LAB_LABELS_H

#include <eigenmesh/eigenmesh.h>

enum { CLASSES_MAX = 12 };

typedef struct labels {
    const char *name; /* of the column: "species" */
    size_t rows;
    const char *(*of)(const void *from, size_t row); /* a row's text; borrowed, never NULL */
    const void *from;
    int count;                        /* of classes; 0: numbers, each of which has a place on a scale */
    const char *classes[CLASSES_MAX]; /* in order */
    double least, most;               /* of the numbers */
    int missing;                      /* rows that have none: an empty text, NA, ... */
} labels;

/* Fill in what follows from the texts.  Refuses texts of more kinds than a legend holds. */
em_status labels_sort_out(labels *l, em_error *err);

/* Its class, from 0; `count` where it has none. */
int labels_class(const labels *l, size_t row);

/* Its number; NaN where it has none. */
double labels_number(const labels *l, size_t row);

#endif
