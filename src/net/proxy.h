/* Through an HTTP proxy: CONNECT (RFC 9110, 9.3.6).  It sees where to, and then bytes of TLS alone. */
#ifndef EIGENMESH_NET_PROXY_H
#define EIGENMESH_NET_PROXY_H

#include <eigenmesh/engine.h>

enum { EMI_PROXY_REQUEST = 1024, EMI_PROXY_ANSWER = 4096, EMI_PROXY_STATUS = 16 };

typedef struct emi_proxy {
    char request[EMI_PROXY_REQUEST];
    size_t size, sent;
    char status[EMI_PROXY_STATUS]; /* how the answer begins: "HTTP/1.1 200 " */
    size_t read, line;             /* bytes of the answer, and of its present line */
} emi_proxy;

/* The host's characters are known to be those of one. */
em_status emi_proxy_begin(emi_proxy *proxy, const char *host, int port, em_error *err);

/* On a connected, non-blocking socket.  1: the way is open, and not a byte after the answer was read; 0: not yet; -1: refused, in
 * words. */
int emi_proxy_step(emi_proxy *proxy, int socket, em_error *err);
short emi_proxy_wants(const emi_proxy *proxy);

#endif
