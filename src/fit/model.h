/* The answer, and how it was found. */
#ifndef EMI_FIT_MODEL_H
#define EMI_FIT_MODEL_H

#include "base/error.h"

/* Eigenvalues closer than this, relative to the first one, are not told apart. */
#define EMI_ALIKE 1e-8

struct em_model {
    int K, d;
    uint64_t N;
    double *numbers;      /* one allocation for all that follows */
    double *components;   /* [K * d] */
    double *mean, *scale; /* [d] */
    double *explained_variance, *explained_variance_ratio, *singular_values, *residuals; /* [K] */
    double *exact_variance, *component_error;                                            /* [K] valid when has_truth */
    int *cluster; /* [K] the first component of each one's cluster */
    double noise_variance;
    int has_truth;
    em_info info;
    em_trace_row *trace;
    size_t trace_rows;
};

em_status emi_model_new(em_model **out, int K, int d, uint64_t N, em_error *err);

/* What follows from the variances and residuals: which components are alike, how bad the worst is. */
void emi_model_derive(em_model *model);

/* Keep the first K components only. */
void emi_model_truncate(em_model *model, int K);

#endif
