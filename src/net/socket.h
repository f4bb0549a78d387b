/* What dialling and listening have in common: sockets that never block, and addresses as text. */
#ifndef EIGENMESH_NET_SOCKET_H
#define EIGENMESH_NET_SOCKET_H

#include "net/dial.h"

#include <netdb.h>
#include <sys/socket.h>

/* Non-blocking, and closed in programs that this one starts; 0, or -1 with errno. */
int emi_socket_prepare(int fd);

/* For a connection: what is written leaves at once, and a peer that is gone for hours is noticed. */
void emi_socket_tune(int fd);

/* A socket for an address, prepared; -1 with errno. */
int emi_socket_for(const struct addrinfo *address);

void emi_address_write(const struct sockaddr *address, socklen_t size, char text[EMI_ADDRESS_TEXT]);

/* Are these the characters of a name, an IPv4 or an IPv6 address?  Such a host goes into a request or a message as it is. */
int emi_address_is_host(const char *host);

/* What is asked of getaddrinfo for a host and port; port 0 is the system's choice. */
enum { EMI_PORT_TEXT = 6 };
em_status emi_address_hints(const char *host, int port, struct addrinfo *hints, char service[EMI_PORT_TEXT],
                            em_error *err);

#endif
