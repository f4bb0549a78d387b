/* One method on a prepared problem. */
#ifndef EMI_FIT_JOB_H
#define EMI_FIT_JOB_H

#include "fit/model.h"
#include "fit/options.h"
#include "fit/problem.h"
#include "fit/surroundings.h"

/* The exact answer, where it is known. */
typedef struct emi_truth {
    double *vectors; /* (d, K) column-major; NULL: not known */
    double *values;  /* [K]; NaN: not known                  */
} emi_truth;

typedef struct emi_job {
    const em_options *options;
    const emi_method *method;
    emi_problem *problem;
    const emi_truth *truth;
    double seconds_before; /* spent on the problem */

    emi_solver solver;
    emi_observer observer;
    emi_surroundings around;
    double alpha; /* the first step */
    emi_network network;
    double seconds_setup;
} emi_job;

em_status emi_job_run(emi_job *job, em_error *err);

/* The model, from a job that ran. */
em_status emi_job_report(emi_job *job, em_model **out, em_error *err);

void emi_job_close(emi_job *job); /* accepts one that never ran */

/* Row-major d x K to column-major. */
void emi_transpose(const double *from, int d, int K, double *to);

#endif
