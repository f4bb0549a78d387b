/* The addresses of a name.  Asking for them may take half a minute where a name server is down, so a thread of its own does. */
#ifndef EIGENMESH_NET_LOOKUP_H
#define EIGENMESH_NET_LOOKUP_H

#include "net/socket.h"

typedef struct emi_lookup emi_lookup;

em_status emi_lookup_begin(emi_lookup **out, const char *host, int port, em_error *err);

/* Forgotten, also while it is under way: whoever is last, this or the thread, tidies up.  Accepts NULL. */
void emi_lookup_close(emi_lookup **lookup);

int emi_lookup_socket(const emi_lookup *lookup); /* can be read once the answer is here */

/* 1: *addresses, which last as long as the look-up; 0: not yet; -1: there are none, in words. */
int emi_lookup_step(emi_lookup *lookup, const struct addrinfo **addresses, em_error *err);

#endif
