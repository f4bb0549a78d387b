/* TLS from the inside: what tls.c, connection.c, socket_bio.c and tls_words.c share.  Others want net/tls.h. */
#ifndef EIGENMESH_NET_CONNECTION_H
#define EIGENMESH_NET_CONNECTION_H

#include "net/tls.h"

#include <openssl/ssl.h>

enum {
    EMI_RECORD_MOST = 16384,      /* bytes of a TLS record: one SSL_write of no more is one record */
    EMI_RECORDS_A_KEY = 1 << 22,  /* after so many records written, the next key: AES-GCM is good for 2^24.5 */
    EMI_CERTIFICATES_MOST = 4096, /* bytes of all that the other side shows; ours has some 260 */
    EMI_SPEAKS_MOST = 32          /* of what a stranger says it speaks, as far as messages repeat it */
};

struct emi_tls {
    SSL_CTX *rules;
    BIO_METHOD *wire;
};

/* What this side found wrong by itself; OpenSSL's own findings are in its queue of errors. */
typedef enum emi_refusal {
    EMI_REFUSED_NOTHING = 0,
    EMI_REFUSED_KEY,      /* not one that is expected */
    EMI_REFUSED_KEY_KIND, /* not Ed25519 */
    EMI_REFUSED_ALPN,     /* another protocol, or none */
    EMI_REFUSED_RESUMED   /* a handshake in which no key was looked at */
} emi_refusal;

struct emi_connection {
    SSL *ssl;
    int socket;
    int dials;
    emi_tls_knows *knows;
    void *context;
    unsigned char peer[EMI_ID_BYTES];
    int seen;  /* peer[] is the leaf's key */
    int known; /* and `knows` said yes, in this handshake */
    emi_refusal refusal;
    char speaks[EMI_SPEAKS_MOST + 1]; /* "": it did not say */
    int socket_error;                 /* errno of the last send or recv */
    int hung_up;                      /* recv has said so */
    int shaken;                       /* the handshake is done */
    int heard;                        /* a byte has come after it */
    int over;                         /* and `why` has the words */
    em_error why;
    short reading, writing; /* POLLIN, POLLOUT, that the last read and the last write wait for */
    size_t held; /* bytes of the record that the socket did not take at once: OpenSSL has it, and wants them again */
    uint32_t records; /* written with the present key */
};

/* OpenSSL's way to a socket: never SIGPIPE. */
BIO_METHOD *emi_socket_bio(void);
int emi_socket_bio_attach(emi_connection *c, BIO_METHOD *method);

/* This connection is over: why, in words, from what SSL_get_error said and from OpenSSL's errors of this thread, which are then
 * forgotten.  Always -1. */
int emi_connection_end(emi_connection *c, int ssl_error, em_error *err);

/* A certificate that carries the identity's key, and means nothing beside. */
em_status emi_certificate_make(X509 **out, const emi_identity *identity, em_error *err);

#endif
