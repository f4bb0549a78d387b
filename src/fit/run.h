/* The exact answer to a prepared problem, and one method, or those that auto tries in turn, on it. */
#ifndef EMI_FIT_RUN_H
#define EMI_FIT_RUN_H

#include "fit/check.h"
#include "fit/last.h"
#include "fit/plan.h"
#include "model/model.h"
#include "run/driver.h"

typedef struct emi_job {
    const em_options *options;
    const emi_method *method;
    emi_problem *problem;
    const emi_truth *truth;
    const emi_last *previous;        /* its K is 0 where there is none */
    emi_checkpoint *checkpoint;      /* NULL: none */
    const emi_operator_kind *matrix; /* of methods that need one */
    int in_double;                   /* single precision was not enough, of an earlier run     */
    const em_model *found;           /* in single precision, to start from; NULL: nothing   */
    int narrow_wire;                 /* blocks are sent in single precision                    */
    int found_in_single;             /* the answer comes from products in single precision      */
    char *why;                       /* what is told of the choice, of sizeof em_info's; empty: there was none */
    int last;                        /* no other method is tried where rounding is the trouble */

    emi_solver solver;
    emi_observer observer;
    emi_driver driver;
    double alpha; /* the first step */
    emi_network network;
    double seconds_setup, seconds_sending, seconds_waiting;
    double seconds_before; /* in the iterations of what was tried first */
} emi_job;

/* The model, from a job that ran. */
em_status emi_job_report(emi_job *job, em_model **out, em_error *err);

/* The truth that the options ask for, if any: one allocation, its vectors. */
em_status emi_truth_find(emi_truth *truth, emi_problem *p, const em_options *options, em_error *err);

/* The model, by the first method of the plan that gets there; from a checkpoint on, where there is
 * one to resume from.  NULL: no checkpoints. */
em_status emi_solve(em_model **out, emi_problem *problem, const emi_fit_plan *plan, const emi_truth *truth,
                    const emi_last *last, const em_options *options, emi_checkpoint *checkpoint, em_error *err);

/* "std" */
const char *emi_scale_name(emi_scale scale);

/* Row-major d x K to column-major. */
void emi_transpose(const double *from, int d, int K, double *to);

#endif
