/* Eigenvectors of eigenvalues that are tiny beside the largest.
 *
 * LAPACK's error is relative to the largest eigenvalue.  Where features come in units of their own, covariances hold their
 * small eigenvalues to more digits than that, and a step of refinement (Ogita and Aishima, Japan J. Indust. Appl. Math. 35,
 * 2018, Algorithm 1) finds them: with R = I - V'V and S = V'AV,
 *
 *     lambda_i = s_ii / (1 - r_ii),  E_ij = (s_ij + lambda_j r_ij) / (lambda_j - lambda_i),  V <- V + V E.
 *
 * It converges quadratically; where eigenvalues are alike, E_ij = r_ij / 2 leaves the vectors as they are. */
#include "base/memory.h"
#include "linalg/block.h"

#include <cblas.h>
#include <math.h>

enum { STEPS = 6 }; /* at most: two are the rule */

static void symmetrise(emi_block A)
{
    for (int j = 0; j < A.cols; j++)
        for (int i = 0; i < j; i++) {
            double *above = emi_column_of(A, j) + i, *below = emi_column_of(A, i) + j;
            *above = *below = (*above + *below) / 2;
        }
}

/* What V lacks, in its own coordinates, in place of S; R is I - V'V.  Returns the largest entry. */
static double correction(emi_block S, emi_block R, const double *lambda, const double *nothing)
{
    static const double first_order = 0.1; /* beyond it, a step is no small one */
    double largest = 0;
    for (int j = 0; j < S.cols; j++)
        for (int i = 0; i < S.rows; i++) {
            double *s = emi_column_of(S, j) + i, r = emi_column_of(R, j)[i], gap = lambda[j] - lambda[i];
            double moved = *s + lambda[j] * r;
            int noise = nothing && lambda[i] <= nothing[i] && lambda[j] <= nothing[j];
            *s = i != j && !noise && fabs(moved) < first_order * fabs(gap) ? moved / gap : r / 2;
            largest = fmax(largest, fabs(*s));
        }
    return largest;
}

/* Falling order again: eigenvalues that LAPACK could not see were in any. */
static void sort_falling(double *values, emi_block V)
{
    for (int k = 1; k < V.cols; k++)
        for (int at = k; at > 0 && values[at - 1] < values[at]; at--) {
            double swap = values[at];
            values[at] = values[at - 1], values[at - 1] = swap;
            cblas_dswap(V.rows, emi_column_of(V, at), 1, emi_column_of(V, at - 1), 1);
        }
}

em_status emi_refine_eigen(const double *A, int d, const double *nothing, double *values, double *vectors,
                           em_error *err)
{
    static const double enough = 1e-9; /* its square is nothing */
    size_t size = (size_t)d * (size_t)d;
    double *room = size <= SIZE_MAX / 32 ? emi_doubles(3 * size) : NULL;
    if (!room) return emi_fail_memory(err, "eigenvectors");
    emi_block C = {d, d, (double *)A}, V = {d, d, vectors};
    emi_block S = {d, d, room}, R = {d, d, room + size}, AV = {d, d, room + 2 * size};
    double moved = 1;
    for (int step = 0; step < STEPS && moved > enough; step++) {
        emi_mul(1, C, V, 0, AV);
        emi_mul_tn(1, V, AV, 0, S);
        emi_mul_tn(-1, V, V, 0, R);
        symmetrise(S);
        for (int k = 0; k < d; k++) {
            double *r = emi_column_of(R, k) + k;
            *r += 1;
            values[k] = emi_column_of(S, k)[k] / (1 - *r);
        }
        moved = correction(S, R, values, nothing);
        emi_mul(1, V, S, 0, AV);
        for (size_t n = 0; n < size; n++) vectors[n] += AV.v[n];
    }
    sort_falling(values, V);
    emi_free(room);
    return EM_OK;
}
