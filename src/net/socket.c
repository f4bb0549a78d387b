#include "net/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int emi_socket_prepare(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ? -1 : 0;
}

#if defined(__linux__) && !defined(TCP_RTO_MAX_MS)
#define TCP_RTO_MAX_MS 44 /* since Linux 6.15; an older one does not know it, and doubles its pauses for minutes */
#endif

/* After a cut TCP tries again every few seconds, however long the cut was. */
void emi_socket_tune(int fd)
{
    int on = 1;
#ifdef TCP_RTO_MAX_MS
    int most = 4000;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_RTO_MAX_MS, &most, sizeof most);
#endif
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

int emi_socket_for(const struct addrinfo *address)
{
    int fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
    if (fd < 0 || emi_socket_prepare(fd) == 0) return fd;
    int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

void emi_address_write(const struct sockaddr *address, socklen_t size, char text[EMI_ADDRESS_TEXT])
{
    if (getnameinfo(address, size, text, EMI_ADDRESS_TEXT, NULL, 0, NI_NUMERICHOST) != 0)
        (void)snprintf(text, EMI_ADDRESS_TEXT, "somewhere");
}

/* % is for the interface of a local IPv6 address. */
int emi_address_is_host(const char *host)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:%";
    return *host && *host != '-' && host[strspn(host, letters)] == 0;
}

em_status emi_address_hints(const char *host, int port, struct addrinfo *hints, char service[EMI_PORT_TEXT],
                            em_error *err)
{
    if (*host && !emi_address_is_host(host))
        return em_fail(err, EM_EINVAL, "address: '%s' is no host; try a name, or an IPv4 or IPv6 address", host);
    if (port < 0 || port > 65535)
        return em_fail(err, EM_EINVAL, "address: there is no port %d; try one from 1 to 65535", port);
    *hints = (struct addrinfo){.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    (void)snprintf(service, EMI_PORT_TEXT, "%d", port);
    return EM_OK;
}

/* ---- [ADDR:]PORT ----------------------------------------------------------------------------------------------------- */

static int read_port(const char *text, int *port)
{
    size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 5 || text[digits]) return -1;
    long value = strtol(text, NULL, 10);
    if (value < 1 || value > 65535) return -1;
    *port = (int)value;
    return 0;
}

/* It is written in brackets, so that its end is not taken for a port; nothing else is. */
static int is_ipv6(const char *host)
{
    size_t digits = strspn(host, "0123456789abcdefABCDEF:.");
    return strchr(host, ':') && (!host[digits] || host[digits] == '%');
}

int emi_address_read(const char *text, char *host, size_t room, int *port)
{
    const char *colon = strrchr(text, ':'), *from = text;
    size_t length = colon ? (size_t)(colon - text) : 0;
    int in_brackets = length >= 2 && text[0] == '[' && colon[-1] == ']';
    if (!room || read_port(colon ? colon + 1 : text, port) != 0) return -1;
    if (in_brackets) from++, length -= 2;
    if (length >= room || (in_brackets && !length)) return -1;
    memcpy(host, from, length);
    host[length] = 0;
    if (!length) return 0;
    return emi_address_is_host(host) && (in_brackets ? is_ipv6(host) : !strpbrk(host, ":%")) ? 0 : -1;
}
