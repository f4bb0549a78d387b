/* Blocks of memory of a middle size that were freed wait for the next who asks.  Pages that the system gives anew take longer to get
 * than to fill, and to give them back, with many threads, takes as long again: an eighth of a fit that takes 7 ms on a GPU. */
#ifndef EMI_BASE_REUSE_H
#define EMI_BASE_REUSE_H

#include <stddef.h>

/* A block of so many bytes or some more, aligned to a cache line; NULL: there is none. */
void *emi_reuse_take(size_t bytes);

/* May it wait?  0: it is to be freed. */
int emi_reuse_keep(void *memory);

#endif
