/* CUDA's driver and cuBLAS, as far as eigenmesh uses them, on the CPU: what a test can look at, and make go wrong.  The functions
 * are found by dlsym, like the others. */
#ifndef STANDIN_H
#define STANDIN_H

#include <stddef.h>

/* The n-th call from now on fails, -1: none; did one fail since? */
void standin_fail_at(long n);
int standin_has_failed(void);

/* Bytes of its memory; allocations, of the device's memory and of the host's, that are not given back; and contexts that are
 * still pushed. */
void standin_memory(size_t bytes);
long standin_live(void);
long standin_pushed(void);

/* Bytes that were sent to the device, since the last time this was asked. */
size_t standin_sent(void);

/* ---- for the other library -------------------------------------------------------------------------------------- */

/* Non-zero: this call is to fail. */
int standin_step(void);

/* Is all of this one allocation's? */
int standin_holds(const void *at, size_t bytes);

#endif
