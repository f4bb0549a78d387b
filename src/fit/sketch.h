/* How long residuals are, from a few random combinations of the rows of R = C X - X Theta: with W = C S for random columns S,
 *
 *     S' R = W' X - (S' X) Theta,
 *
 * whose columns are as long as those of R, on the average, times the square root of how many S has.  An estimate, at the cost of
 * those few products with C whatever the number of components. */
#ifndef EMI_FIT_SKETCH_H
#define EMI_FIT_SKETCH_H

#include "data/operator.h"

/* length[k]: three times what is estimated, which eight normal numbers rarely fall short of.  sound: the columns of X are
 * orthonormal, as far as that is seen the same way. */
em_status emi_sketch_residuals(const emi_operator *C, emi_block X, const double *theta, uint64_t seed, double *length,
                               int *sound, emi_scratch scratch, em_error *err);

#endif
