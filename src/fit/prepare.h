/* The problem as the methods see it: data centred and scaled, covariances as operators. */
#ifndef EMI_FIT_PREPARE_H
#define EMI_FIT_PREPARE_H

#include "fit/device.h"
#include "fit/options.h"
#include "methods/method.h"

typedef struct emi_problem {
    em_mesh *mesh;
    const em_shards *shards; /* borrowed */
    const emi_shard *shard;  /* [hosted] of them */
    int d, K;
    uint64_t N;     /* rows in all */
    double weight;  /* of these in all: N, but for moments of which some was forgotten               */
    double degrees; /* what variances are divided by: N - 1, or what makes them unbiased then        */
    const emi_operator_kind
        *rows;   /* products with what the nodes hold: emi_by_rows, or where some have moments emi_by_moments */
    double shed; /* sums of squares may lack this much in any direction, where nodes have sketches   */
    double
        summing; /* that much of an entry of M2, relative to the deviations of both features, summing may have lost for good */
    emi_standard standard; /* what is done to each row */
    double *mean;          /* [d] global mean, zero where the mean is left in; in the user's units, like */
    double *fill;          /* [d] the mean in place of values that are missing; NULL: none are anywhere   */
    uint64_t missing;      /* how many are, over the network                                              */
    double *scale;         /* [d] divisors                                                               */
    int exponent;          /* rows are also multiplied by 2^-exponent, so that squares of any data are doubles; 0 for
                             * ordinary data, and wherever `scale` does it already */
    double *deviation;     /* [d] of each feature as the solver sees it: sqrt(variance / N)         */
    double *offset;        /* [d] |mean| in the solver's units; zero where the mean is left in      */
    emi_scale scaling;     /* as asked for or, where that is auto, as the data wants it */
    int constant_features; /* left unscaled under std; variants without variation under binomial */
    unsigned char
        *level;      /* [d] is it constant, so that its rounding counts as 0?  Where sums are masked; NULL: none is */
    emi_operator *C; /* [hosted] all of a kind */
    int dense_fits;  /* all covariances, into the memory of all processes */
    int compact;     /* rows here take less memory than their numbers would */
    double filled;   /* of the numbers of a row, those that products cost: 1, but for sparse rows */
    int rows_are_single;    /* numbers of all nodes have no more digits than single precision */
    int largest;            /* exponent of the largest value anywhere */
    int gram_fits;          /* the matrix of the products of all rows, on a network of one node */
    double variance;        /* trace(C), over the whole network, in the solver's units */
    int rank;               /* of C, at most: there are no more rows, less one for the mean, or features */
    double seconds;         /* that preparing it took, but for */
    double seconds_forming; /* forming the covariances         */
    emi_device device;      /* that multiplies the rows of this process */
    int threads;
    emi_helpers helpers;
    double *room;         /* that they share:                                        */
    emi_scratch *scratch; /* [threads] enough for everything below and every method */
} emi_problem;

/* Everything before the first iteration but the step and the start.  Collective; what is exchanged counts as set-up.  Open
 * alone is what is quick, and reads no row: N, whether the options fit, and whether covariances would fit into memory.
 * Completing is the rest: the global mean, the scale, the operators. */
em_status emi_problem_open(emi_problem *p, em_mesh *mesh, const em_shards *shards, const em_options *options,
                           em_error *err);
em_status emi_problem_complete(emi_problem *p, const em_options *options, const emi_operator_kind *kind, emi_real real,
                               em_error *err);

/* Operators of this kind from now on; its matrix is formed, where it has one and that is not done yet. */
em_status emi_problem_form(emi_problem *p, const emi_operator_kind *kind, em_error *err);

/* The same for a kind that needs nothing formed, or is.  Returns what it was. */
const emi_operator_kind *emi_problem_use(emi_problem *p, const emi_operator_kind *kind);

/* Products, and matrices, in double precision from now on; those that were formed are to be formed again.  Returns whether they
 * were not. */
int emi_problem_use_double(emi_problem *p);

/* What of C, as products with it are now made, is rounding. */
emi_rounding emi_problem_rounding(const emi_problem *p);

/* max_i lambda_1(C_i), over the whole network.  Collective. */
em_status emi_problem_max_eigenvalue(emi_problem *p, double *value, em_error *err);

/* lambda_1(C), to a relative tolerance, and how far it may lie above the value; of what is left of C without these
 * orthonormal vectors, if any.  Collective: Lanczos at the root, one product of all nodes a step. */
em_status emi_problem_top_eigenvalue(emi_problem *p, emi_block without, double tolerance, double *value, double *beyond,
                                     em_error *err);

/* An eigenvalue of C as a variance in the user's units, divided by N - 1; and as a singular value of the rows. */
double emi_problem_variance_of(const emi_problem *p, double eigenvalue);
double emi_problem_sketch_bound(const emi_problem *p); /* the variance that sketches may lack, in any direction */
double emi_problem_singular_value_of(const emi_problem *p, double eigenvalue);

void emi_problem_free(emi_problem *p); /* accepts the zeroed and the half-built */

/* ---- for those who prepare it -------------------------------------------------------------------- */

/* A turn at every hosted node, with its failure returned. */
em_status emi_problem_for_nodes(emi_problem *p, double cost, emi_loop_body *body, void *context, em_error *err);

/* How to call a feature: by its name, or by its position. */
const char *emi_problem_feature(const emi_problem *p, int f, char out[64]);

/* What has become of the exchanges so far. */
em_status emi_problem_status(const emi_problem *p, em_error *err);

/* The threads that may help node i, when they have nothing else to do: where its rows are more than a thread's share. */
const emi_helpers *emi_problem_helpers(const emi_problem *p, int i);

/* Columns of krylov's first block.  On one node, those that its kernel would fill up with zeros are used. */
int emi_problem_block(const emi_problem *p, const em_options *options, emi_real real);

/* And of those after it, at most. */
int emi_problem_narrow(const emi_problem *p, emi_real real);

/* Floating-point operations of a product with K vectors at every node here. */
double emi_problem_product_cost(const emi_problem *p, int K);

#endif
