/* A node's covariance C_i = (M/N) sum_{y in i} (y - mu)(y - mu)', as an operator: who multiplies by it does not know how that
 * is done.  There is a file for each kind. */
#ifndef EMI_DATA_OPERATOR_H
#define EMI_DATA_OPERATOR_H

#include "data/parts.h"
#include "data/standard.h"

typedef struct emi_operator emi_operator;

/* What is asked of steps that are taken among the rows, and what comes of them. */
typedef struct emi_leading {
    int wanted;       /* pairs, the leading ones                                                                */
    double tolerance; /* that their residuals shall have, relative to each eigenvalue                           */
    uint64_t seed;
    emi_block X;  /* becomes orthonormal columns that span what there is of the leading eigenvectors        */
    double *CX;   /* (d, wanted) products with the first, made of those that were made on the way; NULL: nobody asks */
    double least; /* nor where the last of these eigenvalues is a smaller part of the first                 */
    long steps;   /* how many; 0: none, and X is not known                                                  */
    int complete; /* the first of X are the pairs', residuals seem to be within it, and CX is there, and:   */
    double next, beyond; /* the eigenvalue after them, and how far it may lie above that; NaN: unknown             */
} emi_leading;

typedef struct emi_operator_kind {
    const char *name; /* as reports have it                                                         */
    int squared;      /* products are made of squares that were summed, and have lost what these lose */

    /* Floating-point operations of a product with K columns, for so many rows. */
    double (*cost)(double rows, int d, int K);

    /* Z = C_i X, d x K.  Needs emi_operator_needs(d, K) of scratch; products with rows make do with emi_operator_needs(d, 1). */
    em_status (*apply)(const emi_operator *C, emi_block X, emi_block Z, emi_scratch scratch, em_error *err);

    /* The same in double precision, and after it x_k' C_i x_k of each column, as good as it is to be had.  out[(d + 1) K]. */
    em_status (*measure)(const emi_operator *C, emi_block X, double *out, emi_scratch scratch, em_error *err);

    /* Of a kind that has a matrix, else NULL.  Form it, where it is not yet; scratch as in data/form.h. */
    em_status (*form)(emi_operator *C, emi_scratch scratch, em_error *err);

    /* It: symmetric, both triangles. */
    emi_block (*matrix)(const emi_operator *C);

    /* OPTIONAL.  Where steps cost less among the rows than here, they are taken there. */
    em_status (*lead)(const emi_operator *C, emi_leading *asked, em_error *err);

    /* X from eigenvectors U of it, each an eigenvector of C_i of whatever length; NULL: they are that. */
    em_status (*lift)(const emi_operator *C, emi_block U, emi_block X, emi_scratch scratch, em_error *err);
} emi_operator_kind;

extern const emi_operator_kind emi_by_rows;       /* "implicit": products with the data              */
extern const emi_operator_kind emi_by_moments;    /* "moments": the same, where a node has moments in place of rows */
extern const emi_operator_kind emi_by_covariance; /* "dense": C_i itself                             */
extern const emi_operator_kind emi_by_covariance_there; /* the same, on a GPU where it stays         */
extern const emi_operator_kind emi_by_gram;             /* "gram": Y Y', for rows that are fewer than features */

/* `measure` of kinds whose product is all that is to be had. */
em_status emi_measure_by_product(const emi_operator *C, emi_block X, double *out, emi_scratch scratch, em_error *err);

struct emi_operator {
    const emi_operator_kind *kind;
    int d;
    double weight; /* M / N */
    const emi_shard *shard;
    const emi_standard *standard;
    int own_mean;               /* that mean is the mean of these rows: what they have of it sums up to nothing */
    emi_real real;              /* precision of products with the rows, and of what is summed to form a matrix */
    size_t every;               /* products with the rows are of one block of them in so many: a sample; 0: of all */
    const emi_helpers *helpers; /* threads that may help with the rows; NULL: none */
    struct emi_gpu_rows *gpu;   /* the rows, on a GPU, which multiplies them; NULL: it does not; borrowed */
    double *dense;              /* [d * d], once it is formed */
    double *gram;               /* [rows * rows], once it is formed */
    double *packed;             /* [rows * d] Y beside that, where rows do not lie so that some features can be read */
};

/* What it costs as it is. */
double emi_operator_cost(const emi_operator *C, int K);

/* Scratch of any kind's products. */
size_t emi_operator_needs(int d, int K);

/* Forget the matrices that were formed, if any. */
void emi_operator_free(emi_operator *C);

#endif
