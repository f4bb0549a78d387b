/* The trace of a fit as a CSV file: a row an iteration. */
#ifndef EIGENMESH_TRACE_H
#define EIGENMESH_TRACE_H

#include <eigenmesh/eigenmesh.h>

/* Failures of the stream are told when the output is committed. */
void trace_heading(FILE *out);

/* label: what a column before the others says; NULL where there is no such column. */
void trace_rows(FILE *out, const char *label, const em_model *model);

#endif
