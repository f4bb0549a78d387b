/* "auto": which method, and why. */
#ifndef EMI_FIT_CHOOSE_H
#define EMI_FIT_CHOOSE_H

#include "fit/problem.h"

enum { EMI_CHOICES = 3 };

/* The methods to try for this problem, best first, NULL past the end; *why says in a few words why the first one is. */
void emi_choose(const emi_problem *p, const em_options *options, const emi_method *choices[EMI_CHOICES + 1], char *why,
                size_t room);

#endif
