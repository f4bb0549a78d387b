/* What the caller asks, checked. */
#ifndef EMI_FIT_OPTIONS_H
#define EMI_FIT_OPTIONS_H

#include "methods/method.h"

/* The method that the options name, for a network of so many nodes, or NULL for auto; an error where it cannot run
 * there, or would not read an option that was set. */
em_status emi_options_method(const em_options *options, int nodes, const emi_method **out, em_error *err);

/* Extra vectors in a block: the user's, or a few more than wanted, which make the last wanted ones converge sooner; each
 * costs its share of every average. */
int emi_options_oversample(const em_options *options);

/* The options against the problem's size; N rows in all, d features. */
em_status emi_options_check(const em_options *options, uint64_t N, int d, em_error *err);

#endif
