/* For calls that wait for other processes, and cannot be told for how long: starting MPI, and ending it. */
#ifndef EIGENMESH_GUARD_H
#define EIGENMESH_GUARD_H

/* From now on, until guard_end, this process ends itself after so many seconds, since not all others have "started". */
void guard_begin(double seconds, const char *done);
void guard_end(void);

#endif
