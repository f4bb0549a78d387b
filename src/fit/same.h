/* What is asked, one by one: do all processes ask the same, and is it what a checkpoint was made with? */
#ifndef EMI_FIT_SAME_H
#define EMI_FIT_SAME_H

#include "fit/prepare.h"

/* An option, or something about the data, and a number for its value: see base/digest.h. */
typedef struct emi_asked {
    const char *name;
    int is_option;
    int decides;            /* the result depends on it          */
    uint64_t value, preset; /* preset: of an option, its default */
} emi_asked;

enum { EMI_ASKED_MAX = EMI_OPTIONS_MAX + 3 };

/* Returns how many there are. */
int emi_asked_list(emi_asked out[EMI_ASKED_MAX], const em_shards *shards, const em_options *options);

/* Before anything is computed: an error, the same everywhere, where the options, the number of features or their names differ between
 * processes.  Collective; nothing happens where all nodes live in this one. */
em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err);

#endif
