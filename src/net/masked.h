/* Masked sums in a run of a study: keys of START, the site's policy, and a line of the log for each sum. */
#ifndef EIGENMESH_NET_MASKED_H
#define EIGENMESH_NET_MASKED_H

#include "net/hub.h"
#include "net/policy.h"

typedef struct emi_masked emi_masked;

/* For the run that was entered as this generation, once. */
em_status emi_masked_open(emi_masked **out, emi_hub *hub, uint64_t generation, const emi_identity *identity, int site,
                          const emi_policy *policy, em_error *err);
void emi_masked_close(emi_masked **masked); /* wiped; accepts NULL */

/* A block that came down before there was a mesh. */
em_status emi_masked_follow(emi_masked *masked, const void *block, size_t bytes, em_error *err);

/* From now on it is the mesh's, also where this fails. */
em_status emi_masked_give(emi_masked **masked, em_mesh *mesh, em_error *err);

#endif
