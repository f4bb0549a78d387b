/* TLS 1.3 between sites that know each other's keys: one connection, non-blocking, as bytes in and bytes out.
 *
 * Both sides present and require a certificate, self-signed and made in memory; of the peer's only the leaf's raw Ed25519 key
 * counts, which must be one of those that are expected.  No tickets, no resumption, no early data, no server name, no
 * renegotiation, ALPN "eigenmesh/1" on both sides, X25519 and Ed25519 only, certificates to 4 KB.  There is no option that
 * turns any of this off.
 *
 * A connection is used by one thread at a time. */
#ifndef EIGENMESH_NET_TLS_H
#define EIGENMESH_NET_TLS_H

#include "net/identity.h"

#define EMI_ALPN "eigenmesh/1"

typedef struct emi_tls emi_tls;               /* what a site's connections have in common */
typedef struct emi_connection emi_connection; /* one of them */

em_status emi_tls_open(emi_tls **out, const emi_identity *identity, em_error *err);
void emi_tls_close(emi_tls **tls); /* accepts NULL; after its connections */

/* Is this a key that may be at the other end?  Asked during the handshake, whoever dialled. */
typedef int emi_tls_knows(void *context, const unsigned char id[EMI_ID_BYTES]);

/* On a connected, non-blocking socket, which becomes its own, also where this fails.  The dialler is TLS's client. */
em_status emi_connection_open(emi_connection **out, emi_tls *tls, int socket, int dials, emi_tls_knows *knows,
                              void *context, em_error *err);
void emi_connection_close(emi_connection **connection); /* says goodbye where it can, waits for nobody; accepts NULL */

/* Go on with the handshake, with reading, with writing, as far as the socket lets it.  1: done, or bytes moved; 0: not now,
 * `wants` tells for what to poll; -1: it is over, in words.  A peer that closes in order is EM_ENET too, and `err` says so. */
int emi_connection_shake(emi_connection *c, em_error *err);
int emi_connection_read(emi_connection *c, void *bytes, size_t room, size_t *got, em_error *err);
int emi_connection_write(emi_connection *c, const void *bytes, size_t count, size_t *put, em_error *err);

int emi_connection_socket(const emi_connection *c);
short emi_connection_wants(const emi_connection *c); /* POLLIN, POLLOUT of the step that returned 0 */
int emi_connection_pending(const emi_connection *c); /* bytes are here already, whatever poll says */

/* After the handshake: who is there. */
const unsigned char *emi_connection_peer(const emi_connection *c); /* [EMI_ID_BYTES] */

#endif
