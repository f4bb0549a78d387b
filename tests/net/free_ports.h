/* Ports for tests to listen at. */
#ifndef TESTS_NET_FREE_PORTS_H
#define TESTS_NET_FREE_PORTS_H

/* The first of so many in a row that nothing listens at; below those that Linux gives to connections, which come and go. */
int free_ports(int count);

#endif
