/* The last answer, where the options have one: what a fit begins from, and what it is laid beside. */
#ifndef EMI_FIT_LAST_H
#define EMI_FIT_LAST_H

#include "fit/prepare.h"
#include "model/model.h"

typedef struct emi_last {
    int d, K;  /* components, those that have variance; 0: there is none          */
    double *V; /* (d, K) orthonormal, with features in the order that they have here */
} emi_last;

/* From the options' model, if any: refused where its features are others, or its scale is another. */
em_status emi_last_open(emi_last *last, const em_options *options, const em_shards *shards, em_error *err);
em_status emi_last_check_scale(const em_options *options, const char *scale, em_error *err);
void emi_last_close(emi_last *last); /* accepts the zeroed and the half-built */

/* X as the last answer has it: signs are those of the component that each is nearest to; and those whose eigenvalues, theta, agree
 * to a part of the tolerance, so that any turn of theirs is an answer too, are turned to come as near to the last ones as they
 * can.  CX turns with them.  theta, CX: or NULL. */
em_status emi_last_lead(const emi_last *last, emi_block X, double *CX, const double *theta, double tolerance,
                        em_error *err);

/* How far the model lies from it: its turns, and the largest of the subspace. */
em_status emi_last_measure(const emi_last *last, em_model *model, em_error *err);

#endif
