/* Dense blocks over CBLAS and LAPACK.  A block is column-major and packed: column k of a d x K block
 * begins at v + k d. */
#ifndef EMI_LINALG_BLOCK_H
#define EMI_LINALG_BLOCK_H

#include "base/error.h"

typedef struct emi_block {
    int rows, cols;
    double *v;
} emi_block;

/* Doubles that a function may scribble on; each says how many it needs. */
typedef struct emi_scratch {
    double *v;
    size_t count;
} emi_scratch;

double *emi_column_of(emi_block A, int k);

void emi_mul(double alpha, emi_block A, emi_block B, double beta, emi_block C);    /* C = alpha A B + beta C   */
void emi_mul_tn(double alpha, emi_block A, emi_block B, double beta, emi_block C); /* C = alpha A' B + beta C  */
void emi_keep_upper(emi_block T);                                                  /* T = U(T)                 */

/* Sanger's direction from the product (Sanger, Neural Networks 2, 1989):
 * H = CX - X U(X' CX), in place of CX.  Needs K * K doubles of scratch. */
void emi_sanger(emi_block X, emi_block CX, emi_scratch scratch);

typedef enum emi_qr_signs { EMI_QR_POSITIVE, EMI_QR_FREE } emi_qr_signs;

/* A = Q of A = Q R.  positive: R's diagonal is made positive, which makes Q unique; free: whatever signs
 * LAPACK returns. */
em_status emi_orthonormalise(emi_block A, emi_qr_signs signs, emi_scratch scratch, em_error *err);
size_t emi_orthonormalise_needs(int rows, int cols);

/* R (K x K, upper triangle) of X = Q R by way of X' X, which is cheap and good enough where columns are far from
 * dependent; 0 where they are not. */
int emi_gram_factor(emi_block X, double *R);

/* The diagonal of Q' C Q, from the upper triangle of X' C X, which is destroyed, and R. */
void emi_gram_values(double *XCX, const double *R, int K, double *values);

/* X <- X R^-1. */
void emi_gram_orthonormalise(emi_block X, const double *R);

/* A = the orthonormal columns nearest to A: U V' of A = U Sigma V'. */
em_status emi_polar(emi_block A, emi_scratch scratch, em_error *err);
size_t emi_polar_needs(int rows, int cols);

/* The K largest eigenvalues of the symmetric d x d matrix A, falling, and their unit eigenvectors
 * (d x K).  A is destroyed. */
em_status emi_top_eigen(double *A, int d, int K, double *values, double *vectors, em_error *err);

/* All d eigenpairs of the symmetric A, which is kept, made better: see refine.c.  Pairs whose eigenvalues are no larger than
 * `nothing` are rounding, and are not told apart; NULL: there are none. */
em_status emi_refine_eigen(const double *A, int d, const double *nothing, double *values, double *vectors,
                           em_error *err);

/* sin^2 of the angle between x and the unit vector q, as ||x - (x'q) q||^2 / ||x||^2: unlike
 * 1 - cos^2 this form can go below 1e-16. */
double emi_sin2(int d, const double *x, const double *q);

double emi_norm(int d, const double *x);

/* Is the entry of largest magnitude, the first of several, negative? */
int emi_points_down(int d, const double *x);

#endif
