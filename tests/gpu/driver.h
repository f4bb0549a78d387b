/* The libraries that the tests run with, the stand-ins or the real ones. */
#ifndef TESTS_GPU_DRIVER_H
#define TESTS_GPU_DRIVER_H

#include <stddef.h>

/* Are they the stand-ins?  Else the functions below do nothing, and return 0. */
int driver_is_standin(void);

/* As standin/standin.h has them. */
void driver_fail_at(long n);
int driver_has_failed(void);
void driver_memory(size_t bytes);
long driver_live(void);
long driver_pushed(void);
size_t driver_sent(void);

/* What stays open: two streams, and two events for each of two buffers. */
enum { DRIVER_OPEN = 6 };

/* From now on, whatever is faster: 0: products are made with the rows; 1: a covariance is formed there; -1: as it would be. */
void driver_forms(int forms);

#endif
