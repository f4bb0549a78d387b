/* Moments of rows that keep coming: weight, mean and M2 = sum w (y - mean)(y - mean)', as they are held.
 *
 * Rows are kept as they are until there is a block of them.  Then they are centred about their own mean, their products are added
 * to M2 by one symmetric product, and so is what their mean is off the mean so far,
 *
 *     delta delta' a b / (a + b),   a and b being the weights of both sides,
 *
 * as one row more: T. F. Chan, G. H. Golub, R. J. LeVeque, Technical report STAN-CS-79-773, Stanford University, 1979.  The mean is
 * two doubles a feature, so that delta has all its digits also where the mean is 10^8 deviations away, and a file of moments need
 * not show a row for an origin. */
#ifndef EMI_DATA_ACCUMULATE_H
#define EMI_DATA_ACCUMULATE_H

#include "base/pool.h"
#include "data/data.h"
#include "data/directions.h"
#include "data/npz.h"
#include "linalg/block.h"
#include "linalg/skinny.h"

enum {
    EMI_MOMENTS_MOST =
        5000, /* features, of which M2 takes 200 MB                                                          */
    EMI_SINGLE_ROWS =
        64 /* whose products are one sum in floats; no more than eight such sums are one, before doubles  */
};

struct em_moments {
    int d;
    uint64_t rows;          /* that were added; these and the weights without those that wait */
    double weight, squared; /* the sum of their weights, and of the squares of these          */
    double *mean, *rest;    /* [d] their sum is the mean                                      */
    double *scatter;        /* [d * d] M2, the upper triangle; NULL: `sketch` has it          */
    emi_directions *sketch; /* NULL: `scatter` has it                                         */
    int single;             /* products of some rows were made in single precision            */
    char **names;           /* [d] one allocation; NULL: none                                 */

    void *waiting;        /* [room + 1 rows] as they are, floats or doubles                 */
    size_t held, room;    /* rows that wait, and at most                                    */
    emi_real real;        /* their precision                                                */
    double *first, *away; /* [d] for a block: a row of it, and what its mean is off that    */
    double *off;          /* [d] and off the mean so far                                    */

    emi_pool *pool; /* NULL: the calling thread does it all */
    emi_scratch *scratch;
    int threads;
};

/* Add the rows that wait: after it, all of them are in the numbers above. */
em_status emi_moments_settle(em_moments *m, em_error *err);

/* Add a block of rows of m->real, where none wait or these are they. */
em_status emi_moments_block(em_moments *m, const void *from, size_t count, em_error *err);

/* The columns that a thread of m->threads has, where each column is for itself. */
void emi_moments_stripe(const em_moments *m, int index, size_t *begin, size_t *end);

/* Are these columns the same, by their names where both have some?  `whose` is for messages.  And names, where there are none yet. */
em_status emi_moments_match(const em_moments *m, size_t columns, char *const *names, const char *whose, em_error *err);
em_status emi_moments_name(em_moments *m, char *const *names, em_error *err);

/* An empty one: exact, or with directions. */
em_status emi_moments_new(em_moments **out, size_t columns, size_t directions, em_error *err);

/* What summing may have lost, for good, of an entry of M2, relative to the deviations of both features.  In floats: of n terms that
 * are alike every sum is rounded the same way, by up to half a unit of what it is by then, n / 3 of these in all; rows with few
 * values, such as counts, come near that in every block, so that more rows are no help.  Then, in doubles, a random walk. */
double emi_moments_rounding(const em_moments *m);

/* What variances are divided by: N - 1 of N rows, and what makes them unbiased where weights differ. */
double emi_degrees(double weight, double squared);

/* These columns alone, in this order; of one that has settled. */
em_status emi_moments_pick(em_moments *m, const size_t *pick, size_t picked, em_error *err);

/* ---- as a table ------------------------------------------------------------------------------------------------------------- */

/* Leave data with these for its state, which it owns or borrows; they have settled. */
em_status emi_moments_open(em_data *data, em_moments *m, int owned, em_error *err);

/* ---- in a file -------------------------------------------------------------------------------------------------------------- */

int emi_npz_is_moments(const emi_npz *npz);
em_status emi_moments_read(em_moments **out, emi_npz *npz, const char *name, em_error *err);

#endif
