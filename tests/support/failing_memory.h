/* Memory that runs out on demand.  A test linked with failing_memory.c uses it in place of the library's own
 * src/base/memory.c. */
#ifndef TESTS_SUPPORT_FAILING_MEMORY_H
#define TESTS_SUPPORT_FAILING_MEMORY_H

#include <eigenmesh/eigenmesh.h>

/* From now on, the n-th allocation, counted from 0, fails, and only that one; -1: none. */
void memory_fail_at(long n);

/* Whether that one has come and failed. */
int memory_has_failed(void);

/* Allocations not yet freed. */
long memory_live(void);

/* Run it with the n-th allocation failing, for every n until none does: each failure is told, and everything is given back.  Returns how
 * many there are. */
typedef em_status workflow(const void *how, em_error *err);
long fail_each_once(workflow *run, const void *how);

#endif
