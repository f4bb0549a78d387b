/* Who sends which blocks to whom, for one set of links: found once, used in every round. */
#ifndef EIGENMESH_MPI_PLAN_H
#define EIGENMESH_MPI_PLAN_H

#include <eigenmesh/mpi.h>

/* Nodes emi_layout_first(l, r) .. emi_layout_first(l, r + 1) - 1 live on rank r. */
typedef struct emi_layout {
    int rank, ranks, nodes;
} emi_layout;

int emi_layout_first(const emi_layout *l, int rank);
int emi_layout_rank_of(const emi_layout *l, int node);
int emi_layout_hosts(const emi_layout *l, int node);

/* One neighbouring rank: a single message each way, with the blocks of these nodes in the order of their numbers. */
typedef struct emi_peer {
    int rank;
    int send_count, receive_count;
    int *send, *receive;  /* nodes */
    double *packed, *got; /* room for them */
    size_t packed_room, got_room;
    size_t seen; /* the size that its last message had, plus one; 0: there was none */
} emi_peer;

typedef struct emi_plan {
    const em_link *links; /* what it is for */
    size_t count;
    int peer_count;
    emi_peer *peers;
} emi_plan;

em_status emi_plan_make(emi_plan *out, const emi_layout *l, const em_link *links, size_t count, em_error *err);
void emi_plan_free(emi_plan *p);

/* Message and status, as the library's own. */
em_status emi_mpi_fail(em_error *err, em_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__
/* It does not see into another file that this never returns EM_OK. */
#define emi_mpi_fail(err, code, ...) ((emi_mpi_fail)(err, code, __VA_ARGS__), code)
#endif

#endif
