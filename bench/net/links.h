/* Rounds of blocks between processes of this machine, in seconds a round. */
#ifndef BENCH_NET_LINKS_H
#define BENCH_NET_LINKS_H

#include <stddef.h>

/* A process writes blocks by TLS 1.3, another reads them: SSL_write and SSL_read, and nothing else. */
double bare_seconds(size_t bytes, int rounds);

/* Around a cycle each process writes to both neighbours, then reads from both. */
double bare_cycle(int count, size_t bytes, int rounds);

/* The same by the hub of a study: from one site to the other; and around a cycle, to both neighbours at once. */
double hub_seconds(size_t bytes, int rounds);
double hub_cycle(int sites, size_t bytes, int rounds);

double seconds_now(void);

#endif
