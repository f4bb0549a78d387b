/* A problem set up for one trial: a network, the data on it, and what all contenders there share. */
#ifndef EMI_STUDY_SETTING_H
#define EMI_STUDY_SETTING_H

#include "fit/run.h"

typedef struct emi_setting {
    em_graph *own_graph; /* of a single node */
    em_mesh *mesh;
    emi_problem problem;
    emi_count count[EMI_PHASES]; /* what setting it up has sent */
} emi_setting;

/* On this graph, or where it is NULL on a single node.  `steps`: products that the busiest contender is expected to do. */
em_status emi_setting_open(emi_setting *setting, const em_graph *graph, int threads, const em_shards *shards,
                           const em_options *options, long steps, em_error *err);

/* One contender there, as if it were the first. */
em_status emi_setting_solve(emi_setting *setting, const emi_truth *truth, const em_options *options, em_model **out,
                            em_error *err);

void emi_setting_close(emi_setting *setting); /* accepts the zeroed and the half-opened */

#endif
