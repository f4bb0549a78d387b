/* Waiting to be called. */
#include "net/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 64 };

/* A file of names may have one address twice, and the second would be taken by the first. */
static int is_repeated(const struct addrinfo *first, const struct addrinfo *address)
{
    for (; first != address; first = first->ai_next)
        if (first->ai_addrlen == address->ai_addrlen &&
            memcmp(first->ai_addr, address->ai_addr, address->ai_addrlen) == 0)
            return 1;
    return 0;
}

/* IPv6 takes no calls of IPv4, which has a socket of its own: on all systems the same. */
static int listen_at(const struct addrinfo *address)
{
    int on = 1, fd = emi_socket_for(address);
    if (fd < 0) return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        (address->ai_family != AF_INET6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

static em_status fail_listening(const char *host, int port, int why, em_error *err)
{
    const char *place = *host ? host : "this machine";
    if (why == EADDRINUSE)
        return em_fail(err, EM_ENET, "%s: port %d is taken by another program; try another port, or ending that one",
                       place, port);
    if (why == EACCES)
        return em_fail(err, EM_ENET, "%s: port %d is not for ordinary users; try one from 1024 on", place, port);
    if (why == EADDRNOTAVAIL)
        return em_fail(err, EM_ENET, "%s: not an address of this machine; try a port alone", place);
    return em_fail(err, EM_ENET, "%s: nobody can be heard at port %d (%s); try another port", place, port,
                   strerror(why));
}

/* A machine without IPv6, or without IPv4, is none to refuse; a port that is taken in one of them is: half of the callers
 * would reach another program. */
static em_status listen_at_all(const struct addrinfo *found, int *sockets, int room, int *count, int *why)
{
    for (const struct addrinfo *at = found; at && *count < room; at = at->ai_next) {
        if (is_repeated(found, at)) continue;
        int fd = listen_at(at);
        if (fd >= 0) {
            sockets[(*count)++] = fd;
            continue;
        }
        *why = errno;
        if (*why == EADDRINUSE || *why == EACCES) return EM_ENET;
    }
    return *count ? EM_OK : EM_ENET;
}

em_status emi_listen(const char *host, int port, int *sockets, int room, int *count, em_error *err)
{
    struct addrinfo hints, *found = NULL;
    char service[EMI_PORT_TEXT];
    int why = 0;
    *count = 0;
    em_status status = emi_address_hints(host, port, &hints, service, err);
    if (status != EM_OK) return status;
    hints.ai_flags |= AI_PASSIVE;
    int code = getaddrinfo(*host ? host : NULL, service, &hints, &found);
    if (code != 0)
        return em_fail(err, EM_ENET, "%s: its addresses are not found (%s); try a port alone", host,
                       code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code));
    status = listen_at_all(found, sockets, room, count, &why);
    freeaddrinfo(found);
    if (status == EM_OK) return status;
    while (*count) (void)close(sockets[--*count]);
    return fail_listening(host, port, why, err);
}

int emi_accept(int listener, char from[EMI_ADDRESS_TEXT])
{
    struct sockaddr_storage address;
    socklen_t size;
    int fd;
    do { /* one that is gone again before it is taken is none */
        size = sizeof address;
        fd = accept(listener, (struct sockaddr *)&address, &size);
    } while (fd < 0 && (errno == ECONNABORTED || errno == EINTR));
    if (fd < 0) return -1;
    if (emi_socket_prepare(fd) != 0) {
        (void)close(fd);
        return -1;
    }
    emi_socket_tune(fd);
    emi_address_write((struct sockaddr *)&address, size, from);
    return fd;
}
