/* Rows as points: where they lie along the first components, and what they are called. */
#ifndef EMI_PAGE_POINTS_H
#define EMI_PAGE_POINTS_H

#include <eigenmesh/page.h>

enum { EMI_POINTS_MOST = 5000, EMI_POINT_COLUMNS = 4, EMI_CLASSES_MOST = 16, EMI_SCALE_STEPS = 8 };

typedef struct emi_points {
    size_t rows, count;  /* of the tables, and those that are drawn */
    int columns;         /* scores of each, at most EMI_POINT_COLUMNS, of components that have variance */
    double *scores;      /* [count][columns]; not finite: nowhere */
    const char **labels; /* [count]; NULL: there are none */
    size_t missing;      /* values of these rows, in whose place is the mean */
} emi_points;

em_status emi_points_find(emi_points *p, const em_page *page, em_error *err);
void emi_points_free(emi_points *p); /* accepts the zeroed and the half-built */

/* What the colours tell: a few classes, the most frequent of many, or numbers on a scale, whose classes are its steps. */
typedef struct emi_classes {
    int count;                           /* 0: all points are alike, as there is no label */
    const char *names[EMI_CLASSES_MOST]; /* not of a scale */
    size_t sizes[EMI_CLASSES_MOST];
    int is_scale;
    double least, most;   /* of the scale */
    size_t others, kinds; /* points of classes that have no colour, and how many classes these are */
    size_t nameless;      /* points without a label */
    int *of;              /* [points] from 0; `count`: another class; count + 1: no label */
} emi_classes;

em_status emi_classes_find(emi_classes *c, const emi_points *points, em_error *err);
void emi_classes_free(emi_classes *c);

#endif
