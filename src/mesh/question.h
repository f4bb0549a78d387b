/* What the root asks all nodes: products of C with some vectors, or C itself.
 *
 * On a masked mesh each node looks at the question before it answers, and words have room for the answer as it can be at most.  With
 * s_f the deviation of feature f over all data, and any part of the rows (Cauchy and Schwarz),
 *
 *     |(C_i x)_f| <= M s_f sqrt(x' C x),    sqrt(x' C x) <= min(sqrt(trace C), sum_f s_f |x_f|).
 *
 * So every number has as many digits as its own feature and vector call for, whatever the units of others. */
#ifndef EMI_MESH_QUESTION_H
#define EMI_MESH_QUESTION_H

#include "linalg/block.h"
#include "mesh/mesh.h"

/* From now on questions are about data of these deviations, and this variance in all.  Nothing on a mesh without masks. */
void emi_question_about(em_mesh *mesh, const double *deviation, int d, double variance);

/* The vectors x, which came from the root, are what the next sum at the root is an answer to; one number more a column, x' C x, may be
 * behind it.  A node that must not answer fails here. */
void emi_question_ask(em_mesh *mesh, emi_block x);

/* Are they such as are answered?  gram: (cols, cols) */
int emi_question_is_sound(emi_block x, double *gram);

/* C is. */
void emi_question_ask_all(em_mesh *mesh, int d);

/* Is there a question whose answer has `size` numbers?  And the places of each of these. */
int emi_question_fits(const emi_question *q, size_t size);
void emi_question_places(const emi_question *q, size_t size, int *places);

/* What answers are off by for want of digits: |z' dC x| <= this (s . |z|)(s . |x|).  0 on a mesh without masks. */
double emi_question_rounding(const em_mesh *mesh);

void emi_question_free(emi_question *q);

#endif
