/* A length of time, as people write it. */
#ifndef EIGENMESH_DURATION_H
#define EIGENMESH_DURATION_H

/* "30s", "10min", "1h", "90" (seconds) or "forever" (INFINITY): 0, or -1 where it is none of these, or no time at all. */
int duration_read(const char *text, double *seconds);

#endif
