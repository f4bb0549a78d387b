/* For the tests of TLS: sites of the library, and strangers made of bare OpenSSL, which keep to no rule. */
#ifndef TESTS_NET_TLS_PEERS_H
#define TESTS_NET_TLS_PEERS_H

#include "net/connection.h"
#include "support/check.h"

/* A site whose key comes from a seed of 32 times this byte. */
typedef struct site {
    emi_identity *identity;
    emi_tls *tls;
} site;

site site_open(unsigned char seed);
void site_close(site *s);

/* For emi_connection_open: the one key that is expected; NULL: none.  Counts how often it was asked. */
typedef struct expected {
    const unsigned char *id;
    int asked;
} expected;
int is_expected(void *context, const unsigned char id[EMI_ID_BYTES]);

/* A connected pair of non-blocking sockets; over TCP on the loopback, or a socketpair with small buffers. */
void socket_pair(int sockets[2], int tcp, int buffer);

emi_connection *connect_site(const site *s, int socket, int dials, expected *e);

/* Until there is something to read, or the other end is gone; two seconds at most. */
void await_bytes(int socket);

/* How many SIGPIPE have come; strangers' own do not count. */
int sigpipes(void);

/* Shake both until neither moves; 1, 0, -1 each, as emi_connection_shake. */
void shake_sites(emi_connection *a, emi_connection *b, int result[2], em_error err[2]);

/* ---- strangers ------------------------------------------------------------------------------------------------------ */

typedef struct habits {
    unsigned char seed;   /* of an Ed25519 key; 0: no certificate */
    int p256;             /* a P-256 key instead */
    size_t comment;       /* bytes of an extension, to make a large certificate */
    X509 *second;         /* follows the leaf */
    const char *alpn;     /* as TLS writes it: "\x0b" "eigenmesh/1"; NULL: none */
    int most;             /* newest version; 0: TLS 1.3 */
    const char *groups;   /* NULL: OpenSSL's */
    const char *signs;    /* signature algorithms; NULL: OpenSSL's */
    SSL_SESSION *session; /* to take up again */
    EVP_PKEY *key;        /* with which it signs, in place of the seed's */
} habits;

typedef struct stranger {
    SSL_CTX *rules;
    SSL *ssl;
    int socket;
    int key_updates; /* KeyUpdate messages seen */
    int tickets;     /* sessions offered by the other side */
} stranger;

#define GOOD_ALPN "\x0b" EMI_ALPN

stranger *stranger_open(const habits *h, int socket, int dials);
void stranger_close(stranger *s); /* without a goodbye */
int stranger_shake(stranger *s);  /* 1, 0, -1 */
int stranger_read(stranger *s, void *bytes, size_t room, size_t *got);
int stranger_write(stranger *s, const void *bytes, size_t count);

/* Shake until nothing moves: the site's result, and its words. */
int shake_with(emi_connection *c, stranger *s, em_error *err);

X509 *certificate_with(EVP_PKEY *subject, EVP_PKEY *signer, size_t comment);
EVP_PKEY *key_of_seed(unsigned char seed);

#endif
