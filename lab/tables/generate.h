/* The synthetic data of the paper: N samples of a Gaussian whose covariance has eigenvalues evenly from 1 to 0.8 (1 alone when
 * K = 1), then gap times the K-th, then evenly down to 0.1.
 *
 * The eigenvectors are a random orthonormal basis.  Up to 2000 features it is drawn uniformly, by a QR decomposition, which
 * takes features^3 operations.  Beyond that it is a product of 4 log2(features) layers of rotations, each by random angles in
 * randomly paired coordinates (Kac's walk): the spectrum is exactly the same, the eigenvectors are as dense and without
 * pattern, and a sample takes features log2(features) operations. */
#ifndef LAB_TABLES_GENERATE_H
#define LAB_TABLES_GENERATE_H

#include "base/error.h"
#include "base/random.h"

/* A table in memory, float64. */
em_status lab_generate(em_data **out, size_t features, size_t samples, size_t components, double gap, uint64_t seed,
                       em_error *err);

/* The same table, bit for bit, whose rows are made whenever they are read: memory is that of the basis and of a few rows,
 * whatever the number of samples.  For writing it to a file; a method, which reads its data many times, wants lab_generate. */
em_status lab_generate_rows(em_data **out, size_t features, size_t samples, size_t components, double gap,
                            uint64_t seed, em_error *err);

/* ---- the basis of many features -------------------------------------------------------------------------------- */

/* A random rotation of d dimensions for d log d work a vector: Kac's walk.
 *
 * Layer after layer, the coordinates are paired at random and every pair is turned by a random angle.  The sum of the
 * fourth powers of a unit vector's entries tells how far it is spread: 1 for an axis, about 3 / d for a random direction.
 * A layer leaves 3/4 of what it has above that, the mean of cos^4 + sin^4, so that log(d) / log(4/3) = 2.4 log2(d) layers
 * bring an axis there.  With 4 log2(d) of them the columns are dense and look like those of a uniformly random basis,
 * which takes d^2 numbers and d^3 operations.  (Pillai and Smith, "Kac's walk on n-sphere mixes in n log n steps", 2017,
 * for the walk by single pairs.) */

/* Vectors that are turned together, entry by entry beside each other. */
enum { LAB_WALK_LANES = 16 };

typedef struct lab_walk {
    int d, layers;
    struct lab_givens *turns; /* [layers][d / 2] */
} lab_walk;

/* On failure nothing is held. */
em_status lab_walk_draw(lab_walk *walk, int d, emi_random *random, em_error *err);
void lab_walk_free(lab_walk *walk);

/* Turn LAB_WALK_LANES vectors: entry f of vector l is panel[f * LAB_WALK_LANES + l]. */
void lab_walk_turn(const lab_walk *walk, double *panel);

/* ---- the Gaussian -------------------------------------------------------------------------------------------------- */

/* A block of samples at a time: y = Q sqrt(Lambda) z with z standard normal, Lambda the spectrum and Q the basis, drawn dense or
 * as Kac's walk. */
typedef enum lab_basis { LAB_BASIS_DENSE, LAB_BASIS_WALK } lab_basis;

typedef struct lab_gaussian {
    int d;
    size_t samples, at_once; /* samples in all, and in a block but the last */
    double *root;            /* [d] square roots of the eigenvalues */
    double *dense;           /* (d,d) Q sqrt(Lambda); NULL: it is the walk */
    lab_walk walk;
    emi_normals normals; /* where those of the first sample begin */
    double *work;        /* one block */
} lab_gaussian;

/* On failure nothing is held. */
em_status lab_gaussian_open(lab_gaussian *g, int d, size_t samples, int K, double gap, uint64_t seed, lab_basis basis,
                            em_error *err);
void lab_gaussian_close(lab_gaussian *g);

/* The block of samples that begins with `first`, a multiple of at_once, row-major.  They follow from what the Gaussian was
 * opened with alone.  One thread at a time. */
void lab_gaussian_block(lab_gaussian *g, size_t first, double *out);

#endif
