/* eigenmesh between sites: each runs one process beside its data, links are TLS 1.3 between keys that know each other, and there
 * is no server.  Link with eigenmesh_net and eigenmesh. */
#ifndef EIGENMESH_NET_H
#define EIGENMESH_NET_H

#include <eigenmesh/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Do the audit logs of a study's sites, those of these paths, agree with themselves and with each other?  Each finding is
 * handed over as one line of plain words, with the log, its site and the line in it.  EM_OK: there is none; EM_EDATA: there
 * are; anything else: a log cannot be read. */
typedef void em_audit_says(void *context, const char *finding);
EM_API em_status em_audit_check(const char *const *paths, int count, em_audit_says *say, void *context, em_error *err);

#ifdef __cplusplus
}
#endif
#endif
