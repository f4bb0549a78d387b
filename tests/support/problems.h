/* Problems drawn at random: tables of all shapes, scales and ranks, spread over networks of all kinds. */
#ifndef TESTS_SUPPORT_PROBLEMS_H
#define TESTS_SUPPORT_PROBLEMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct problem {
    size_t N;
    int d, K, nodes;
    double *rows;
    char split[256]; /* "sizes:..."                             */
    char topology[32];
    const char *method;
    double tolerance;
    uint64_t seed;   /* of the fit                              */
    char words[256]; /* what was done to the table              */
    double decades;  /* of its deviations, by construction      */
} problem;

/* The number-th problem of a seed. */
problem problem_draw(uint64_t seed, uint64_t number);
void problem_free(problem *p);

#endif
