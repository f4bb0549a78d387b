/* Ports for tests to listen at. */
#ifndef TESTS_NET_FREE_PORTS_H
#define TESTS_NET_FREE_PORTS_H

/* The first of so many in a row that nothing listens at, and that no other test was given lately, which may not listen yet; below
 * those that Linux gives to connections, which come and go. */
int free_ports(int count);

#endif
