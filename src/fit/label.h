/* Is a checkpoint about the problem at hand? */
#ifndef EMI_FIT_LABEL_H
#define EMI_FIT_LABEL_H

#include "fit/check.h"
#include "run/checkpoint.h"

/* One to resume from must be; one that is there is never overwritten by a run that does not go on from it.  Reads all rows
 * that live here, to take their digest. */
em_status emi_checkpoint_match(emi_checkpoint *c, const emi_problem *p, const em_options *options, em_error *err);

/* Of these, NULL past the end, the method that was running; the first where the run is a new one. */
em_status emi_checkpoint_method(const emi_checkpoint *c, const emi_method *const *choices, int *index, em_error *err);

#endif
