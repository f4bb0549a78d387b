/* The cores that serve the nodes of this process: a loop whose passes are independent,
 * spread over threads.  What a pass computes may not depend on which thread runs it, so
 * results are the same for any number of threads. */
#ifndef EMI_BASE_POOL_H
#define EMI_BASE_POOL_H

#include "base/error.h"

typedef struct emi_pool emi_pool;

/* One pass.  `worker` (0 .. emi_pool_size - 1) names the scratch it may use. */
typedef em_status emi_loop_body(void *context, int index, int worker, em_error *err);

/* threads: 0 for one a core.  They start with the first loop that is worth it, which fails if the system refuses one; or now, so
 * that none does. */
em_status emi_pool_open(emi_pool **out, int threads, em_error *err);
em_status emi_pool_start(emi_pool *pool, em_error *err);
int emi_pool_size(const emi_pool *pool);

/* Run passes 0 .. count - 1.  `cost` is a guess at their arithmetic in all: what is small
 * runs on the calling thread, since waking others would take longer.  When some fail,
 * the failure of the smallest index is reported.  Without a pool, NULL, all of them do.  A pass
 * may run a loop itself: workers that have nothing left to do help with it. */
em_status emi_pool_run(emi_pool *pool, int count, double cost, emi_loop_body *body, void *context, em_error *err);

void emi_pool_close(emi_pool **handle);

#endif
