/* The paper's Gaussian (Gang and Bajwa 2022, section V), a block of samples at a time: y = Q sqrt(Lambda) z with z
 * standard normal, Lambda the spectrum with the given eigengap and Q a random orthonormal basis. */
#ifndef LAB_TABLES_GAUSSIAN_H
#define LAB_TABLES_GAUSSIAN_H

#include "base/error.h"
#include "base/random.h"
#include "lab/tables/walk.h"

/* Q is drawn dense (QR of normals) or as Kac's walk.  The first costs d^3 once and d^2 a sample, the second d log d. */
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

/* The block of samples that begins with `first`, a multiple of at_once: how many they are, and they themselves, row-major.
 * They follow from what the Gaussian was opened with alone.  One thread at a time. */
size_t lab_gaussian_count(const lab_gaussian *g, size_t first);
void lab_gaussian_block(lab_gaussian *g, size_t first, double *out);

#endif
