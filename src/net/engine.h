/* The engine of a study, by the contract of eigenmesh/engine.h: one node a process, over the hub's links.  In two things a study
 * goes beyond it.  A site that fails tells nobody by the engine: its process ends, and others wait for it to come back.  And a
 * block stays where it is until its receiver has acknowledged it, so that it can be sent again: `end` waits for those that this
 * site sends to as well. */
#ifndef EIGENMESH_NET_ENGINE_H
#define EIGENMESH_NET_ENGINE_H

#include "net/hub.h"

/* For one run: what was entered as this generation.  The hub outlives it. */
em_status emi_net_engine_open(const em_engine **engine, void **state, emi_hub *hub, uint64_t generation, int sites,
                              int site, em_error *err);

#endif
