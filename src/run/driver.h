/* What drives a method: one iteration after another, until the stopping test, the limit, a failure or the user ends it.
 *
 * A method calls emi_next (run/solver.h) for every iteration, and knows nothing of what happens in between: counting, the
 * trace, the stopping test, the monitor; and whatever has itself put between two iterations, as a checkpoint does. */
#ifndef EMI_RUN_DRIVER_H
#define EMI_RUN_DRIVER_H

#include "run/stopping.h"

/* Something that acts between two iterations, in all processes that have it at once. */
typedef struct emi_between {
    void *context;
    int (*is_due)(const void *context); /* asks this process; where one says so, all of them save */
    em_status (*save)(void *context, emi_solver *s, em_error *err);
    em_status (*restore)(void *context, emi_solver *s, em_error *err); /* NULL: there is no state to go on from */
} emi_between;

typedef enum emi_decay { EMI_DECAY_CONSTANT, EMI_DECAY_SQRT, EMI_DECAY_POWER } emi_decay;

/* alpha_t = first, first / sqrt(t + 1), or first / (t + 1)^power */
typedef struct emi_schedule {
    double first;
    emi_decay decay;
    double power;
} emi_schedule;

/* With the error alone, residual and consensus are NaN: an iteration of its own a row is saved. */
typedef enum emi_trace_kind { EMI_TRACE_NONE, EMI_TRACE_ALL, EMI_TRACE_ERROR } emi_trace_kind;

/* One row an iteration, of what was sent and how good the estimate was.  Looking on costs the network nothing. */
typedef struct emi_trace {
    emi_trace_kind kind;
    emi_count before; /* what the method's phase had sent when this run began: another may have been tried first */
    em_trace_row *rows;
    size_t count, room;
} emi_trace;

typedef struct emi_driver {
    emi_schedule step;
    em_monitor_fn *monitor; /* NULL: none */
    void *monitor_user;
    double max_seconds;         /* of iterations, after which the user asks for the end; 0: no limit */
    const emi_between *between; /* NULL: nothing */
    emi_stopping stopping;
    emi_trace trace;

    int began, running, over;
    int wish;        /* the user asks for the end, which all processes must hear of first */
    int due;         /* what is between, in all of them */
    int column;      /* the one being sought, -1 for all at once */
    long column_end; /* iteration at which its time ends */
    int found;       /* it, or all of them */
    int unfinished;  /* columns whose time ended by the iteration limit */
    em_reason reason;
    double resumed, seconds; /* the clock runs during iterations, not while looking on */
} emi_driver;

/* Ready for the solver's first iteration; the members above the line are the caller's to set, before or after. */
em_status emi_driver_open(emi_driver *driver, emi_solver *s, emi_observer *observer, em_error *err);
void emi_driver_close(emi_driver *driver); /* accepts the zeroed and the half-built */

/* Scalars sent, in the paper's unit: every node sends one d x K matrix to each neighbour. */
double emi_units(const em_mesh *mesh, int d, int K, double scalars);

#endif
