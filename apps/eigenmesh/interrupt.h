/* Ctrl-C, SIGTERM and closed pipes. */
#ifndef EIGENMESH_INTERRUPT_H
#define EIGENMESH_INTERRUPT_H

void interrupt_install(void);

/* From now on somebody asks interrupt_requested() regularly: a signal only leaves a
 * note.  Until then a signal ends the program at once, with nothing written. */
void interrupt_defer(void);
int interrupt_requested(void);

/* Something was written to a pipe that nobody reads any more. */
int interrupt_pipe_closed(void);

#endif
