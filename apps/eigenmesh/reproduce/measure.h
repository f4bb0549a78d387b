/* Running a planned set-up. */
#ifndef EIGENMESH_REPRODUCE_MEASURE_H
#define EIGENMESH_REPRODUCE_MEASURE_H

#include "plan.h"

/* How hard to try. */
typedef struct effort {
    int trials; /* of drawn data; images are what they are, one trial */
    int quick;
    int threads;
    uint64_t seed;
    long iterations_max; /* of every curve; 0: as planned */
} effort;

/* Measure all curves of the plan, on this table where it is about images.  After Ctrl-C the set-up is not complete:
 * *stopped is set. */
em_status setup_measure(setup *out, const plan *p, const em_data *table, const effort *how, int *stopped,
                        em_error *err);
void setup_free(setup *s); /* accepts the zeroed */

#endif
