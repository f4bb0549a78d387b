/* What every file of this room says where there is no memory. */
#ifndef EIGENMESH_NET_NO_MEMORY_H
#define EIGENMESH_NET_NO_MEMORY_H

#include <eigenmesh/engine.h>

static inline em_status emi_no_memory(em_error *err)
{
    return em_fail(err, EM_ENOMEM, "node: out of memory; try a larger machine");
}

#endif
