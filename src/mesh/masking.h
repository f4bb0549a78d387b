/* Sums of which nobody sees a share: each node turns its numbers into words and adds masks to them that cancel over all nodes, words
 * are added up over the tree, and the root turns the total back.
 *
 * A mask fits one sum, asked after one view of all that came down the tree: who was asked something else than the others adds noise,
 * which shows in four words that must come out as 0.  While a mesh is masked, no other exchange carries a node's numbers up: it
 * fails instead. */
#ifndef EMI_MESH_MASKING_H
#define EMI_MESH_MASKING_H

#include "mesh/mesh.h"

#include <eigenmesh/masks.h>

enum { EMI_MASKED_NODES = 1024 };

int emi_mesh_is_masked(const em_mesh *mesh);
void emi_masking_close(em_mesh *mesh);

/* ---- for collectives.c --------------------------------------------------------------------------------------------- */

/* A block came down, or is what all nodes have made of such: the view goes on from it. */
void emi_masking_follow(em_mesh *mesh, const void *block, size_t bytes);

/* Into the words of a node go those of a child. */
void emi_masking_add(em_mesh *mesh, int child, double *into, const double *from, size_t size);

/* ---- sums, by kind; failures stick ------------------------------------------------------------------------------------ */

/* The largest of the nodes' own[hosted], each between 0 and `most`; for all. */
void emi_masked_maximum(em_mesh *mesh, const int *own, int most, int *largest);

/* Sums of whole numbers, own[hosted * count]; for all. */
void emi_masked_counts(em_mesh *mesh, const uint64_t *own, size_t count, uint64_t *totals);

/* Sums of numbers below 2^(EMI_WIDE_ABOVE + exponent), which need not be alike in size: down to 2^-255 of that.  For all. */
void emi_masked_sums(em_mesh *mesh, const emi_field *parts, int exponent, double *totals);

/* The answers to the question that was asked last: see question.h.  At the root. */
void emi_masked_answers(em_mesh *mesh, const emi_field *parts, double *totals);

/* The nodes' own policies: of the rows that there are, and of columns of C, of so many features, that are asked for. */
void emi_masked_rows(em_mesh *mesh, const uint64_t *own, uint64_t all);
void emi_masked_consent(em_mesh *mesh, int columns, int features);

#endif
