/* Who sends which blocks to whom, for one set of links: found once, used in every round. */
#ifndef EIGENMESH_MPI_PLAN_H
#define EIGENMESH_MPI_PLAN_H

#include <eigenmesh/mpi.h>

/* Nodes first_of(r) .. first_of(r + 1) - 1 live on rank r. */
typedef struct layout {
    int rank, ranks, nodes;
} layout;

int layout_first(const layout *l, int rank);
int layout_rank_of(const layout *l, int node);
int layout_hosts(const layout *l, int node);

/* One neighbouring rank: a single message each way, with the blocks of these nodes in the order of their numbers. */
typedef struct peer {
    int rank;
    int send_count, receive_count;
    int *send, *receive;  /* nodes */
    double *packed, *got; /* room for them */
    size_t packed_room, got_room;
} peer;

typedef struct plan {
    const em_link *links; /* what it is for */
    size_t count;
    int peer_count;
    peer *peers; /* rising ranks */
} plan;

em_status plan_make(plan *out, const layout *l, const em_link *links, size_t count, em_error *err);
void plan_free(plan *p);

/* Message and status, as the library's own. */
em_status mpi_refuse(em_error *err, em_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
