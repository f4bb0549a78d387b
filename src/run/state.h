/* What a run carries from one iteration to the next. */
#ifndef EMI_RUN_STATE_H
#define EMI_RUN_STATE_H

#include "run/driver.h"
#include "run/serialize.h"

/* To a checkpoint, or from one, all but the iteration's number.  Numbers that do not fit the solver spoil it. */
em_status emi_state_serialize(emi_serializer *p, emi_solver *s, em_error *err);

#endif
