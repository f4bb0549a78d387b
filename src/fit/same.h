/* Do all processes ask the same? */
#ifndef EMI_FIT_SAME_H
#define EMI_FIT_SAME_H

#include "fit/problem.h"

/* Before anything is computed: an error, the same everywhere, where the options or the number of features differ between
 * processes.  Collective; nothing happens where all nodes live in this one. */
em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err);

#endif
