/* Which device multiplies the rows that live in this process, and why. */
#ifndef EMI_FIT_DEVICE_H
#define EMI_FIT_DEVICE_H

#include "data/gpu_rows.h"
#include "fit/options.h"
#include "methods/method.h"

struct emi_problem;

typedef struct emi_device {
    emi_gpu *gpu;       /* NULL: the CPU                                             */
    int must;           /* it was asked for: where it fails, so does the fit         */
    int lent;           /* rows lie there already                                    */
    char why[256];      /* it, and not the other                                     */
    emi_gpu_rows *rows; /* [hosted] of them, once they are sent; NULL: they are not  */
} emi_device;

/* Decide, by the options, the rows, and what is faster; by this method, or NULL. */
em_status emi_device_choose(struct emi_problem *p, const em_options *options, const emi_method *named, em_error *err);

/* Is it to form the covariance of one node's rows, and to keep that in place of the rows?  By krylov, or where nobody names a method. */
int emi_device_forms(const struct emi_problem *p, const emi_method *named, const em_options *options);

/* Send the rows there, where they are not; or, where it forms their covariance, in the pass over them. */
em_status emi_device_send(struct emi_problem *p, int forms, em_error *err);

/* What there is to say of it in the end: "cpu" or "gpu", and why. */
const char *emi_device_tell(const struct emi_problem *p, char *why, size_t room);

void emi_device_close(struct emi_problem *p); /* accepts the zeroed */

#endif
