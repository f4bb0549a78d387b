/* Standardising where sums are masked: no extremes of a node's own are to be seen, and features come to be known as constant, or as
 * too small, by their sums alone. */
#ifndef EMI_FIT_MASKED_H
#define EMI_FIT_MASKED_H

#include "fit/prepare.h"

/* No value anywhere is as large as 2^order, a multiple of 16; and are some missing?  `found`: (d, EMI_SURVEY) a node. */
em_status emi_masked_order(emi_problem *p, const emi_field *found, int *order, int *holes, em_error *err);

/* How many values of each feature are there, over the network. */
em_status emi_masked_values(emi_problem *p, const emi_field *found, double *values, em_error *err);

/* p->level, and the squares of such features become 0; data without variance is refused, and at the nodes that hold it a feature
 * whose squares, beside values of 2^order, have lost digits. */
em_status emi_masked_judge(emi_problem *p, const emi_field *found, int order, const double *unit, double *squares,
                           em_error *err);

#endif
