/* Where sums are masked, the root alone has seen the totals that the certificate is made of.  It tells them, and every node sees
 * for itself that they say what the root says of them. */
#ifndef EMI_FIT_RECHECK_H
#define EMI_FIT_RECHECK_H

#include "fit/certify.h"

/* Collective, when all know what the root says.  Nothing where sums are not masked. */
em_status emi_recheck(emi_findings *f, em_error *err);

#endif
