/* The engines that are built in.  What is made of the moves of an engine (mixing, exact averages, maxima, counting) is
 * written once, above them, in this room. */
#ifndef EMI_MESH_ENGINE_H
#define EMI_MESH_ENGINE_H

#include "base/error.h"

#include <eigenmesh/engine.h>

/* The local engine: all nodes of the graph live in this process. */
extern const em_engine emi_engine_local;
em_status emi_engine_local_new(void **state, const em_graph *graph, em_error *err);

#endif
