/* What a run carries from one iteration to the next. */
#ifndef EMI_FIT_STATE_H
#define EMI_FIT_STATE_H

#include "fit/parcel.h"
#include "fit/surroundings.h"

/* To a checkpoint, or from one, all but the iteration's number.  A parcel whose numbers do not fit the solver is spoiled
 * by it. */
em_status emi_state_carry(emi_parcel *p, emi_solver *s, em_error *err);

#endif
