/* One line on a terminal that shows how far long work is; nothing of the kind elsewhere. */
#ifndef EIGENMESH_PROGRESS_H
#define EIGENMESH_PROGRESS_H

#include "lab/experiment.h"

/* Draw at all?  Only ever where stderr is a terminal. */
void progress_allow(int wanted);

/* An em_monitor_fn: draws the iteration, after a label where there is one, and stops the run after Ctrl-C. */
int progress_fit(const em_progress *now, void *label);

/* An lab_experiment_monitor_fn: draws the share of the runs that is done, after a label. */
int progress_experiment(const lab_experiment_progress *now, void *label);

/* Rows done, of so many. */
void progress_rows(size_t done, size_t total);

void progress_erase(void);

#endif
