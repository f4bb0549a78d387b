#include "support/truth.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void truth_pca(const double *rows, size_t N, int d, double *values, double *vectors)
{
    size_t n = (size_t)d;
    double *mean = calloc(n, sizeof *mean), *C = calloc(n * n, sizeof *C), *rising = malloc(n * sizeof *rising);
    for (size_t r = 0; r < N; r++)
        for (size_t f = 0; f < n; f++) mean[f] += rows[r * n + f] / (double)N;
    for (size_t r = 0; r < N; r++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                C[a * n + b] += (rows[r * n + a] - mean[a]) * (rows[r * n + b] - mean[b]) / (double)N;
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', d, C, d, rising) != 0) abort();
    for (size_t k = 0; k < n; k++) {
        values[k] = rising[n - 1 - k];
        memcpy(vectors + k * n, C + (n - 1 - k) * n, n * sizeof *vectors);
    }
    free(rising);
    free(C);
    free(mean);
}

double truth_sin2(const double *x, const double *q, int d)
{
    double xx = 0, xq = 0, off = 0;
    for (int f = 0; f < d; f++) xx += x[f] * x[f], xq += x[f] * q[f];
    for (int f = 0; f < d; f++) off += (x[f] - xq * q[f]) * (x[f] - xq * q[f]);
    return off / xx;
}

static double normal(unsigned *state)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * 1664525U + 1013904223U;
        sum += (*state >> 8) * 0x1p-24;
    }
    return sum - 6;
}

double *truth_rows(size_t N, int d, const double *spectrum, unsigned seed)
{
    size_t n = (size_t)d;
    unsigned state = seed;
    double *rows = malloc(N * n * sizeof *rows), *Q = malloc(n * n * sizeof *Q), *tau = malloc(n * sizeof *tau);
    for (size_t i = 0; i < n * n; i++) Q[i] = normal(&state);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, d, d, Q, d, tau) || LAPACKE_dorgqr(LAPACK_COL_MAJOR, d, d, d, Q, d, tau))
        abort();
    for (size_t r = 0; r < N; r++) {
        for (size_t f = 0; f < n; f++) rows[r * n + f] = 1 + (double)f;
        for (size_t k = 0; k < n; k++) {
            double z = normal(&state) * sqrt(spectrum[k]);
            for (size_t f = 0; f < n; f++) rows[r * n + f] += z * Q[k * n + f];
        }
    }
    free(tau);
    free(Q);
    return rows;
}
