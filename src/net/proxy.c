#include "net/proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

em_status emi_proxy_begin(emi_proxy *proxy, const char *host, int port, em_error *err)
{
    int v6 = strchr(host, ':') != NULL;
    const char *left = v6 ? "[" : "", *right = v6 ? "]" : "";
    *proxy = (emi_proxy){0};
    int size = snprintf(proxy->request, sizeof proxy->request, "CONNECT %s%s%s:%d HTTP/1.1\r\nHost: %s%s%s:%d\r\n\r\n",
                        left, host, right, port, left, host, right, port);
    if (size < 0 || (size_t)size >= sizeof proxy->request)
        return em_fail(err, EM_EINVAL, "proxy: the host to ask for is too long; try its address");
    proxy->size = (size_t)size;
    return EM_OK;
}

short emi_proxy_wants(const emi_proxy *proxy)
{
    return proxy->sent < proxy->size ? POLLOUT : POLLIN;
}

static int would_wait(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static int send_request(emi_proxy *proxy, int socket, em_error *err)
{
    while (proxy->sent < proxy->size) {
        ssize_t sent = send(socket, proxy->request + proxy->sent, proxy->size - proxy->sent, MSG_NOSIGNAL);
        if (sent < 0 && would_wait()) return 0;
        if (sent < 0) {
            (void)em_fail(err, EM_ENET, "proxy: it hung up (%s); try its address", strerror(errno));
            return -1;
        }
        proxy->sent += (size_t)sent;
    }
    return 1;
}

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "HTTP/1.1 200 ...": the number; -1: it does not begin like that. */
static int status_of(const char *text)
{
    if (memcmp(text, "HTTP/1.", 7) != 0 || !is_digit(text[7]) || text[8] != ' ') return -1;
    if (!is_digit(text[9]) || !is_digit(text[10]) || !is_digit(text[11])) return -1;
    if (text[12] != ' ' && text[12] != '\r' && text[12] != '\n') return -1;
    return (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
}

static int judge(const emi_proxy *proxy, em_error *err)
{
    int status = status_of(proxy->status);
    if (status == 200) return 1;
    if (status < 0)
        (void)em_fail(err, EM_ENET, "proxy: what answers is no HTTP proxy; try its address and port");
    else if (status == 407)
        (void)em_fail(
            err, EM_ENET,
            "proxy: it wants a name and a password (status 407); try one that lets this machine through without");
    else
        (void)em_fail(err, EM_ENET,
                      "proxy: it refuses to connect (status %d); try asking those who run it to let this through",
                      status);
    return -1;
}

/* One byte at a time: what follows the empty line is the other site's. */
static int read_byte(emi_proxy *proxy, int socket, char *byte, em_error *err)
{
    ssize_t got = recv(socket, byte, 1, 0);
    if (got < 0 && would_wait()) return 0;
    if (got == 1 && proxy->read < EMI_PROXY_ANSWER) return 1;
    if (got == 1)
        (void)em_fail(err, EM_ENET, "proxy: its answer has no end; try its address and port");
    else
        (void)em_fail(err, EM_ENET,
                      "proxy: it hung up before it answered; try its address, and asking those who run it");
    return -1;
}

static int read_answer(emi_proxy *proxy, int socket, em_error *err)
{
    for (;;) {
        char byte;
        int result = read_byte(proxy, socket, &byte, err);
        if (result != 1) return result;
        if (proxy->read < sizeof proxy->status - 1) proxy->status[proxy->read] = byte;
        proxy->read++;
        if (byte == '\n' && proxy->line == 0) return judge(proxy, err);
        if (byte == '\n')
            proxy->line = 0;
        else if (byte != '\r')
            proxy->line++;
    }
}

int emi_proxy_step(emi_proxy *proxy, int socket, em_error *err)
{
    int result = send_request(proxy, socket, err);
    return result == 1 ? read_answer(proxy, socket, err) : result;
}
