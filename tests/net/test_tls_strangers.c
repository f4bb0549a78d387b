/* TLS with those who keep to no rule: bare OpenSSL that lacks one thing or has one too many, and bytes that are no TLS at all. */
#include "net/tls_peers.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/x509.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A site (seed 1) that expects the key of seed 2, and whoever comes. */
typedef struct scene {
    site site;
    EVP_PKEY *member;
    unsigned char id[EMI_ID_BYTES];
    expected expected;
    emi_connection *c;
    stranger *s;
    em_error err;
} scene;

static void begin(scene *a)
{
    size_t size = EMI_ID_BYTES;
    *a = (scene){.site = site_open(1), .member = key_of_seed(2)};
    assert_int_equal(EVP_PKEY_get_raw_public_key(a->member, a->id, &size), 1);
}

static void leave(scene *a)
{
    emi_connection_close(&a->c);
    if (a->s) stranger_close(a->s);
    a->s = NULL;
}

static void end(scene *a)
{
    leave(a);
    site_close(&a->site);
    EVP_PKEY_free(a->member);
    assert_int_equal(sigpipes(), 0);
}

/* One of them comes (or, where the site dials, is there); the site's result. */
static int meet(scene *a, const habits *h, int site_dials)
{
    int sockets[2];
    leave(a);
    a->expected = (expected){.id = a->id};
    a->err = (em_error){0};
    socket_pair(sockets, 0, 0);
    a->c = connect_site(&a->site, sockets[0], site_dials, &a->expected);
    a->s = stranger_open(h, sockets[1], !site_dials);
    return shake_with(a->c, a->s, &a->err);
}

static void assert_refused(scene *a, const habits *h, int site_dials, const char *words)
{
    char room[8];
    size_t moved;
    int result = meet(a, h, site_dials);
    if (result != -1 || !strstr(a->err.msg, words)) fail_msg("%d, '%s' and not '%s'", result, a->err.msg, words);
    assert_int_equal(a->err.code, EM_ENET);
    assert_int_equal(emi_connection_read(a->c, room, sizeof room, &moved, NULL), -1);
    assert_int_equal(emi_connection_write(a->c, "x", 1, &moved, NULL), -1);
}

/* The frame of all that follows: without anything wrong it works. */
static void bare_openssl_with_the_right_key_is_let_in(void **state)
{
    scene a;
    size_t got;
    char room[8];
    (void)state;
    begin(&a);
    for (int dials = 0; dials < 2; dials++) {
        if (meet(&a, &(habits){.seed = 2, .alpn = GOOD_ALPN}, dials) != 1) fail_msg("%s", a.err.msg);
        assert_int_equal(stranger_write(a.s, "hello", 5), 1);
        assert_int_equal(emi_connection_read(a.c, room, sizeof room, &got, &a.err), 1);
        assert_memory_equal(room, "hello", 5);
        assert_memory_equal(emi_connection_peer(a.c), a.id, EMI_ID_BYTES);
    }
    end(&a);
}

static void each_thing_wrong_is_refused_in_words(void **state)
{
    scene a;
    (void)state;
    begin(&a);
    X509 *members = certificate_with(a.member, a.member, 0);
    const struct {
        habits habits;
        const char *called, *dialled; /* words where it calls, and where it is dialled */
    } tries[] = {
        {{.seed = 2}, "the other side does not say what it speaks", "the other side does not say what it speaks"},
        {{.seed = 2,
          .alpn = "\x0b"
                  "eigenmesh/2"},
         "this program speaks eigenmesh/1, the other side eigenmesh/2",
         NULL},
        {{.seed = 2,
          .alpn = "\x02"
                  "h2\x08http/1.1"},
         "this program speaks eigenmesh/1, the other side h2",
         NULL},
        {{.seed = 2,
          .alpn = "\x04"
                  "a\x1b\n\xff"},
         "the other side a???;",
         NULL},
        {{.seed = 2,
          .alpn = "\x0a"
                  "eigenmesh/"},
         "the other side eigenmesh/;",
         NULL},
        {{.seed = 2,
          .alpn = "\x0c"
                  "eigenmesh/10"},
         "the other side eigenmesh/10;",
         NULL},
        {{.seed = 2, .alpn = GOOD_ALPN, .most = TLS1_2_VERSION}, "does not offer TLS 1.3", "refuses TLS 1.3"},
        {{.p256 = 1, .alpn = GOOD_ALPN}, "shows no Ed25519 key", "refuses Ed25519 and X25519"},
        {{.alpn = GOOD_ALPN}, "shows no Ed25519 key", "refuses TLS 1.3"}, /* OpenSSL's word for it */
        {{.seed = 3, .alpn = GOOD_ALPN}, "none that is expected", "somebody answers in its place"},
        {{.seed = 3, .second = members, .alpn = GOOD_ALPN}, "none that is expected", "somebody answers in its place"},
        {{.seed = 2, .comment = 90000, .alpn = GOOD_ALPN},
         "certificates to 4 KB are taken",
         "certificates to 4 KB are taken"},
        {{.seed = 2, .comment = 4000, .alpn = GOOD_ALPN},
         "certificates to 4 KB are taken",
         "certificates to 4 KB are taken"},
        {{.seed = 2, .groups = "P-256", .alpn = GOOD_ALPN}, "does not offer X25519", "refuses Ed25519 and X25519"},
        {{.seed = 2, .signs = "ECDSA+SHA256", .alpn = GOOD_ALPN}, "does not take Ed25519", NULL},
    };
    for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
        assert_refused(&a, &tries[n].habits, 0, tries[n].called);
        if (tries[n].dialled) assert_refused(&a, &tries[n].habits, 1, tries[n].dialled);
    }
    assert_refused(&a, &tries[1].habits, 0, tries[1].called);
    assert_int_equal(stranger_shake(a.s), -1); /* and learns it in the handshake, by an alert */
    assert_int_equal(meet(&a, &(habits){.seed = 2, .comment = 3000, .alpn = GOOD_ALPN}, 0), 1); /* some room is left */
    assert_int_equal(meet(&a, &(habits){.seed = 2, .second = members, .alpn = "\x02h2" GOOD_ALPN}, 0), 1);
    X509_free(members);
    end(&a);
}

/* A server may answer with an ALPN that nobody offered. */
static void a_server_with_another_alpn_is_refused(void **state)
{
    scene a;
    (void)state;
    begin(&a);
    assert_int_equal(meet(&a,
                          &(habits){.seed = 2,
                                    .alpn = "\x0b"
                                            "eigenmesh/2"},
                          1),
                     -1);
    assert_int_equal(emi_connection_shake(a.c, NULL), -1);
    end(&a);
}

/* It shows the member's key, and signs with its own. */
static void a_borrowed_certificate_is_refused(void **state)
{
    scene a;
    unsigned char seed[32];
    EVP_PKEY *key = NULL;
    (void)state;
    begin(&a);
    memset(seed, 3, sizeof seed);
    OSSL_PARAM parts[] = {OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, a.id, sizeof a.id),
                          OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, seed, sizeof seed),
                          OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "ED25519", NULL);
    int made = EVP_PKEY_fromdata_init(maker) == 1 && EVP_PKEY_fromdata(maker, &key, EVP_PKEY_KEYPAIR, parts) == 1;
    EVP_PKEY_CTX_free(maker);
    if (made) {
        assert_int_equal(meet(&a, &(habits){.seed = 3, .key = key, .alpn = GOOD_ALPN}, 0), -1);
        assert_int_equal(a.expected.asked, 1); /* the key itself is the member's */
        assert_int_equal(meet(&a, &(habits){.seed = 3, .key = key, .alpn = GOOD_ALPN}, 1), -1);
    }
    EVP_PKEY_free(key);
    end(&a);
    if (!made) skip_for("this OpenSSL makes no key pair whose halves do not match");
}

/* ---- a site that was struck off, and comes back with what it kept ------------------------------------------------------- */

static void an_old_session_does_not_let_in_again(void **state)
{
    scene a;
    size_t got;
    char room[8];
    (void)state;
    begin(&a);
    assert_int_equal(meet(&a, &(habits){.seed = 2, .alpn = GOOD_ALPN}, 0), 1);
    assert_int_equal(emi_connection_write(a.c, "hello", 5, &got, &a.err), 1);
    assert_int_equal(stranger_read(a.s, room, sizeof room, &got), 1); /* and what tickets came before it */
    assert_int_equal(a.s->tickets, 0);
    SSL_SESSION *kept = SSL_get1_session(a.s->ssl);
    assert_int_equal(SSL_SESSION_is_resumable(kept), 0);
    assert_int_equal(meet(&a, &(habits){.seed = 2, .alpn = GOOD_ALPN, .session = kept}, 0), 1);
    assert_int_equal(SSL_session_reused(a.c->ssl), 0);
    assert_int_equal(a.expected.asked, 1);
    a.id[0] ^= 1; /* struck off */
    assert_refused(&a, &(habits){.seed = 2, .alpn = GOOD_ALPN, .session = kept}, 0, "none that is expected");
    SSL_SESSION_free(kept);
    end(&a);
}

/* Where a member gives out tickets, a site does not use them: its key is looked at every time. */
static void tickets_of_others_are_not_used(void **state)
{
    scene a;
    char room[8];
    size_t got;
    (void)state;
    begin(&a);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(meet(&a, &(habits){.seed = 2, .alpn = GOOD_ALPN}, 1), 1);
        assert_int_equal(stranger_write(a.s, "x", 1), 1);
        assert_int_equal(emi_connection_read(a.c, room, sizeof room, &got, &a.err), 1);
        assert_int_equal(a.expected.asked, 1);
        assert_int_equal(SSL_session_reused(a.c->ssl), 0);
    }
    end(&a);
}

/* ---- bytes that are no handshake ----------------------------------------------------------------------------------------- */

static int send_bytes_to(scene *a, int site_dials, const void *bytes, size_t count, int *other)
{
    int sockets[2], result;
    leave(a);
    a->expected = (expected){.id = a->id};
    a->err = (em_error){0};
    socket_pair(sockets, 0, 0);
    a->c = connect_site(&a->site, sockets[0], site_dials, &a->expected);
    *other = sockets[1];
    result = emi_connection_shake(a->c, &a->err);
    assert_int_equal(result, 0);
    assert_int_equal(send(*other, bytes, count, MSG_NOSIGNAL), (ssize_t)count);
    for (int n = 0; n < 10 && result == 0; n++) result = emi_connection_shake(a->c, &a->err);
    return result;
}

static void noise_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        int result;
        const char *words;
    } tries[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, -1, "HTTP"},
        {"CONNECT x:1 HTTP/1.1\r\n\r\n", 24, -1, "HTTP"},
        {"SSH-2.0-OpenSSH_9.2\r\n", 21, -1, "no TLS"},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, -1, "TLS"},
        {"\x16\x03\x01\x00\x04\x01\xff\xff\xff", 9, -1, "certificates to 4 KB are taken"}, /* a hello of 16 MB */
        {"\x16\x03\x01\xff\xff\x01", 6, -1, "TLS"},                                        /* a record of 64 KB */
        {"\x16\x03\x01\x00", 4, 0, ""},
        {"\x15\x03\x03\x00\x02\x02\x28", 7, -1, "TLS"}}; /* an alert, before anything */
    scene a;
    int other;
    (void)state;
    begin(&a);
    for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
        int result = send_bytes_to(&a, 0, tries[n].bytes, tries[n].count, &other);
        if (result != tries[n].result || !strstr(a.err.msg, tries[n].words))
            fail_msg("%zu: %d, %s", n, result, a.err.msg);
        (void)close(other);
        (void)send_bytes_to(&a, 1, tries[n].bytes, tries[n].count, &other);
        (void)close(other);
    }
    end(&a);
}

/* An alert that is followed by a reset may never arrive. */
static void who_is_refused_is_not_reset(void **state)
{
    scene a;
    int other;
    char noise[9000] = "SSH-2.0-OpenSSH_9.2", room[64];
    ssize_t got;
    (void)state;
    begin(&a);
    assert_int_equal(send_bytes_to(&a, 0, noise, sizeof noise, &other), -1);
    emi_connection_close(&a.c);
    while ((got = recv(other, room, sizeof room, 0)) > 0) assert_int_equal(room[0], SSL3_RT_ALERT);
    assert_int_equal(got, 0);
    int error = -1;
    assert_int_equal(getsockopt(other, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error}), 0);
    assert_int_equal(error, 0);
    (void)close(other);
    end(&a);
}

static size_t hello_of_a_member(unsigned char *bytes, size_t room)
{
    int sockets[2];
    socket_pair(sockets, 0, 0);
    stranger *s = stranger_open(&(habits){.seed = 2, .alpn = GOOD_ALPN}, sockets[1], 1);
    assert_int_equal(stranger_shake(s), 0);
    ssize_t count = recv(sockets[0], bytes, room, 0);
    assert_true(count > 100 && (size_t)count < room);
    stranger_close(s);
    (void)close(sockets[0]);
    return (size_t)count;
}

/* However slowly it comes, a step returns at once; when to lose patience is the caller's business.  And wherever it stops,
 * and half of the connection is closed, that is the end. */
static void a_slow_or_torn_hello_ends_in_words(void **state)
{
    scene a;
    unsigned char hello[2048], answer[4096];
    int other;
    (void)state;
    begin(&a);
    size_t count = hello_of_a_member(hello, sizeof hello);
    assert_int_equal(send_bytes_to(&a, 0, hello, 1, &other), 0);
    for (size_t n = 1; n < count; n++) {
        assert_int_equal(send(other, hello + n, 1, 0), 1);
        assert_int_equal(emi_connection_shake(a.c, &a.err), 0);
    }
    assert_true(recv(other, answer, sizeof answer, 0) > 100); /* it was understood */
    (void)close(other);
    for (size_t n = 1; n <= count; n += n < 12 ? 1 : 37) {
        int result = send_bytes_to(&a, 0, hello, n, &other);
        assert_int_equal(result, 0);
        (void)shutdown(other, SHUT_WR);
        for (int turn = 0; turn < 10 && result == 0; turn++) result = emi_connection_shake(a.c, &a.err);
        assert_int_equal(result, -1);
        assert_non_null(strstr(a.err.msg, "hung up during the handshake"));
        (void)close(other);
    }
    end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bare_openssl_with_the_right_key_is_let_in),
                                       cmocka_unit_test(each_thing_wrong_is_refused_in_words),
                                       cmocka_unit_test(a_server_with_another_alpn_is_refused),
                                       cmocka_unit_test(a_borrowed_certificate_is_refused),
                                       cmocka_unit_test(an_old_session_does_not_let_in_again),
                                       cmocka_unit_test(tickets_of_others_are_not_used),
                                       cmocka_unit_test(noise_is_refused),
                                       cmocka_unit_test(who_is_refused_is_not_reset),
                                       cmocka_unit_test(a_slow_or_torn_hello_ends_in_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
