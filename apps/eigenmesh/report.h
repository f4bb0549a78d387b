/* What a model holds and how it was found, for people and for programs. */
#ifndef EIGENMESH_REPORT_H
#define EIGENMESH_REPORT_H

#include "print.h"

#include <eigenmesh/eigenmesh.h>

/* What the features are called, as many as a line holds; nothing where they have no names. */
void report_names(const em_model *model);
void report_names_json(json *j, const em_model *model);

/* The components and what is certain about them, what was sent, how it ended. */
em_status report_model(const em_model *model, em_error *err);

/* The same as members of the object that is open. */
void report_json(json *j, const em_model *model);

/* The trace of a fit as CSV, a row an iteration.  label: what a column before the others says; NULL where there is no such
 * column.  Failures of the stream are told when the output is committed. */
void trace_heading(FILE *out);
void trace_rows(FILE *out, const char *label, const em_model *model);

#endif
