/* The answer, and how it was found. */
#ifndef EMI_MODEL_MODEL_H
#define EMI_MODEL_MODEL_H

#include "base/error.h"

struct em_model {
    int K, d;
    uint64_t N;
    double *numbers;                                                         /* one allocation for all that follows */
    double *components;                                                      /* [K * d] */
    double *mean, *scale;                                                    /* [d] */
    double *explained_variance, *explained_variance_ratio, *singular_values; /* [K] */
    double *residuals, *angle_bounds, *subspace_bounds, *turns;              /* [K] */
    double *exact_variance, *component_error;                                /* [K] valid when has_truth */
    double *exact_components; /* [K * d] owned; NULL: the fit computed no truth */
    int64_t *cluster;         /* [K] the first component of each one's cluster */
    char **feature_names;     /* [d] UTF-8, one allocation with the pointers: emi_model_name_features; NULL: none */
    double noise_variance;
    double rest_squares, rest_cubes; /* of the variances left out, as shares of their sum; NaN: unknown */
    double rest_squares_error, rest_cubes_error;
    int has_truth;
    em_info info;
    int format, converged; /* of the file it is written to */
    em_trace_row *trace;
    size_t trace_rows;
};

em_status emi_model_new(em_model **out, int K, int d, uint64_t N, em_error *err);

/* What follows from the residuals: their mean, and how bad the worst is. */
void emi_model_derive(em_model *model);

/* The sum of the variances that the components leave out. */
double emi_model_rest(const em_model *model);

/* Copies of these d names; NULL: none. */
em_status emi_model_name_features(em_model *model, const char *const *names, em_error *err);

#endif
