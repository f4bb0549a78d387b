/* A sketch of M2 for more features than M2 can be held of: rows b with B'B <= M2 <= B'B + shed I.
 *
 * Frequent directions: rows are appended; where there are too many, they are turned into orthogonal ones, which changes nothing,
 * the square of the length of the (l + 1)th is taken off all of those before it, and what is left of the others is nothing.  That
 * square is the most that any direction has lost by it, and the sum of these is `shed`.
 *
 *     E. Liberty: Simple and deterministic matrix sketching.  KDD 2013.
 *     M. Ghashami, E. Liberty, J. M. Phillips, D. P. Woodruff: Frequent directions.  SIAM Journal on Computing 45, 2016.
 *
 * What each feature has by itself, the diagonal of M2, is kept as it is. */
#ifndef EMI_DATA_DIRECTIONS_H
#define EMI_DATA_DIRECTIONS_H

#include "base/error.h"

typedef struct emi_directions {
    int d, most;     /* features; rows that are left when they are turned   */
    int held;        /* rows now                                            */
    double *rows;    /* [emi_directions_room(most) * d]                     */
    double *squares; /* [d] the diagonal of M2                              */
    double shed;     /* M2 - B'B is no more than this in any direction      */
} emi_directions;

em_status emi_directions_new(emi_directions **out, int d, int most, em_error *err);
void emi_directions_free(emi_directions **handle);

/* Rows that there is room for in all. */
size_t emi_directions_room(int most);

/* Have room for so many more, up to most + 2; where that fails, all is as it was, and so below. */
em_status emi_directions_make_room(emi_directions *s, size_t more, em_error *err);

/* Add rows, for which there is room. */
void emi_directions_add(emi_directions *s, const double *rows, size_t count);

/* Add all of another one's, with as many directions; there is room for one row more then. */
em_status emi_directions_merge(emi_directions *s, const emi_directions *more, em_error *err);

/* Orthogonal rows, `most` of them or fewer: none is one that was added. */
em_status emi_directions_turn(emi_directions *s, em_error *err);

/* All weights times `factor`. */
void emi_directions_weigh(emi_directions *s, double factor);

#endif
