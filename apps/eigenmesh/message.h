/* What this program says on stderr: one line where something is wrong and, where that is a terminal, one that shows how
 * far long work is.  And what it is told by signals: Ctrl-C, SIGTERM, closed pipes. */
#ifndef EIGENMESH_MESSAGE_H
#define EIGENMESH_MESSAGE_H

#include "base/error.h"
#include "lab/experiment.h"

/* Print "eigenmesh: MESSAGE", always exactly one line. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Draw progress at all?  Only ever where stderr is a terminal. */
void progress_allow(int wanted);

/* An em_monitor_fn: draws the iteration, after a label where there is one, and stops the run after Ctrl-C. */
int progress_fit(const em_progress *now, void *label);

/* A lab_experiment_monitor_fn: draws the share of the runs that is done, after a label. */
int progress_experiment(const lab_experiment_progress *now, void *label);

/* Rows done, of so many. */
void progress_rows(size_t done, size_t total);

/* The iteration, how far it is from the end, who is awaited and since when.  0: nothing is drawn here. */
int progress_waits(const char *who, double seconds);

void progress_erase(void);

void interrupt_install(void);

/* From now on somebody asks interrupt_requested() regularly: a signal only leaves a
 * note.  Until then a signal ends the program at once, with nothing written. */
void interrupt_defer(void);
int interrupt_requested(void);

/* Something was written to a pipe that nobody reads any more. */
int interrupt_pipe_closed(void);

#endif
