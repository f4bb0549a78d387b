/* "shard-%03d.npy": a file a node. */
#ifndef EIGENMESH_PATTERN_H
#define EIGENMESH_PATTERN_H

#include <eigenmesh/eigenmesh.h>
#include <limits.h>

/* One conversion of a whole number, and nothing else that printf would look at. */
int pattern_is(const char *path);

/* The file of a node. */
em_status pattern_name(char path[PATH_MAX], const char *pattern, int node, em_error *err);

/* How many files there are in a row, from that of node 0 on; none is an error. */
em_status pattern_count(const char *pattern, int *count, em_error *err);

#endif
