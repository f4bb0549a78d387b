/* What a site asks of a study before it goes on, whatever the root says: how many sites and rows there are at least, how many
 * columns of C it answers at most, and that its rows are those of before. */
#ifndef EIGENMESH_NET_POLICY_H
#define EIGENMESH_NET_POLICY_H

#include "net/frame.h"
#include "net/state.h"

#include <eigenmesh/net.h>

typedef struct emi_policy {
    const em_site_options *options;
    const emi_study *study;
    const emi_state *state;
    const emi_entry *own; /* columns and rows of it */
} emi_policy;

/* Before the study is begun: its sites, and what cannot be kept without masks. */
em_status emi_policy_check_study(const em_site_options *options, const emi_study *study, em_error *err);

/* Before anybody hears of it: are these the rows of before?  Once a run begins it is noted that they are. */
em_status emi_policy_check_rows(const emi_policy *policy, em_error *err);
em_status emi_policy_note_rows(const emi_policy *policy, em_error *err);

/* Now that it is known how many rows there are, here and in all. */
em_status emi_policy_count_rows(const emi_policy *policy, uint64_t own, uint64_t all, em_error *err);

/* So many columns of C more are about to be answered: it is on the disk when this returns. */
em_status emi_policy_answer(const emi_policy *policy, uint64_t columns, em_error *err);

/* How many were, in all runs of the study: 0, or -1 where the file does not say. */
int emi_policy_answered(const emi_state *state, uint64_t *columns);

/* Names of files of the state. */
#define EMI_STATE_OWN_ROWS "own-rows" /* the keyed digest of the rows that the study was begun with */
#define EMI_STATE_ANSWERED "answered" /* u64: columns of C */

#endif
