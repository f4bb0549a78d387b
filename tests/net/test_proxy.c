/* Dialling through an HTTP proxy, which this program plays. */
#include "net/dial.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct call {
    int listener, proxy; /* the proxy's end of the connection */
    emi_dial *dial;
    char request[512];
    em_error err;
} call;

/* A site dials, the proxy takes the call and has read the request. */
static void begin(call *c, const char *host, int port)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    char from[EMI_ADDRESS_TEXT];
    int count, socket;
    *c = (call){.proxy = -1};
    assert_ok(emi_listen("127.0.0.1", 0, &c->listener, 1, &count, &c->err), &c->err);
    assert_int_equal(getsockname(c->listener, (struct sockaddr *)&at, &size), 0);
    assert_ok(emi_dial_begin(&c->dial, host, port, "127.0.0.1", ntohs(at.sin_port), &c->err), &c->err);
    for (int n = 0; n < 200 && !strstr(c->request, "\r\n\r\n"); n++) {
        assert_int_equal(emi_dial_step(c->dial, 0, &socket, &c->err), 0);
        struct pollfd wait = {.fd = emi_dial_socket(c->dial), .events = emi_dial_wants(c->dial)};
        (void)poll(&wait, 1, 10);
        if (c->proxy < 0) c->proxy = emi_accept(c->listener, from);
        if (c->proxy >= 0) (void)recv(c->proxy, c->request, sizeof c->request - 1, 0);
    }
    assert_non_null(strstr(c->request, "\r\n\r\n"));
    assert_int_equal(emi_dial_wants(c->dial), POLLIN);
}

static void end(call *c)
{
    emi_dial_close(&c->dial);
    if (c->proxy >= 0) (void)close(c->proxy);
    (void)close(c->listener);
}

static void await_bytes(int socket)
{
    assert_int_equal(poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, 2000), 1);
}

static int answer(call *c, const char *bytes, size_t count, int *socket)
{
    assert_int_equal(send(c->proxy, bytes, count, MSG_NOSIGNAL), (ssize_t)count);
    await_bytes(emi_dial_socket(c->dial));
    return emi_dial_step(c->dial, 1, socket, &c->err);
}

static void the_request_is_that_of_the_standard(void **state)
{
    call c;
    (void)state;
    begin(&c, "berlin.example.org", 7473);
    assert_string_equal(c.request, "CONNECT berlin.example.org:7473 HTTP/1.1\r\nHost: berlin.example.org:7473\r\n\r\n");
    end(&c);
    begin(&c, "fd00::1", 7473);
    assert_string_equal(c.request, "CONNECT [fd00::1]:7473 HTTP/1.1\r\nHost: [fd00::1]:7473\r\n\r\n");
    end(&c);
}

/* What follows the answer is the other site's, to the byte. */
static void a_way_that_is_open_is_handed_over(void **state)
{
    static const char *const answers[] = {"HTTP/1.1 200 OK\r\n\r\nTLS",
                                          "HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\nTLS",
                                          "HTTP/1.1 200\r\n\r\nTLS", "HTTP/1.1 200 OK\nVia: x\n\nTLS"};
    (void)state;
    for (size_t n = 0; n < sizeof answers / sizeof *answers; n++)
        for (int slowly = 0; slowly < 2; slowly++) {
            call c;
            char room[8];
            int socket = -1, result = 0;
            size_t count = strlen(answers[n]), at = 0;
            begin(&c, "a", 1);
            if (slowly)
                while (result == 0) result = answer(&c, answers[n] + at++, 1, &socket);
            else
                result = answer(&c, answers[n], count, &socket);
            assert_int_equal(result, 1);
            if (slowly) {
                assert_int_equal(at, count - 3);
                assert_int_equal(send(c.proxy, "TLS", 3, 0), 3);
            }
            assert_int_equal(emi_dial_socket(c.dial), -1);
            await_bytes(socket);
            assert_int_equal(recv(socket, room, sizeof room, 0), 3);
            assert_memory_equal(room, "TLS", 3);
            assert_int_equal(emi_dial_step(c.dial, 1, &(int){0}, &c.err), -1); /* it is handed over once */
            (void)close(socket);
            end(&c);
        }
}

static void a_refusal_is_told_with_its_number(void **state)
{
    static const struct {
        const char *bytes;
        size_t count; /* 0: to its end */
        const char *words;
    } tries[] = {
        {"HTTP/1.1 407 Proxy Authentication Required\r\nX: y\r\n\r\n", 0, "a name and a password (status 407)"},
        {"HTTP/1.1 403 Forbidden\r\n\r\n", 0, "status 403"},
        {"HTTP/1.1 502 \x1b[31mBad\r\n\r\n", 0, "status 502"},
        {"HTTP/1.1 201 Created\r\n\r\n", 0, "status 201"},
        {"HTTP/1.1 2000 OK\r\n\r\n", 0, "no HTTP proxy"},
        {"HTTP/1.1  200 OK\r\n\r\n", 0, "no HTTP proxy"},
        {"HTTP/2 200 OK\r\n\r\n", 0, "no HTTP proxy"},
        {"HTTP/1.\0 200 OK\r\n\r\n", 20, "no HTTP proxy"},
        {"HTTP/1.1 200\0OK\r\n\r\n", 19, "no HTTP proxy"},
        {"\r\n\r\n", 0, "no HTTP proxy"},
        {"\n", 0, "no HTTP proxy"},
        {"SSH-2.0-OpenSSH_9.2\r\n\r\n", 0, "no HTTP proxy"}};
    (void)state;
    for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
        call c;
        int socket = 0, result;
        begin(&c, "a", 1);
        result = answer(&c, tries[n].bytes, tries[n].count ? tries[n].count : strlen(tries[n].bytes), &socket);
        if (result != -1 || !strstr(c.err.msg, tries[n].words)) fail_msg("%zu: %d, %s", n, result, c.err.msg);
        assert_int_equal(socket, -1);
        assert_int_equal(c.err.code, EM_ENET);
        end(&c);
    }
}

static void an_answer_without_end_is_refused(void **state)
{
    for (int lines = 0; lines < 2; lines++) {
        call c;
        int socket;
        char bytes[5000];
        (void)state;
        begin(&c, "a", 1);
        memset(bytes, 'x', sizeof bytes);
        for (size_t n = 0; lines && n < sizeof bytes; n += 2) bytes[n] = '\n';
        memcpy(bytes, "HTTP/1.1 200 OK\r\nX", 18);
        assert_int_equal(answer(&c, bytes, 4096, &socket), 0);
        assert_int_equal(answer(&c, bytes, 1, &socket), -1);
        assert_non_null(strstr(c.err.msg, "its answer has no end"));
        end(&c);
    }
}

static void a_proxy_that_hangs_up_or_says_nothing_is_told(void **state)
{
    call c;
    int socket, result;
    (void)state;
    begin(&c, "a", 1);
    assert_int_equal(answer(&c, "HTTP/1.1 200 OK\r\n", 17, &socket), 0);
    (void)shutdown(c.proxy, SHUT_WR);
    await_bytes(emi_dial_socket(c.dial));
    result = emi_dial_step(c.dial, 1, &socket, &c.err);
    assert_int_equal(result, -1);
    assert_non_null(strstr(c.err.msg, "it hung up before it answered"));
    end(&c);
    begin(&c, "a", 1);
    assert_int_equal(emi_dial_step(c.dial, 29, &socket, &c.err), 0);
    assert_close(emi_dial_next(c.dial, 29), 1, 1e-9);
    assert_int_equal(emi_dial_step(c.dial, 30, &socket, &c.err), -1);
    assert_non_null(strstr(c.err.msg, "says nothing"));
    end(&c);
}

/* Where the proxy itself does not answer, it is the proxy that is named. */
static void a_proxy_that_is_not_there_is_named(void **state)
{
    call c;
    emi_dial *d;
    int socket, result = 0;
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    em_error err = {0};
    (void)state;
    begin(&c, "a", 1);
    assert_int_equal(getsockname(c.listener, (struct sockaddr *)&at, &size), 0);
    end(&c);
    assert_ok(emi_dial_begin(&d, "a", 1, "127.0.0.1", ntohs(at.sin_port), &err), &err);
    for (int n = 0; n < 200 && result == 0; n++) {
        result = emi_dial_step(d, 0, &socket, &err);
        struct pollfd wait = {.fd = emi_dial_socket(d), .events = emi_dial_wants(d)};
        if (result == 0) (void)poll(&wait, 1, 10);
    }
    assert_int_equal(result, -1);
    assert_non_null(strstr(err.msg, "proxy 127.0.0.1 port"));
    emi_dial_close(&d);
    char host[2000];
    memset(host, 'a', sizeof host - 1);
    host[sizeof host - 1] = 0;
    assert_fails(emi_dial_begin(&d, host, 1, "127.0.0.1", 1, &err), EM_EINVAL, "too long", &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_request_is_that_of_the_standard),
                                       cmocka_unit_test(a_way_that_is_open_is_handed_over),
                                       cmocka_unit_test(a_refusal_is_told_with_its_number),
                                       cmocka_unit_test(an_answer_without_end_is_refused),
                                       cmocka_unit_test(a_proxy_that_hangs_up_or_says_nothing_is_told),
                                       cmocka_unit_test(a_proxy_that_is_not_there_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
