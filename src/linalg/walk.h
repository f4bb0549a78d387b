/* A random rotation of d dimensions for d log d work a vector: Kac's walk.
 *
 * Layer after layer, the coordinates are paired at random and every pair is turned by a random angle.  The sum of the
 * fourth powers of a unit vector's entries tells how far it is spread: 1 for an axis, about 3 / d for a random direction.
 * A layer leaves 3/4 of what it has above that, the mean of cos^4 + sin^4, so that log(d) / log(4/3) = 2.4 log2(d) layers
 * bring an axis there.  With 4 log2(d) of them the columns are dense and look like those of a uniformly random basis,
 * which takes d^2 numbers and d^3 operations.  (Pillai and Smith, "Kac's walk on n-sphere mixes in n log n steps", 2017,
 * for the walk by single pairs.) */
#ifndef EMI_LINALG_WALK_H
#define EMI_LINALG_WALK_H

#include "base/error.h"
#include "base/random.h"

/* Vectors that are turned together, entry by entry beside each other. */
enum { EMI_WALK_LANES = 16 };

typedef struct emi_walk {
    int d, layers;
    struct emi_givens *turns; /* [layers][d / 2] */
} emi_walk;

/* On failure nothing is held. */
em_status emi_walk_draw(emi_walk *walk, int d, emi_random *random, em_error *err);
void emi_walk_free(emi_walk *walk);

/* Turn EMI_WALK_LANES vectors: entry f of vector l is panel[f * EMI_WALK_LANES + l]. */
void emi_walk_turn(const emi_walk *walk, double *panel);

#endif
