#include "net/tls_peers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- sites ---------------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t pipes;

static void count_pipe(int number)
{
    (void)number;
    pipes++;
}

int sigpipes(void)
{
    return pipes;
}

site site_open(unsigned char seed)
{
    unsigned char bytes[32];
    em_error err = {0};
    site s = {0};
    struct sigaction action = {.sa_handler = count_pipe};
    assert_int_equal(sigaction(SIGPIPE, &action, NULL), 0);
    memset(bytes, seed, sizeof bytes);
    assert_ok(emi_identity_from_seed(&s.identity, bytes, &err), &err);
    assert_ok(emi_tls_open(&s.tls, s.identity, &err), &err);
    return s;
}

void site_close(site *s)
{
    emi_tls_close(&s->tls);
    emi_identity_close(&s->identity);
}

int is_expected(void *context, const unsigned char id[EMI_ID_BYTES])
{
    expected *e = context;
    e->asked++;
    return e->id && memcmp(e->id, id, EMI_ID_BYTES) == 0;
}

static void connect_on_loopback(int sockets[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    sockets[0] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(sockets[0], (struct sockaddr *)&at, sizeof at), 0);
    sockets[1] = accept(listener, NULL, NULL);
    assert_true(sockets[1] >= 0);
    for (int n = 0; n < 2; n++)
        assert_int_equal(setsockopt(sockets[n], IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), 0);
    (void)close(listener);
}

void socket_pair(int sockets[2], int tcp, int buffer)
{
    if (tcp)
        connect_on_loopback(sockets);
    else
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(fcntl(sockets[n], F_SETFL, O_NONBLOCK), 0);
        if (buffer) assert_int_equal(setsockopt(sockets[n], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer), 0);
    }
}

void await_bytes(int socket)
{
    assert_int_equal(poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, 2000), 1);
}

emi_connection *connect_site(const site *s, int socket, int dials, expected *e)
{
    em_error err = {0};
    emi_connection *c = NULL;
    assert_ok(emi_connection_open(&c, s->tls, socket, dials, is_expected, e, &err), &err);
    return c;
}

void shake_sites(emi_connection *a, emi_connection *b, int result[2], em_error err[2])
{
    for (int turn = 0; turn < 200; turn++) {
        result[0] = emi_connection_shake(a, &err[0]);
        result[1] = emi_connection_shake(b, &err[1]);
        if (result[0] && result[1]) return;
        struct pollfd wait[2] = {{.fd = emi_connection_socket(a), .events = emi_connection_wants(a)},
                                 {.fd = emi_connection_socket(b), .events = emi_connection_wants(b)}};
        (void)poll(result[0] ? wait + 1 : wait, result[0] || result[1] ? 1 : 2, 5);
    }
}

/* ---- strangers ------------------------------------------------------------------------------------------------------ */

EVP_PKEY *key_of_seed(unsigned char seed)
{
    unsigned char bytes[32];
    memset(bytes, seed, sizeof bytes);
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, bytes, sizeof bytes);
}

/* Long past, with another name: none of that counts. */
X509 *certificate_with(EVP_PKEY *subject, EVP_PKEY *signer, size_t comment)
{
    X509 *x = X509_new();
    (void)X509_set_version(x, X509_VERSION_3);
    (void)X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC, (const unsigned char *)"x", -1, -1,
                                     0);
    (void)X509_gmtime_adj(X509_getm_notBefore(x), -200000);
    (void)X509_gmtime_adj(X509_getm_notAfter(x), -100000);
    (void)X509_set_pubkey(x, subject);
    if (comment) {
        char *text = calloc(1, comment + 1);
        assert_non_null(text);
        memset(text, 'c', comment);
        X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_netscape_comment, text);
        assert_non_null(extension);
        assert_int_equal(X509_add_ext(x, extension, -1), 1);
        X509_EXTENSION_free(extension);
        free(text);
    }
    assert_true(X509_sign(x, signer, EVP_PKEY_is_a(signer, "ED25519") ? NULL : EVP_sha256()) > 0);
    return x;
}

static void count_messages(int sent, int version, int type, const void *bytes, size_t count, SSL *ssl, void *context)
{
    stranger *s = context;
    (void)version, (void)ssl;
    if (!sent && type == SSL3_RT_HANDSHAKE && count && *(const unsigned char *)bytes == SSL3_MT_KEY_UPDATE)
        s->key_updates++;
    if (!sent && type == SSL3_RT_HANDSHAKE && count && *(const unsigned char *)bytes == SSL3_MT_NEWSESSION_TICKET)
        s->tickets++;
}

static int take_any(X509_STORE_CTX *shown, void *unused)
{
    (void)shown, (void)unused;
    return 1;
}

static int take_its_alpn(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *list,
                         unsigned size, void *context)
{
    const char *alpn = context;
    (void)ssl, (void)list, (void)size;
    *out = (const unsigned char *)alpn + 1;
    *length = (unsigned char)alpn[0];
    return SSL_TLSEXT_ERR_OK;
}

static void show_certificate(SSL_CTX *rules, const habits *h)
{
    EVP_PKEY *key = h->p256 ? EVP_EC_gen("P-256") : key_of_seed(h->seed);
    X509 *x = certificate_with(h->key ? h->key : key, key, h->comment);
    assert_int_equal(SSL_CTX_use_certificate(rules, x), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(rules, h->key ? h->key : key), 1);
    if (h->second) assert_int_equal(SSL_CTX_add1_chain_cert(rules, h->second), 1);
    X509_free(x);
    EVP_PKEY_free(key);
}

stranger *stranger_open(const habits *h, int socket, int dials)
{
    stranger *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->rules = SSL_CTX_new(TLS_method());
    s->socket = socket;
    if (h->seed || h->p256) show_certificate(s->rules, h);
    if (h->most) assert_int_equal(SSL_CTX_set_max_proto_version(s->rules, h->most), 1);
    if (h->groups) assert_int_equal(SSL_CTX_set1_groups_list(s->rules, h->groups), 1);
    if (h->signs) assert_int_equal(SSL_CTX_set1_sigalgs_list(s->rules, h->signs), 1);
    if (h->alpn && dials)
        assert_int_equal(SSL_CTX_set_alpn_protos(s->rules, (const unsigned char *)h->alpn, (unsigned)strlen(h->alpn)),
                         0);
    if (h->alpn && !dials) SSL_CTX_set_alpn_select_cb(s->rules, take_its_alpn, (void *)(uintptr_t)h->alpn);
    SSL_CTX_set_verify(s->rules, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(s->rules, take_any, NULL);
    (void)SSL_CTX_set_session_id_context(s->rules, (const unsigned char *)"x", 1);
    s->ssl = SSL_new(s->rules);
    SSL_set_msg_callback(s->ssl, count_messages);
    SSL_set_msg_callback_arg(s->ssl, s);
    if (h->session) assert_int_equal(SSL_set_session(s->ssl, h->session), 1);
    assert_int_equal(SSL_set_fd(s->ssl, socket), 1);
    if (dials)
        SSL_set_connect_state(s->ssl);
    else
        SSL_set_accept_state(s->ssl);
    return s;
}

void stranger_close(stranger *s)
{
    (void)close(s->socket);
    SSL_free(s->ssl);
    SSL_CTX_free(s->rules);
    free(s);
}

static int stranger_result(stranger *s, int result, int pipes_before)
{
    int code = result == 1 ? SSL_ERROR_NONE : SSL_get_error(s->ssl, result);
    pipes = pipes_before;
    ERR_clear_error();
    return result == 1 ? 1 : code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

int stranger_shake(stranger *s)
{
    int before = pipes;
    return stranger_result(s, SSL_do_handshake(s->ssl), before);
}

int stranger_read(stranger *s, void *bytes, size_t room, size_t *got)
{
    int before = pipes;
    return stranger_result(s, SSL_read_ex(s->ssl, bytes, room, got), before);
}

int stranger_write(stranger *s, const void *bytes, size_t count)
{
    int before = pipes;
    size_t put;
    return stranger_result(s, SSL_write_ex(s->ssl, bytes, count, &put), before);
}

int shake_with(emi_connection *c, stranger *s, em_error *err)
{
    int ours = 0, theirs = 0;
    for (int turn = 0; turn < 50; turn++) {
        if (theirs == 0) theirs = stranger_shake(s);
        if (ours == 0) ours = emi_connection_shake(c, err);
    }
    return ours;
}
