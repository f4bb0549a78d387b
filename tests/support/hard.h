/* Tables that methods stumble over, and what an exact method owes on each of them. */
#ifndef TESTS_SUPPORT_HARD_H
#define TESTS_SUPPORT_HARD_H

#include "fit/options.h"
#include "support/svd.h"

#include <eigenmesh/eigenmesh.h>

enum { NODES = 5 };
extern const double tolerance;          /* of the fits */
extern const char *const direct[];      /* krylov, covariance */
extern const char *const every_exact[]; /* and those that gossip */

typedef struct table {
    double *rows;
    size_t N;
    int d;
} table;

/* The exact answer for a table of so many rows, drawn from one of `samples`, by which variances are divided. */
typedef struct truth {
    svd exact;
    size_t rows, samples;
} truth;

double *numbers(size_t count); /* zeroed; the caller frees them */

/* Independent columns, as matrix_fill_table makes them. */
table gaussian_table(size_t N, int d, uint64_t seed);

/* Rows whose covariance has exactly this spectrum. */
table table_of_spectrum(size_t N, int d, const double *spectrum, uint64_t seed);

/* A mixture of Gaussians, one class after another: split contiguously, each node sees one of them. */
table sorted_classes(size_t each, int d);

truth truth_of(const table *t);
void free_truth(truth *t);
double truth_value(const truth *t, int k); /* the eigenvalue, of the covariance divided by N; 0 past the last */

/* What an exact method owes: it has converged, by residuals relative to each component's own eigenvalue; angles and
 * variances follow from that; components past the rank have none; what is alike relative to its own size is a cluster. */
void check_model(const truth *exact, const em_model *model);

em_options options_of(const char *method, int K);
em_model *fit_table(const table *t, const em_options *options, const char *split);

/* Rows of any type on a network of so many nodes, by so many threads. */
em_model *fit_rows(const void *rows, em_dtype type, size_t N, int d, const em_options *options, const char *split,
                   int nodes, int threads);

/* Each method on the table; `seen` is the table as --scale and --no-center make it. */
void check_fits(const table *t, const table *seen, em_options options, const char *split, const char *const *methods);
void check_spectrum(const double *spectrum, int d, int K, const char *const *methods);

#endif
