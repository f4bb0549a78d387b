/* Ctrl-C, SIGTERM, closed pipes, and an alarm for calls that wait for other processes. */
#ifndef EIGENMESH_SIGNALS_H
#define EIGENMESH_SIGNALS_H

void interrupt_install(void);

/* From now on somebody asks interrupt_requested() regularly: a signal only leaves a
 * note.  Until then a signal ends the program at once, with nothing written. */
void interrupt_defer(void);
int interrupt_requested(void);

/* Something was written to a pipe that nobody reads any more. */
int interrupt_pipe_closed(void);

/* For calls that cannot be told how long to wait, such as starting MPI and ending it: from now on, until guard_end, this
 * process ends itself after so many seconds, since not all others have "started". */
void guard_begin(double seconds, const char *done);
void guard_end(void);

#endif
