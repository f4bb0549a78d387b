/* eigenmesh between sites: each runs one process beside its data, links are TLS 1.3 between keys that know each other, and there
 * is no server.  Link with eigenmesh_net and eigenmesh. */
#ifndef EIGENMESH_NET_H
#define EIGENMESH_NET_H

#include <eigenmesh/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
