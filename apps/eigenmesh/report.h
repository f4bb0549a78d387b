/* What a model holds and how it was found, for people and for programs. */
#ifndef EIGENMESH_REPORT_H
#define EIGENMESH_REPORT_H

#include "lab/plot.h"
#include "print.h"

/* What the features are called, as many as a line holds; nothing where they have no names. */
void report_names(const em_model *model);
void report_names_json(json *j, const em_model *model);

/* How genotypes were scaled, and which variants were left out; nothing of other data. */
void report_scale(const em_info *info);

/* Is the device that multiplied the rows worth a line?  The CPU only where something else was to be expected. */
int report_tells_device(const char *device, const char *why);

/* The components and what is certain about them, what was sent, how it ended. */
em_status report_model(const em_model *model, em_error *err);

/* The same as members of the object that is open. */
void report_json(json *j, const em_model *model);

/* What the table of components does not say: which of them only define a subspace together, and so on. */
void report_certificate(const em_model *model);

/* How far it lies from the last answer; nothing where there was none. */
void report_turn(const em_model *model);
void report_turn_json(json *j, const em_model *model);

/* How a fit ended: in a word; and where it did not do its job, what the method has done, and what to try. */
typedef struct ending {
    em_reason reason;
    const char *word, *what, *remedy; /* what: NULL where all is well */
} ending;
const ending *ending_of(em_reason reason);

/* Did it do its job?  limited: somebody said how many iterations there may be. */
int ending_is_well(const em_info *info, int limited);

/* Why a run that was to be resumed began anew. */
enum { ANEW_ROOM = 128 };
const char *anew_text(const em_info *info, char room[ANEW_ROOM]);

/* What products are made with: covariances that are dense or implicit, or products of the rows. */
const char *operator_text(const char *name);

/* The traces of fits as CSV, a row an iteration.  names: what the column before the others is called, which says whose a row
 * is; NULL: there is none.  Failures of the stream are told when the output is committed. */
void trace_write(FILE *out, const char *names, const trace_curve *curves, int count);

#endif
