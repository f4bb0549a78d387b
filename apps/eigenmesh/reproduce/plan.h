/* What is to be run: the paper's set-ups and figures, as tables. */
#ifndef EIGENMESH_REPRODUCE_PLAN_H
#define EIGENMESH_REPRODUCE_PLAN_H

#include "paper.h"

typedef enum source { DRAWN, MNIST, MNIST_SORTED, CIFAR } source;

/* A curve to measure. */
typedef struct entry {
    const char *key, *label, *method;
    lab_place place;
    double step; /* 0: automatic, or none */
    int rounds;  /* T_c; 0: the method's own */
    em_qr_signs signs;
    long iterations;  /* at most */
    double tolerance; /* 0: all of them */
} entry;

/* A set-up. */
typedef struct plan {
    const char *figure; /* that asks for it: "fig3" */
    const char *key, *title;
    source source;
    int features, components, nodes;
    double gap; /* of drawn data */
    const char *topology;
    em_scale scale;
    const entry *entries; /* one without a key ends them */
} plan;

/* A row of pictures of one kind: each of a figure's set-ups against some axes. */
typedef struct sheet {
    const char *figure; /* that asks for it */
    const char *key, *title, *caption;
    int ours, log_x;
    const char
        *only; /* set-ups whose key contains this; NULL: all of the figure's but those that another sheet names */
    axis axes[2];
    int axis_count;
    const char *const *keys; /* of the curves, NULL ends them; NULL: all */
} sheet;

extern const plan paper_plans[];   /* one without a key ends them */
extern const sheet paper_sheets[]; /* one without a key ends them */
extern const char *const paper_figures[];

enum { DRAWN_SAMPLES = 10000, QUICK_SHARE = 4 }; /* --quick does a quarter of the iterations */

#endif
