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

/* ---- for each other ------------------------------------------------------------------------------------------------ */

enum { INVALID = 1, OUT_OF_MEMORY = 2, BROKEN = 700 };

/* Non-zero: this call is to fail. */
int standin_step(void);

#define STEP()                                                                                                         \
    do {                                                                                                               \
        if (standin_step()) return BROKEN;                                                                             \
    } while (0)

/* Counted memory. */
int standin_take(void **out, size_t bytes, int of_device);
int standin_give(const void *at);

/* Is all of this one allocation's, of the device's memory or of the host's? */
int standin_holds(const void *at, size_t bytes);
int standin_is_pinned(const void *at, size_t bytes);

/* A copy on a stream: made when somebody waits for it, and not before, where the driver may take its time too; 0: no memory. */
int standin_copy(void *to, const void *from, size_t bytes, void *stream);

/* And back: it is there when the host has waited. */
int standin_fetch(void *to, const void *from, size_t bytes, void *stream);

/* What is on a stream is done now, as something else begins there; what is on any. */
void standin_catch_up(const void *stream);
void standin_finish(void);

#endif
