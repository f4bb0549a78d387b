/* A network whose processes are threads of this one, on an engine that shows a test what every node hears, and lets it alter
 * that. */
#ifndef TESTS_SUPPORT_CROWD_H
#define TESTS_SUPPORT_CROWD_H

#include <eigenmesh/engine.h>

enum { CROWD_MOST = 16 }; /* processes */

/* A block on its way, before it is handed over; `number` counts those of a link.  Never called twice at once. */
typedef void crowd_hears(void *user, em_link link, long number, void *block, size_t bytes);

/* What a process does, in a thread of its own: it must not assert. */
typedef em_status crowd_body(void *user, int process, em_mesh *mesh, em_error *err);

typedef struct crowd_plan {
    const em_graph *graph;
    int processes; /* as many nodes in each as in any other, but for the last */
    int threads;   /* of each */
    crowd_body *body;
    crowd_hears *hears; /* or NULL */
    void *user;
} crowd_plan;

typedef struct crowd_end {
    em_status status;
    em_error err;
} crowd_end;

/* Runs until all have come to an end. */
void crowd_run(const crowd_plan *plan, crowd_end ends[CROWD_MOST]);

#endif
