/* Engines move blocks along links, and nothing else.  What is built of such moves (mixing, exact averages,
 * maxima, counting) is written once, above them, in this room. */
#ifndef EMI_MESH_ENGINE_H
#define EMI_MESH_ENGINE_H

#include "base/error.h"

/* Directed links: at least those that touch a node of this process, every process in the same order. */
typedef struct emi_link {
    int from, to;
} emi_link;

typedef struct emi_links {
    size_t count;
    const emi_link *link;
} emi_links;

typedef struct emi_engine {
    const char *name; /* "local": the word after --engine */
    /* REQUIRED.  Decide which nodes live in this process: set mesh->first and mesh->hosted; may keep
     * mesh->engine_state.  On failure leaves nothing behind. */
    em_status (*open)(em_mesh *mesh, em_error *err);
    /* REQUIRED.  Accepts a mesh that is half-open. */
    void (*close)(em_mesh *mesh);
    /* REQUIRED, collective.  Along each of `links`, a block of `count` doubles leaves its hosted sender:
     * blocks[node - mesh->first].  The blocks stay the caller's and may not change before `end`. */
    em_status (*begin)(em_mesh *mesh, emi_links links, const double *const *blocks, size_t count, em_error *err);
    /* REQUIRED, collective.  Wait for the blocks that `begin` announced: inbox[node] is the block of every
     * sender that is hosted here or linked to a hosted node, to be read until the next `begin`. */
    em_status (*end)(em_mesh *mesh, const double **inbox, em_error *err);
} emi_engine;

/* The engines built in; a new one is a file of its own and a line in engines.c. */
extern const emi_engine *const emi_engines[];
extern const emi_engine emi_engine_local;

#endif
