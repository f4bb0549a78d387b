/* The plan: what will be done, decided once, from sizes alone, before any row is read.
 *
 * Which methods are tried, and by which operator they multiply; what the first of them is expected to send; and why. */
#ifndef EMI_FIT_PLAN_H
#define EMI_FIT_PLAN_H

#include "fit/prepare.h"

enum { EMI_CHOICES = 3 };

typedef struct emi_fit_plan {
    const emi_method *method[EMI_CHOICES + 1]; /* to try in turn; NULL past the end                         */
    const emi_operator_kind *products;         /* of methods that only multiply                               */
    const emi_operator_kind *matrix;           /* of those that need one                                      */
    emi_real real;                             /* products with the rows, where their numbers allow it       */
    int narrow_wire;                           /* blocks are sent in single precision                        */
    char why[sizeof((em_info *)0)->choice];    /* the first method; empty where the options name it          */
} emi_fit_plan;

/* For a problem whose sizes are known, by the method that the options name, or NULL for auto: emi_options_method. */
void emi_fit_plan_make(emi_fit_plan *plan, const emi_problem *p, const emi_method *named, const em_options *options);

/* The plan in words and numbers, for the user. */
em_status emi_fit_plan_tell(const emi_fit_plan *plan, const emi_problem *p, const em_options *options, em_plan *out,
                            em_error *err);

/* The kind that takes less work, over so many products: covariances, where they fit, or the rows. */
const emi_operator_kind *emi_fit_plan_products(const emi_problem *p, long products);

/* Products to expect of a method, NULL for auto: as many as were asked for, or a guess where nothing was. */
long emi_expected_products(const emi_method *method, const em_options *options);

/* Iterations at most. */
long emi_iteration_limit(const emi_method *method, const em_options *options, int K);

#endif
