/* The synthetic data of the paper: N samples of a Gaussian whose covariance has eigenvalues evenly from 1 to 0.8 (1 alone when
 * K = 1), then gap times the K-th, then evenly down to 0.1.
 *
 * The eigenvectors are a random orthonormal basis.  Up to 2000 features it is drawn uniformly, by a QR decomposition, which
 * takes features^3 operations.  Beyond that it is a product of 4 log2(features) layers of rotations, each by random angles in
 * randomly paired coordinates (Kac's walk): the spectrum is exactly the same, the eigenvectors are as dense and without
 * pattern, and a sample takes features log2(features) operations. */
#ifndef LAB_TABLES_GENERATE_H
#define LAB_TABLES_GENERATE_H

#include <eigenmesh/eigenmesh.h>

/* A table in memory, float64. */
em_status lab_generate(em_data **out, size_t features, size_t samples, size_t components, double gap, uint64_t seed,
                       em_error *err);

/* The same table, bit for bit, whose rows are made whenever they are read: memory is that of the basis and of a few rows,
 * whatever the number of samples.  For writing it to a file; a method, which reads its data many times, wants lab_generate. */
em_status lab_generate_rows(em_data **out, size_t features, size_t samples, size_t components, double gap,
                            uint64_t seed, em_error *err);

#endif
