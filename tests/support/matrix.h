/* Matrices to test with, column-major, made without the library's own linear algebra. */
#ifndef TESTS_SUPPORT_MATRIX_H
#define TESTS_SUPPORT_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/* Numbers in [-1, 1) that follow from the seed. */
void matrix_fill(double *values, size_t count, uint64_t seed);

/* C = A B, by three loops: A is n x m, B is m x k. */
void matrix_multiply(const double *A, const double *B, double *C, int n, int m, int k);

/* A = Q diag(spectrum) Q' with a random orthogonal Q, d x d; Q may be NULL. */
void matrix_of_spectrum(double *A, double *Q, int d, const double *spectrum, uint64_t seed);

/* The largest |entry| of Q'Q - I, Q being d x K. */
double matrix_departure_from_orthonormal(const double *Q, int d, int K);

/* A table of rows, row-major: independent Gaussians about (1, 2, ...), whose deviations fall from 3, a fifth a
 * column. */
void matrix_fill_table(double *rows, size_t count, int columns, uint64_t seed);

#endif
