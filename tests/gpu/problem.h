/* Rows with known eigenpairs, by LAPACK, and fits of them on one node with a GPU. */
#ifndef TESTS_GPU_PROBLEM_H
#define TESTS_GPU_PROBLEM_H

#include "fit/options.h"
#include "support/check.h"

/* How fast eigenvalues fall, how many there are of each, and where they end; how much larger the first is; 0: it is not. */
typedef struct spectrum {
    double falls;
    int alike, rank;
    double first;
} spectrum;

typedef struct problem {
    size_t N;
    int d;
    double *rows, *values, *vectors; /* of the covariance divided by N: (d), (d, d) */
    float *floats;
    em_data *data;
} problem;

/* Rows whose means are all the same. */
void problem_open(problem *p, size_t N, int d, spectrum s, double mean, int single);
void problem_close(problem *p);

em_status problem_fit(const problem *p, const em_options *options, em_model **out, em_error *err);

/* By krylov on the GPU, which must go well. */
em_model *problem_fitted(const problem *p, int K, double tolerance);

/* Component k's variance, as the truth has it. */
double problem_variance(const problem *p, const em_model *model, int k);

/* |C x - theta x| / theta of component k, by the eigenpairs of all rows. */
double problem_residual(const problem *p, const em_model *model, int k);

/* Variances of all, and vectors whose neighbours are not as large. */
void problem_check(const problem *p, const em_model *model, int K, double tolerance, double digits);

/* That were taken among the rows, as the report says. */
int steps_there(const em_model *model);

#endif
