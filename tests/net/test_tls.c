/* TLS between sites that keep to the rules: what is sent arrives, and whoever is not expected is refused. */
#include "net/tls_peers.h"

#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct two {
    site site[2];
    expected expected[2]; /* at each of them */
    emi_connection *c[2]; /* the first one dialled */
    em_error err[2];
    int result[2];
} two;

static void connect_two(two *t, int tcp, int buffer)
{
    int sockets[2];
    *t = (two){.site = {site_open(1), site_open(2)}};
    for (int n = 0; n < 2; n++) t->expected[n].id = emi_identity_public(t->site[!n].identity);
    socket_pair(sockets, tcp, buffer);
    for (int n = 0; n < 2; n++) t->c[n] = connect_site(&t->site[n], sockets[n], n == 0, &t->expected[n]);
}

static void shake_two(two *t)
{
    shake_sites(t->c[0], t->c[1], t->result, t->err);
}

static void close_two(two *t)
{
    for (int n = 0; n < 2; n++) emi_connection_close(&t->c[n]);
    for (int n = 0; n < 2; n++) site_close(&t->site[n]);
    assert_int_equal(sigpipes(), 0);
}

static void they_know_each_other(void **state)
{
    two t;
    (void)state;
    connect_two(&t, 0, 0);
    assert_null(emi_connection_peer(t.c[0]));
    shake_two(&t);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(t.result[n], 1);
        assert_int_equal(t.expected[n].asked, 1);
        assert_memory_equal(emi_connection_peer(t.c[n]), emi_identity_public(t.site[!n].identity), EMI_ID_BYTES);
        assert_string_equal(SSL_get_version(t.c[n]->ssl), "TLSv1.3");
        assert_int_equal(SSL_get_negotiated_group(t.c[n]->ssl), NID_X25519);
    }
    close_two(&t);
}

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

typedef struct way {
    unsigned char *sent, *came;
    size_t put, got;
} way;

enum { WAY = 16 << 20 };

static void write_some(emi_connection *c, way *w, uint64_t *random, size_t *least)
{
    size_t count = 1 + draw(random) % 100000, put;
    em_error err = {0};
    if (count < *least) count = *least; /* no shorter than what was refused */
    if (count > WAY - w->put) count = WAY - w->put;
    if (!count) return;
    unsigned char *moved = malloc(count); /* never at the same place twice */
    assert_non_null(moved);
    memcpy(moved, w->sent + w->put, count);
    int result = emi_connection_write(c, moved, count, &put, &err);
    if (result < 0) fail_msg("%s", err.msg);
    assert_int_equal(result, put > 0);
    *least = count - put;
    w->put += put;
    memset(moved, 0xee, count);
    free(moved);
}

static void read_some(emi_connection *c, way *w, uint64_t *random)
{
    size_t room = 1 + draw(random) % 100000, got;
    em_error err = {0};
    if (room > WAY - w->got) room = WAY - w->got;
    if (!room) return;
    int result = emi_connection_read(c, w->came + w->got, room, &got, &err);
    if (result < 0) fail_msg("%s", err.msg);
    assert_int_equal(result, got > 0);
    w->got += got;
}

static void wait_for_both(two *t)
{
    struct pollfd wait[2];
    for (int n = 0; n < 2; n++)
        wait[n] = (struct pollfd){.fd = emi_connection_socket(t->c[n]), .events = emi_connection_wants(t->c[n])};
    assert_true(poll(wait, 2, 5000) > 0);
}

/* Both ways at once.  Where nothing moves, poll must know how to go on. */
static void move_both_ways(two *t, uint64_t seed)
{
    way ways[2];
    size_t least[2] = {0};
    uint64_t random = seed;
    for (int n = 0; n < 2; n++) {
        ways[n] = (way){.sent = malloc(WAY), .came = calloc(1, WAY)};
        for (size_t i = 0; i < WAY; i += 8) {
            uint64_t word = draw(&random);
            memcpy(ways[n].sent + i, &word, 8);
        }
    }
    while (ways[0].got < WAY || ways[1].got < WAY) {
        size_t before = ways[0].put + ways[0].got + ways[1].put + ways[1].got;
        for (int n = 0; n < 2; n++) {
            write_some(t->c[n], &ways[n], &random, &least[n]);
            read_some(t->c[n], &ways[!n], &random);
        }
        if (before == ways[0].put + ways[0].got + ways[1].put + ways[1].got) wait_for_both(t);
    }
    for (int n = 0; n < 2; n++) {
        assert_memory_equal(ways[n].sent, ways[n].came, WAY);
        free(ways[n].sent), free(ways[n].came);
    }
}

static void bytes_arrive_both_ways(void **state)
{
    static const int buffers[] = {0, 4608, 12345, 50001};
    (void)state;
    for (int n = 0; n < 4; n++) {
        two t;
        connect_two(&t, n % 2, buffers[n]);
        shake_two(&t);
        assert_true(t.result[0] == 1 && t.result[1] == 1);
        move_both_ways(&t, 12345 + (uint64_t)n);
        close_two(&t);
    }
}

/* One process writes until all is full, then the other reads: poll alone says when to go on. */
static void wants_are_what_poll_needs(void **state)
{
    two t;
    size_t put = 0, got = 0, sent = 0, came = 0;
    unsigned char block[40000] = {7}, room[65536];
    (void)state;
    connect_two(&t, 0, 4608);
    shake_two(&t);
    int result;
    assert_int_equal(emi_connection_read(t.c[0], room, sizeof room, &got, t.err), 0);
    assert_int_equal(emi_connection_wants(t.c[0]), POLLIN);
    while ((result = emi_connection_write(t.c[0], block, sizeof block, &put, t.err)) == 1) sent += put;
    assert_int_equal(result, 0);
    assert_int_equal(emi_connection_wants(t.c[0]), POLLIN | POLLOUT);
    assert_int_equal(emi_connection_write(t.c[0], block, 1, &put, t.err), -1); /* shorter than what was begun */
    assert_non_null(strstr(t.err[0].msg, "try the same again"));
    while (emi_connection_read(t.c[1], room, 1000, &got, t.err) == 1) {
        came += got;
        assert_true(got < 1000 || emi_connection_pending(t.c[1]) || came % 16384 == 0);
    }
    assert_int_equal(emi_connection_wants(t.c[1]), POLLIN);
    assert_int_equal(emi_connection_pending(t.c[1]), 0);
    assert_int_equal(came, sent);
    struct pollfd wait = {.fd = emi_connection_socket(t.c[0]), .events = POLLOUT};
    assert_int_equal(poll(&wait, 1, 1000), 1);
    assert_int_equal(emi_connection_write(t.c[0], block, 20000, &put, t.err), 1);
    close_two(&t);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------ */

static void a_goodbye_is_told(void **state)
{
    two t;
    char room[8];
    size_t got = 9, put;
    (void)state;
    connect_two(&t, 1, 0);
    shake_two(&t);
    assert_int_equal(emi_connection_write(t.c[0], "end", 3, &put, t.err), 1);
    emi_connection_close(&t.c[0]);
    await_bytes(emi_connection_socket(t.c[1]));
    assert_int_equal(emi_connection_read(t.c[1], room, sizeof room, &got, t.err),
                     1); /* what came before it is not lost */
    assert_int_equal(got, 3);
    await_bytes(emi_connection_socket(t.c[1]));
    for (int n = 0; n < 3; n++) {
        em_error err = {0};
        assert_int_equal(emi_connection_read(t.c[1], room, sizeof room, &got, &err), -1);
        assert_int_equal(err.code, EM_ENET);
        assert_string_equal(err.msg, "TLS: the other side closed the connection");
        assert_int_equal(got, 0);
    }
    assert_int_equal(emi_connection_write(t.c[1], "x", 1, &put, NULL), -1);
    close_two(&t);
}

static void an_end_without_goodbye_is_told(void **state)
{
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        two t;
        char room[8];
        size_t moved;
        int result;
        connect_two(&t, 1, 0);
        shake_two(&t);
        assert_int_equal(emi_connection_write(t.c[1], "hello", 5, &moved, t.err), 1);
        await_bytes(emi_connection_socket(t.c[0]));
        assert_int_equal(emi_connection_read(t.c[0], room, sizeof room, &moved, t.err), 1);
        (void)shutdown(t.c[1]->socket, SHUT_RDWR); /* as when a process is killed */
        for (int n = 0; n < 100; n++) {
            result = writes ? emi_connection_write(t.c[0], "x", 1, &moved, t.err)
                            : emi_connection_read(t.c[0], room, sizeof room, &moved, t.err);
            if (result < 0) break;
            (void)poll(NULL, 0, 1);
        }
        assert_int_equal(result, -1);
        assert_non_null(strstr(t.err[0].msg, "hung up without a goodbye"));
        close_two(&t);
    }
}

/* ---- whose key --------------------------------------------------------------------------------------------------------- */

static void the_dialler_refuses_another_key(void **state)
{
    two t;
    (void)state;
    connect_two(&t, 1, 0);
    t.expected[0].id = emi_identity_public(t.site[0].identity);
    shake_two(&t);
    assert_int_equal(t.result[0], -1);
    assert_non_null(strstr(t.err[0].msg, "somebody answers in its place (a proxy that opens TLS?)"));
    assert_int_equal(t.err[0].code, EM_ENET);
    assert_memory_equal(emi_connection_peer(t.c[0]), emi_identity_public(t.site[1].identity), EMI_ID_BYTES);
    assert_int_equal(t.result[1], -1);
    assert_non_null(strstr(t.err[1].msg, "does not know this site's key"));
    assert_int_equal(t.expected[1].asked, 0); /* the dialler's certificate never came */
    close_two(&t);
}

/* The dialler's handshake is done when the refusal comes: reading tells, and so does writing. */
static void who_calls_is_refused_and_learns_it(void **state)
{
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        two t;
        char room[8];
        size_t moved;
        int result = 0;
        connect_two(&t, 1, 0);
        t.expected[1].id = NULL;
        while (emi_connection_shake(t.c[0], &t.err[0]) == 0) (void)emi_connection_shake(t.c[1], &t.err[1]);
        if (writes) assert_int_equal(emi_connection_write(t.c[0], "hello", 5, &moved, t.err), 1);
        await_bytes(emi_connection_socket(t.c[1]));
        while ((result = emi_connection_shake(t.c[1], &t.err[1])) == 0) await_bytes(emi_connection_socket(t.c[1]));
        assert_int_equal(result, -1);
        assert_non_null(strstr(t.err[1].msg, "whose key is none that is expected"));
        emi_connection_close(&t.c[1]);
        result = 0;
        for (int n = 0; n < 100 && result >= 0; n++, (void)poll(NULL, 0, 1))
            result = writes ? emi_connection_write(t.c[0], "x", 1, &moved, t.err)
                            : emi_connection_read(t.c[0], room, sizeof room, &moved, t.err);
        assert_int_equal(result, -1); /* and no guess: it was told */
        assert_non_null(strstr(t.err[0].msg, "TLS: the other side does not know this site's key"));
        close_two(&t);
    }
}

/* Without anybody to ask, nobody is known; and nothing is read before the handshake is done. */
static void refusing_is_the_default(void **state)
{
    two t;
    int sockets[2];
    char room[8];
    size_t got;
    (void)state;
    connect_two(&t, 0, 0);
    emi_connection_close(&t.c[0]), emi_connection_close(&t.c[1]);
    socket_pair(sockets, 0, 0);
    t.c[0] = connect_site(&t.site[0], sockets[0], 1, &t.expected[0]);
    assert_ok(emi_connection_open(&t.c[1], t.site[1].tls, sockets[1], 0, NULL, NULL, &t.err[1]), &t.err[1]);
    for (int n = 0; n < 10; n++) {
        t.result[0] = emi_connection_read(t.c[0], room, sizeof room, &got, &t.err[0]);
        t.result[1] = emi_connection_read(t.c[1], room, sizeof room, &got, &t.err[1]);
    }
    assert_int_equal(t.result[0], -1);
    assert_int_equal(t.result[1], -1);
    assert_non_null(strstr(t.err[1].msg, "none that is expected"));
    close_two(&t);
}

/* ---- what OpenSSL must have -------------------------------------------------------------------------------------------- */

static void missing_algorithms_are_named(void **state)
{
    site s = site_open(1);
    emi_tls *tls = (emi_tls *)&s;
    em_error err = {0};
    (void)state;
    assert_int_equal(EVP_set_default_properties(NULL, "fips=yes"), 1);
    em_status status = emi_tls_open(&tls, s.identity, &err);
    assert_int_equal(EVP_set_default_properties(NULL, ""), 1);
    assert_fails(status, EM_ENOTSUP, "has no Ed25519 (is it in FIPS mode?)", &err);
    assert_null(tls);
    assert_ok(emi_tls_open(&tls, s.identity, &err), &err);
    emi_tls_close(&tls);
    emi_tls_close(&tls);
    emi_tls_close(NULL);
    site_close(&s);
}

/* OpenSSL has few numbers for kinds of BIO, and keeps them. */
static void it_can_be_opened_often(void **state)
{
    (void)state;
    for (int n = 0; n < 300; n++) {
        site s = site_open(1);
        site_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_know_each_other),
                                       cmocka_unit_test(bytes_arrive_both_ways),
                                       cmocka_unit_test(wants_are_what_poll_needs),
                                       cmocka_unit_test(a_goodbye_is_told),
                                       cmocka_unit_test(an_end_without_goodbye_is_told),
                                       cmocka_unit_test(the_dialler_refuses_another_key),
                                       cmocka_unit_test(who_calls_is_refused_and_learns_it),
                                       cmocka_unit_test(refusing_is_the_default),
                                       cmocka_unit_test(missing_algorithms_are_named),
                                       cmocka_unit_test(it_can_be_opened_often)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
