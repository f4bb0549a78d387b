/* What a study costs, from its sizes alone. */
#ifndef EIGENMESH_APP_STUDY_COST_H
#define EIGENMESH_APP_STUDY_COST_H

#include "net/study.h"

typedef struct study_cost {
    int features;
    char method[24];
    int block;        /* columns of what is sent in a step */
    long steps;       /* expected; or, where at_most, the limit */
    int at_most;      /* */
    int wire_bits;    /* of a number that is sent */
    double each_link; /* bytes over one link in the whole run, both ways together */
    int columns;      /* b: of C, that the root may hold; 0: the root holds no more than others */
    double at_root;   /* bytes: 2 d b numbers */
} study_cost;

/* Of so many features; refuses, in words, what the sites would be refused when they begin, such as a step for a method that has
 * none.  Without a number of features (0) that is all it does. */
em_status study_cost_of(study_cost *out, const emi_study *study, int features, em_error *err);

#endif
