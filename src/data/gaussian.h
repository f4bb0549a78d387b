/* The paper's Gaussian (Gang and Bajwa 2022, section V), a block of samples at a time: y = Q sqrt(Lambda) z with z
 * standard normal, Lambda the spectrum with the given eigengap and Q a random orthonormal basis. */
#ifndef EMI_DATA_GAUSSIAN_H
#define EMI_DATA_GAUSSIAN_H

#include "base/error.h"
#include "base/random.h"
#include "linalg/walk.h"

/* Q is drawn dense (QR of normals) or as Kac's walk.  The first costs d^3 once and d^2 a sample, the second d log d. */
typedef enum emi_basis { EMI_BASIS_DENSE, EMI_BASIS_WALK } emi_basis;

typedef struct emi_gaussian {
    int d;
    size_t samples, at_once; /* samples in all, and in a block but the last */
    double *root;            /* [d] square roots of the eigenvalues */
    double *dense;           /* (d,d) Q sqrt(Lambda); NULL: it is the walk */
    emi_walk walk;
    emi_normals normals; /* where those of the first sample begin */
    double *work;        /* one block */
} emi_gaussian;

/* On failure nothing is held. */
em_status emi_gaussian_open(emi_gaussian *g, int d, size_t samples, int K, double gap, uint64_t seed, emi_basis basis,
                            em_error *err);
void emi_gaussian_close(emi_gaussian *g);

/* The block of samples that begins with `first`, a multiple of at_once: how many they are, and they themselves, row-major.
 * They follow from what the Gaussian was opened with alone.  One thread at a time. */
size_t emi_gaussian_count(const emi_gaussian *g, size_t first);
void emi_gaussian_block(emi_gaussian *g, size_t first, double *out);

#endif
