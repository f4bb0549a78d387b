/* A random rotation of d dimensions for d log d work a vector: Kac's walk.
 *
 * Layer after layer, the coordinates are paired at random and every pair is turned by a random angle.  The sum of the
 * fourth powers of a unit vector's entries tells how far it is spread: 1 for an axis, about 3 / d for a random direction.
 * A layer leaves 3/4 of what it has above that, the mean of cos^4 + sin^4, so that log(d) / log(4/3) = 2.4 log2(d) layers
 * bring an axis there.  With 4 log2(d) of them the columns are dense and look like those of a uniformly random basis,
 * which takes d^2 numbers and d^3 operations.  (Pillai and Smith, "Kac's walk on n-sphere mixes in n log n steps", 2017,
 * for the walk by single pairs.) */
#ifndef LAB_TABLES_WALK_H
#define LAB_TABLES_WALK_H

#include "base/error.h"
#include "base/random.h"

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

#endif
