#include "support/matrix.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void matrix_fill(double *values, size_t count, uint64_t seed)
{
    emi_random random = emi_random_seed(seed, EMI_STREAM_DATA);
    for (size_t n = 0; n < count; n++) values[n] = 2 * emi_random_uniform(&random) - 1;
}

void matrix_multiply(const double *A, const double *B, double *C, int n, int m, int k)
{
    for (int col = 0; col < k; col++)
        for (int row = 0; row < n; row++) {
            double sum = 0;
            for (int t = 0; t < m; t++) sum += A[t * n + row] * B[col * m + t];
            C[col * n + row] = sum;
        }
}

/* A <- (I - 2 u u') A, u a unit vector. */
static void reflect(const double *u, double *A, int d)
{
    for (int col = 0; col < d; col++) {
        double along = 0;
        for (int i = 0; i < d; i++) along += u[i] * A[col * d + i];
        for (int i = 0; i < d; i++) A[col * d + i] -= 2 * along * u[i];
    }
}

/* A product of a few reflections is orthogonal. */
static void random_orthogonal(double *Q, int d, uint64_t seed)
{
    double *u = malloc(sizeof *u * (size_t)d);
    if (!u) abort();
    for (int i = 0; i < d * d; i++) Q[i] = i % (d + 1) == 0;
    for (uint64_t turn = 0; turn < 4; turn++) {
        double norm = 0;
        matrix_fill(u, (size_t)d, 4 * seed + turn);
        for (int i = 0; i < d; i++) norm += u[i] * u[i];
        for (int i = 0; i < d; i++) u[i] /= sqrt(norm);
        reflect(u, Q, d);
    }
    free(u);
}

void matrix_of_spectrum(double *A, double *Q, int d, const double *spectrum, uint64_t seed)
{
    double *own = malloc(sizeof *own * (size_t)d * (size_t)d);
    if (!own) abort();
    random_orthogonal(own, d, seed);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++) sum += spectrum[k] * own[k * d + i] * own[k * d + j];
            A[j * d + i] = sum;
        }
    if (Q) memcpy(Q, own, sizeof *own * (size_t)d * (size_t)d);
    free(own);
}

double matrix_departure_from_orthonormal(const double *Q, int d, int K)
{
    double largest = 0;
    for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++) {
            double dot = 0;
            for (int i = 0; i < d; i++) dot += Q[a * d + i] * Q[b * d + i];
            largest = fmax(largest, fabs(dot - (a == b)));
        }
    return largest;
}

void matrix_fill_table(double *rows, size_t count, int columns, uint64_t seed)
{
    emi_random random = emi_random_seed(seed, EMI_STREAM_DATA);
    emi_random_normals(&random, rows, count * (size_t)columns);
    for (size_t r = 0; r < count; r++)
        for (int f = 0; f < columns; f++) {
            double *value = &rows[r * (size_t)columns + (size_t)f];
            *value = 3 * pow(0.8, f) * *value + f + 1;
        }
}
