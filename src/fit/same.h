/* What is asked, aspect by aspect: do all processes ask the same, and is it what a checkpoint was made with? */
#ifndef EMI_FIT_SAME_H
#define EMI_FIT_SAME_H

#include "fit/prepare.h"

/* What decides the result, and how it is called. */
typedef struct emi_aspect {
    const char *name;
    double value;
} emi_aspect;

enum { EMI_ASPECTS = 21 };

void emi_aspects(emi_aspect out[EMI_ASPECTS], const em_shards *shards, const em_options *options);

/* Before anything is computed: an error, the same everywhere, where the options, the number of features or their names differ between
 * processes.  Collective; nothing happens where all nodes live in this one. */
em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err);

#endif
