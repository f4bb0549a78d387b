/* Check: can what is asked be done, by this method, on this network, with data of this size; and do all processes ask the
 * same? */
#ifndef EMI_FIT_CHECK_H
#define EMI_FIT_CHECK_H

#include "fit/prepare.h"

/* The method that the options name, for a network of so many nodes, or NULL for auto; an error where it cannot run
 * there, or would not read an option that was set. */
em_status emi_options_method(const em_options *options, int nodes, const emi_method **out, em_error *err);

/* Extra vectors in a block: the user's, or a few more than wanted, which make the last wanted ones converge sooner; each
 * costs its share of every average. */
int emi_options_oversample(const em_options *options);

/* The options against the problem's size; N rows in all, d features. */
em_status emi_options_check(const em_options *options, uint64_t N, int d, em_error *err);

/* What is asked, one by one: an option, or something about the data, and a number for its value: see base/digest.h. */
typedef struct emi_asked {
    const char *name;
    int is_option;
    int decides;            /* the result depends on it          */
    uint64_t value, preset; /* preset: of an option, its default */
} emi_asked;

enum { EMI_ASKED_MAX = EMI_OPTIONS_MAX + 3 };

/* Returns how many there are. */
int emi_asked_list(emi_asked out[EMI_ASKED_MAX], const em_shards *shards, const em_options *options);

/* Before anything is computed: an error, the same everywhere, where the options, the number of features or their names
 * differ between processes.  Collective; nothing happens where all nodes live in this one. */
em_status emi_check_same(em_mesh *mesh, const em_shards *shards, const em_options *options, em_error *err);

#endif
