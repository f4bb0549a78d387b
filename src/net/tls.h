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
 * `wants` tells for what to poll; -1: it is over, in words, which every later call repeats.  A peer that closes in order is
 * EM_ENET too, and `err` says so.  Reading and writing shake first where that is not done.
 *
 * What a write did not put comes first in the next one, unchanged and no shorter: the record it began is made already.
 * After 2^22 records written a connection takes the next key by itself. */
int emi_connection_shake(emi_connection *c, em_error *err);
int emi_connection_read(emi_connection *c, void *bytes, size_t room, size_t *got, em_error *err);
int emi_connection_write(emi_connection *c, const void *bytes, size_t count, size_t *put, em_error *err);

int emi_connection_socket(const emi_connection *c);
short emi_connection_wants(const emi_connection *c); /* POLLIN, POLLOUT: what reading and writing wait for */
int emi_connection_pending(const emi_connection *c); /* bytes are here already, whatever poll says */

/* Who is there, or was refused: the key that the handshake showed.  NULL: none yet.  It is proved, and known, once the handshake
 * is done; the dialler then does not know yet whether it is known itself. */
const unsigned char *emi_connection_peer(const emi_connection *c); /* [EMI_ID_BYTES] */

#endif
