/* Dialling and listening on this machine.  Names are answered by this program (the linker puts __wrap_getaddrinfo in place of
 * getaddrinfo), so that a name can have any addresses, or none, or take its time. */
#include "net/dial.h"
#include "net/free_ports.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- names ---------------------------------------------------------------------------------------------------------- */

int __real_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found);

static pthread_mutex_t slow = PTHREAD_MUTEX_INITIALIZER;
static atomic_int slow_asked, slow_answered, takes_signals;

static int chain(const char *const *texts, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    for (; *texts; texts++) {
        int code = __real_getaddrinfo(*texts, service, hints, found);
        if (code != 0) return code;
        found = &(*found)->ai_next;
    }
    return 0;
}

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    if (host && strcmp(host, "several.test") == 0)
        return chain((const char *[]){"127.0.0.4", "127.0.0.3", "127.0.0.2", NULL}, service, hints, found);
    if (host && strcmp(host, "twice.test") == 0)
        return chain((const char *[]){"127.0.0.1", "127.0.0.1", NULL}, service, hints, found);
    if (host && strcmp(host, "nobody.test") == 0) return EAI_NONAME;
    if (host && strcmp(host, "slow.test") == 0) {
        sigset_t blocked;
        (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
        atomic_store(&takes_signals, !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGTERM));
        atomic_fetch_add(&slow_asked, 1);
        (void)pthread_mutex_lock(&slow);
        (void)pthread_mutex_unlock(&slow);
        int code = __real_getaddrinfo("127.0.0.1", service, hints, found);
        atomic_fetch_add(&slow_answered, 1);
        return code;
    }
    return __real_getaddrinfo(host, service, hints, found);
}

/* ---- help ------------------------------------------------------------------------------------------------------------ */

static int port_of(int socket)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(socket, (struct sockaddr *)&at, &size), 0);
    return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                          : ((struct sockaddr_in *)&at)->sin_port);
}

static int listen_on(const char *host, int port)
{
    int socket, count;
    em_error err = {0};
    assert_ok(emi_listen(host, port, &socket, 1, &count, &err), &err);
    assert_int_equal(count, 1);
    return socket;
}

static emi_dial *dial_to(const char *host, int port, const char *proxy, int proxy_port)
{
    emi_dial *d = NULL;
    em_error err = {0};
    assert_ok(emi_dial_begin(&d, host, port, proxy, proxy_port, &err), &err);
    return d;
}

/* Steps at the time `now`, with poll between them, until it is there or over. */
static int dial_on(emi_dial *d, double now, int *socket, em_error *err)
{
    for (;;) {
        int result = emi_dial_step(d, now, socket, err);
        if (result != 0) return result;
        struct pollfd wait = {.fd = emi_dial_socket(d), .events = emi_dial_wants(d)};
        assert_true(wait.fd >= 0);
        if (poll(&wait, 1, 2000) < 1) return 0;
    }
}

static void await_bytes(int socket)
{
    assert_int_equal(poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, 2000), 1);
}

static int has_ipv6(void)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0), has = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0) (void)close(fd);
    return has;
}

static int option_of(int socket, int level, int name)
{
    int value = 0;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(socket, level, name, &value, &size), 0);
    return value;
}

static void assert_prepared(int socket)
{
    assert_true(fcntl(socket, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(socket, F_GETFD) & FD_CLOEXEC);
    assert_true(option_of(socket, IPPROTO_TCP, TCP_NODELAY));
    assert_true(option_of(socket, SOL_SOCKET, SO_KEEPALIVE));
}

/* ---- addresses -------------------------------------------------------------------------------------------------------- */

static void addresses_are_read(void **state)
{
    static const struct {
        const char *text, *host; /* NULL: none */
        int port;
    } tries[] = {{"7473", "", 7473},
                 {":7473", "", 7473},
                 {"berlin.example.org:1", "berlin.example.org", 1},
                 {"10.0.0.1:65535", "10.0.0.1", 65535},
                 {"[::1]:7473", "::1", 7473},
                 {"[fe80::1%eth0]:7473", "fe80::1%eth0", 7473},
                 {"a:00080", "a", 80},
                 {"", NULL, 0},
                 {":", NULL, 0},
                 {"a", NULL, 0},
                 {"a:", NULL, 0},
                 {"a:0", NULL, 0},
                 {"0", NULL, 0},
                 {"a:65536", NULL, 0},
                 {"a:000080", NULL, 0},
                 {"a:99999999999999999999", NULL, 0},
                 {"a:-1", NULL, 0},
                 {"a:+1", NULL, 0},
                 {"a: 1", NULL, 0},
                 {"a:1 ", NULL, 0},
                 {"a:1x", NULL, 0},
                 {"::1:7473", NULL, 0},
                 {"[::1]", NULL, 0},
                 {"[::1]7473", NULL, 0},
                 {"[]:7473", NULL, 0},
                 {"[a]:7473", NULL, 0},
                 {"[10.0.0.1]:7473", NULL, 0},
                 {"[g::1]:7473", NULL, 0},
                 {"a%eth0:7473", NULL, 0},
                 {"-a:7473", NULL, 0},
                 {"[:7473", NULL, 0},
                 {"]:7473", NULL, 0},
                 {"a b:7473", NULL, 0},
                 {"a\r\nX: y:7473", NULL, 0},
                 {"a/b:7473", NULL, 0},
                 {"\xc3\xa9:7473", NULL, 0}};
    (void)state;
    for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
        char host[32];
        int port = 0, result = emi_address_read(tries[n].text, host, sizeof host, &port);
        if (result != (tries[n].host ? 0 : -1)) fail_msg("'%s': %d", tries[n].text, result);
        if (!tries[n].host) continue;
        assert_string_equal(host, tries[n].host);
        assert_int_equal(port, tries[n].port);
    }
    char small[4];
    int port;
    assert_int_equal(emi_address_read("abc:1", small, sizeof small, &port), 0);
    assert_int_equal(emi_address_read("abcd:1", small, sizeof small, &port), -1);
    assert_int_equal(emi_address_read("1", small, 0, &port), -1);
}

/* ---- listening --------------------------------------------------------------------------------------------------------- */

static int listen_anywhere(int sockets[4], int *count)
{
    em_error err = {0};
    int port = free_ports(1);
    assert_ok(emi_listen("", port, sockets, 4, count, &err), &err);
    return port;
}

static void it_listens_on_both_and_says_when_a_port_is_taken(void **state)
{
    int sockets[4], count = 0, more[4], others = 9;
    em_error err = {0};
    (void)state;
    int port = listen_anywhere(sockets, &count);
    assert_int_equal(count, has_ipv6() ? 2 : 1);
    assert_fails(emi_listen("", port, more, 4, &others, &err), EM_ENET, "is taken by another program", &err);
    assert_int_equal(others, 0);
    assert_fails(emi_listen("127.0.0.1", port, more, 4, &others, &err), EM_ENET, "127.0.0.1: port", &err);
    for (int n = 0; n < count; n++) {
        char from[EMI_ADDRESS_TEXT];
        assert_int_equal(emi_accept(sockets[n], from), -1); /* nobody, and it does not wait */
        assert_true(option_of(sockets[n], SOL_SOCKET, SO_REUSEADDR));
        assert_true(fcntl(sockets[n], F_GETFD) & FD_CLOEXEC);
    }
    /* half of a port is not enough */
    (void)close(sockets[count - 1]);
    assert_int_equal(emi_listen("", port, more, 4, &others, &err), count == 2 ? EM_ENET : EM_OK);
    for (int n = 0; n < others; n++) (void)close(more[n]);
    if (count == 2) (void)close(sockets[0]);
}

static void where_nobody_can_listen_is_told(void **state)
{
    int sockets[2], count;
    em_error err = {0};
    (void)state;
    assert_fails(emi_listen("203.0.113.7", 0, sockets, 2, &count, &err), EM_ENET, "not an address of this machine",
                 &err);
    assert_fails(emi_listen("nobody.test", 0, sockets, 2, &count, &err), EM_ENET, "its addresses are not found", &err);
    assert_fails(emi_listen("a b", 0, sockets, 2, &count, &err), EM_EINVAL, "is no host", &err);
    assert_fails(emi_listen("", 65536, sockets, 2, &count, &err), EM_EINVAL, "no port 65536", &err);
    assert_fails(emi_listen("", -1, sockets, 2, &count, &err), EM_EINVAL, "no port -1", &err);
    int first = listen_on("127.0.0.1", 0), port = port_of(first);
    (void)close(first);
    assert_ok(emi_listen("twice.test", port, sockets, 2, &count, &err), &err);
    assert_int_equal(count, 1);
    (void)close(sockets[0]);
}

/* ---- dialling ------------------------------------------------------------------------------------------------------------ */

/* Dial, accept, and a few bytes both ways. */
static void dial_and_talk(const char *host, const char *listens, const char *wanted_from)
{
    int listener = listen_on(listens, 0), port = port_of(listener), ours, theirs;
    char from[EMI_ADDRESS_TEXT] = "", room[8];
    em_error err = {0};
    emi_dial *d = dial_to(host, port, NULL, 0);
    if (dial_on(d, 0, &ours, &err) != 1) fail_msg("%s", err.msg);
    emi_dial_close(&d);
    await_bytes(listener);
    theirs = emi_accept(listener, from);
    assert_true(theirs >= 0);
    assert_string_equal(from, wanted_from);
    assert_prepared(ours);
    assert_prepared(theirs);
    assert_int_equal(send(ours, "there", 5, 0), 5);
    await_bytes(theirs);
    assert_int_equal(recv(theirs, room, sizeof room, 0), 5);
    assert_int_equal(emi_accept(listener, from), -1);
    (void)close(ours), (void)close(theirs), (void)close(listener);
}

static void names_and_ipv4_are_dialled(void **state)
{
    (void)state;
    dial_and_talk("localhost", "127.0.0.1", "127.0.0.1");
    dial_and_talk("127.0.0.1", "127.0.0.1", "127.0.0.1");
}

static void ipv6_is_dialled(void **state)
{
    (void)state;
    if (!has_ipv6()) skip_for("this machine has no IPv6");
    dial_and_talk("::1", "::1", "::1");
}

static void who_does_not_answer_is_told(void **state)
{
    int listener = listen_on("127.0.0.1", 0), port = port_of(listener), socket;
    em_error err = {0};
    (void)state;
    (void)close(listener);
    emi_dial *d = dial_to("127.0.0.1", port, NULL, 0);
    assert_true(isinf(emi_dial_next(d, 5)));
    assert_int_equal(dial_on(d, 0, &socket, &err), -1);
    assert_int_equal(socket, -1);
    assert_non_null(strstr(err.msg, "it does not answer (127.0.0.1: Connection refused)"));
    err = (em_error){0};
    assert_int_equal(emi_dial_step(d, 0, &socket, &err), -1); /* and again, in the same words */
    assert_non_null(strstr(err.msg, "Connection refused"));
    assert_int_equal(emi_dial_socket(d), -1);
    emi_dial_close(&d);
    d = dial_to("nobody.test", 7473, NULL, 0);
    assert_int_equal(dial_on(d, 0, &socket, &err), -1);
    assert_non_null(strstr(err.msg, "nobody.test: its addresses are not found"));
    emi_dial_close(&d);
    emi_dial_close(&d);
    emi_dial_close(NULL);
    assert_fails(emi_dial_begin(&d, "a\r\nb", 1, NULL, 0, &err), EM_EINVAL, "is no host", &err);
    assert_fails(emi_dial_begin(&d, "", 1, NULL, 0, &err), EM_EINVAL, "a host and a port are needed", &err);
    assert_fails(emi_dial_begin(&d, "a", 0, NULL, 0, &err), EM_EINVAL, "a host and a port are needed", &err);
    assert_fails(emi_dial_begin(&d, "a", 1, "", 1, &err), EM_EINVAL, "a host and a port are needed", &err);
    assert_fails(emi_dial_begin(&d, "a", 1, "x y", 1, &err), EM_EINVAL, "is no host", &err);
    assert_fails(emi_dial_begin(&d, "a", 1, "b", 65536, &err), EM_EINVAL, "no port 65536", &err);
    assert_null(d);
}

/* The first address takes no calls (its queue is full), the second refuses, the third answers. */
static void addresses_are_tried_in_turn(void **state)
{
    int good = listen_on("127.0.0.2", 0), port = port_of(good), full = listen_on("127.0.0.4", port), fill[8],
        socket_here;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    char from[EMI_ADDRESS_TEXT];
    em_error err = {0};
    (void)state;
    assert_int_equal(inet_pton(AF_INET, "127.0.0.4", &at.sin_addr), 1);
    assert_int_equal(listen(full, 0), 0);
    for (int n = 0; n < 8; n++) {
        fill[n] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(fcntl(fill[n], F_SETFL, O_NONBLOCK), 0);
        (void)connect(fill[n], (struct sockaddr *)&at, sizeof at);
    }
    for (int last = 0; last < 2; last++) {
        emi_dial *d = dial_to("several.test", port, NULL, 0);
        while (isinf(emi_dial_next(d, 100))) assert_int_equal(emi_dial_step(d, 100, &socket_here, &err), 0);
        assert_close(emi_dial_next(d, 100), 10, 1e-9);
        assert_close(emi_dial_next(d, 104), 6, 1e-9);
        assert_int_equal(emi_dial_step(d, 109.9, &socket_here, &err), 0);
        assert_int_equal(dial_on(d, 110, &socket_here, &err), last ? -1 : 1);
        emi_dial_close(&d);
        if (last) break;
        await_bytes(good);
        int came = emi_accept(good, from);
        assert_true(came >= 0);
        (void)close(came), (void)close(socket_here), (void)close(good);
    }
    assert_non_null(strstr(err.msg, "none of its addresses answers (127.0.0.2: Connection refused)"));
    for (int n = 0; n < 8; n++) (void)close(fill[n]);
    (void)close(full);
}

/* ---- a look-up that takes its time ----------------------------------------------------------------------------------------- */

static void await(atomic_int *count, int wanted)
{
    for (int n = 0; n < 5000 && atomic_load(count) < wanted; n++) (void)poll(NULL, 0, 1);
    assert_int_equal(atomic_load(count), wanted);
}

static void a_slow_name_server_holds_up_nobody(void **state)
{
    int listener = listen_on("127.0.0.1", 0), socket;
    em_error err = {0};
    (void)state;
    (void)pthread_mutex_lock(&slow);
    emi_dial *forgotten = dial_to("slow.test", port_of(listener), NULL, 0);
    emi_dial *d = dial_to("slow.test", port_of(listener), NULL, 0);
    await(&slow_asked, 2);
    assert_int_equal(emi_dial_step(d, 0, &socket, &err), 0);
    assert_int_equal(emi_dial_wants(d), POLLIN);
    assert_int_equal(poll(&(struct pollfd){.fd = emi_dial_socket(d), .events = POLLIN}, 1, 20), 0);
    emi_dial_close(&forgotten);
    (void)pthread_mutex_unlock(&slow);
    assert_int_equal(dial_on(d, 0, &socket, &err), 1);
    (void)close(socket);
    emi_dial_close(&d);
    await(&slow_answered, 2);
    (void)poll(NULL, 0, 20); /* the threads let go of what they hold */
    assert_int_equal(atomic_load(&takes_signals), 0);
    (void)close(listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses_are_read),
                                       cmocka_unit_test(it_listens_on_both_and_says_when_a_port_is_taken),
                                       cmocka_unit_test(where_nobody_can_listen_is_told),
                                       cmocka_unit_test(names_and_ipv4_are_dialled),
                                       cmocka_unit_test(ipv6_is_dialled),
                                       cmocka_unit_test(who_does_not_answer_is_told),
                                       cmocka_unit_test(addresses_are_tried_in_turn),
                                       cmocka_unit_test(a_slow_name_server_holds_up_nobody)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
