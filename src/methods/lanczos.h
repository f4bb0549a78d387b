/* Block Lanczos at one place, as question and answer: the next block q to be multiplied with C, and what comes of it.
 * Whoever asks makes the product: the nodes of a network, or a matrix at hand. */
#ifndef EMI_METHODS_LANCZOS_H
#define EMI_METHODS_LANCZOS_H

#include "base/random.h"
#include "linalg/ritz.h"
#include "run/solver.h"

/* Blocks that a basis has room for, before it begins again from its best vectors; and beside rows that take little memory. */
enum { EMI_LANCZOS_BLOCKS = 16, EMI_LANCZOS_BLOCKS_LEAN = 8 };

/* Of a start that is an answer: a larger eigenvalue may be hidden, none can be, or the first columns are gone that would tell. */
enum { EMI_MAY_HIDE, EMI_HIDES_NOTHING, EMI_TIME_TELLS };

typedef struct emi_lanczos {
    const emi_solver *s; /* what is asked for: K, tolerance, rank, ...                                */
    int most, narrow;    /* columns of the first block, and of those after it                         */
    int width;           /* of this one; 0: nothing is left to ask                                    */
    double *q;           /* (d, most)                                                                 */
    emi_ritz_space ritz;
    int K;           /* components wanted                                                         */
    int pairs;       /* Ritz pairs looked at: those, and a few more                               */
    int found;       /* of those wanted, whatever the basis was made to hold since                */
    int large;       /* the first so many that are not locked are in the way of smaller ones      */
    double residual; /* the worst of those wanted; infinite as long as that is not known          */
    double least;    /* the smallest that it was, and since when it has not fallen much           */
    double idle;
    double hidden; /* may a larger one be?  One of those below                                  */
    emi_random random;
} emi_lanczos;

/* Columns of the first block. */
int emi_lanczos_block(const emi_solver *s);

/* Who only hears the questions has no basis. */
em_status emi_lanczos_open(emi_lanczos *l, const emi_solver *s, int asks, em_error *err);
void emi_lanczos_close(emi_lanczos *l); /* accepts the zeroed and the half-built */

/* The first question: the columns of X, or as many of them as a block has, and random ones beside them. */
em_status emi_lanczos_begin(emi_lanczos *l, emi_block X, em_error *err);

/* The same from orthonormal columns, as many as a block has. */
void emi_lanczos_begin_at(emi_lanczos *l, emi_block X);

/* The answer, and the next question.  EM_ENUMERIC where a number is not finite. */
em_status emi_lanczos_take(emi_lanczos *l, const double *Cq, em_error *err);

/* The Ritz vectors and values of the first K, falling; fewer as long as the basis has fewer. */
emi_block emi_lanczos_vectors(const emi_lanczos *l);

/* C times those vectors, from the products that were answered; 0 where some are not held any more. */
int emi_lanczos_products(const emi_lanczos *l, double *CX);

/* The eigenvalue after those, and how far it may lie above that; NaN: unknown, 0: there is none. */
void emi_lanczos_next(const emi_lanczos *l, double *next, double *beyond);

#endif
