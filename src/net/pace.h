/* How often something may happen that a neighbour can bring about: a few times at once, as when a process is started again and
 * again by hand; then after pauses that grow as long as it goes on, up to a minute.  After ten minutes of quiet all is forgotten.
 * Time is an argument: seconds of any clock that does not go back. */
#ifndef EIGENMESH_NET_PACE_H
#define EIGENMESH_NET_PACE_H

enum { EMI_PACE_FREE = 8, EMI_PACE_MOST = 60, EMI_PACE_QUIET = 600 }; /* times; seconds */

typedef struct emi_pace {
    int count; /* since it was quiet last, up to those that go at once */
    double last, pause;
} emi_pace;

int emi_pace_allows(const emi_pace *pace, double now);
void emi_pace_take(emi_pace *pace, double now); /* it happens */

#endif
