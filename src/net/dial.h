/* Sockets: listening, dialling, one address of a name after the other, through a proxy where there is one.  Non-blocking, but
 * for looking up names, which a thread of its own does. */
#ifndef EIGENMESH_NET_DIAL_H
#define EIGENMESH_NET_DIAL_H

#include <eigenmesh/engine.h>

/* "[ADDR:]PORT", ADDR a name, IPv4, or [IPv6]: host[] is "" where there is none.  0, or -1. */
int emi_address_read(const char *text, char *host, size_t room, int *port);

/* Sockets that listen at a port, on IPv4 and IPv6, of all addresses ("") or of those of a name; at most `room`.  Port 0: one that
 * is free, for each socket another.  May wait for the name to be looked up. */
em_status emi_listen(const char *host, int port, int *sockets, int room, int *count, em_error *err);

/* Another connection that came; -1: none now.  The address in words, for logs, without the port. */
enum { EMI_ADDRESS_TEXT = 64 };
int emi_accept(int listener, char from[EMI_ADDRESS_TEXT]);

/* Dialling: begun, then moved on by poll.  Every address of the name has 10 s to answer; proxy_host is NULL where there is none. */
typedef struct emi_dial emi_dial;

em_status emi_dial_begin(emi_dial **out, const char *host, int port, const char *proxy_host, int proxy_port,
                         em_error *err);
void emi_dial_close(emi_dial **dial); /* accepts NULL; a look-up that is under way is forgotten */

/* 1: *socket is connected, non-blocking, and the caller's; 0: not yet, poll emi_dial_socket for emi_dial_wants until
 * emi_dial_next seconds from now at the latest; -1: no address answers, in words. */
int emi_dial_step(emi_dial *d, double now, int *socket, em_error *err);
int emi_dial_socket(const emi_dial *d); /* -1: nothing to poll for */
short emi_dial_wants(const emi_dial *d);
double emi_dial_next(const emi_dial *d, double now); /* INFINITY: the socket tells */

#endif
