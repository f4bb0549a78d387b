/* Check: can what is asked be done, by this method, on this network, with data of this size; do all processes ask the same;
 * and is a checkpoint about it? */
#ifndef EMI_FIT_CHECK_H
#define EMI_FIT_CHECK_H

#include "fit/prepare.h"
#include "run/checkpoint.h"

/* The method that the options name, for a network of so many nodes, or NULL for auto; an error where it cannot run
 * there, or would not read an option that was set. */
em_status emi_options_method(const em_options *options, int nodes, const emi_method **out, em_error *err);

/* What cannot be asked of a mesh whose sums are masked. */
em_status emi_options_masked(const em_options *options, const emi_method *named, em_error *err);

/* Extra vectors in a block: the user's, or a few more than wanted, which make the last wanted ones converge sooner; each
 * costs its share of every average. */
int emi_options_oversample(const em_options *options);

/* The options against the problem's size; N rows in all, d features. */
em_status emi_options_check(const em_options *options, uint64_t N, int d, em_error *err);

/* Before anything is computed: an error, the same everywhere, where the options, the number of features or their names
 * differ between processes.  Collective; nothing happens where all nodes live in this one. */
em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err);

/* A checkpoint to resume from must be of this problem; one that is there is never overwritten by a run that does not go on
 * from it.  Reads all rows that live here, to take their digest. */
em_status emi_checkpoint_match(emi_checkpoint *c, const emi_problem *p, const em_options *options, em_error *err);

/* Of these, NULL past the end, the method that was running; the first where the run is a new one. */
em_status emi_checkpoint_method(const emi_checkpoint *c, const emi_method *const *choices, int *index, em_error *err);

#endif
