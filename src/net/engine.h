/* The engine of a study, by the contract of eigenmesh/engine.h: one node a process, over the hub's links. */
#ifndef EIGENMESH_NET_ENGINE_H
#define EIGENMESH_NET_ENGINE_H

#include "net/hub.h"

/* For one run: what was entered as this generation.  The hub outlives it.  `logs`: every block in the audit log. */
em_status emi_net_engine_open(const em_engine **engine, void **state, emi_hub *hub, uint64_t generation,
                              const emi_study *study, int site, int logs, em_error *err);

#endif
