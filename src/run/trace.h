/* The trace: one row an iteration, of what was sent and how good the estimate was.  Looking on costs the network nothing. */
#ifndef EMI_RUN_TRACE_H
#define EMI_RUN_TRACE_H

#include "run/observe.h"

/* With the error alone, residual and consensus are NaN: an iteration of its own a row is saved. */
typedef enum emi_trace_kind { EMI_TRACE_NONE, EMI_TRACE_ALL, EMI_TRACE_ERROR } emi_trace_kind;

typedef struct emi_trace {
    emi_trace_kind kind;
    emi_count before; /* what the method's phase had sent when this run began: another may have been tried first */
    em_trace_row *rows;
    size_t count, room;
} emi_trace;

/* A row for the iteration that the solver has completed; nothing where none is asked for.  A failure is the mesh's. */
void emi_trace_add(emi_trace *t, emi_solver *s, emi_observer *o, double seconds);

/* Scalars sent, in the paper's unit: every node sends one d x K matrix to each neighbour. */
double emi_units(const em_mesh *mesh, int d, int K, uint64_t scalars);

#endif
