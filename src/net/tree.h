/* Blocks down and up the tree of a study: the root's to everyone, and what all have to the root. */
#ifndef EIGENMESH_NET_TREE_H
#define EIGENMESH_NET_TREE_H

#include "net/program.h"

em_status emi_tree_open(emi_program *p, em_error *err); /* who is below */
void emi_tree_close(emi_program *p);
int emi_tree_parent(const emi_program *p); /* -1: this is the root */

/* The root's block to everyone. */
em_status emi_tree_tell(emi_program *p, void *block, size_t bytes, em_error *err);

/* All have the same model: the root learns that it is so. */
em_status emi_tree_agree(emi_program *p, const void *block, size_t bytes, em_error *err);

/* Whole numbers of all sites, added up at the root; elsewhere, of those below. */
em_status emi_tree_add(emi_program *p, uint64_t *numbers, int count, em_error *err);

#endif
