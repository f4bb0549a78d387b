/* Who sends which blocks to whom, for one set of links: found once, used in every round. */
#ifndef EIGENMESH_MPI_PLAN_H
#define EIGENMESH_MPI_PLAN_H

#include <eigenmesh/mpi.h>

/* Nodes emi_mpi_layout_first(l, r) .. emi_mpi_layout_first(l, r + 1) - 1 live on rank r. */
typedef struct emi_mpi_layout {
    int rank, ranks, nodes;
} emi_mpi_layout;

int emi_mpi_layout_first(const emi_mpi_layout *l, int rank);
int emi_mpi_layout_rank_of(const emi_mpi_layout *l, int node);
int emi_mpi_layout_hosts(const emi_mpi_layout *l, int node);

/* Memory that grows with what is put there. */
typedef struct emi_mpi_room {
    char *bytes;
    size_t size;
} emi_mpi_room;

/* One neighbouring rank: a single message each way, with the blocks of these nodes in the order of their numbers. */
typedef struct emi_peer {
    int rank;
    int send_count, receive_count;
    int *send, *receive; /* nodes */
    emi_mpi_room packed, got;
    size_t seen; /* the size of a block in its last message; 0: there was none */
} emi_peer;

typedef struct emi_mpi_plan {
    const em_link *links; /* what it is for */
    size_t count;
    int peer_count;
    emi_peer *peers;
} emi_mpi_plan;

em_status emi_mpi_plan_make(emi_mpi_plan *out, const emi_mpi_layout *l, const em_link *links, size_t count,
                            em_error *err);
void emi_mpi_plan_free(emi_mpi_plan *p);

#ifdef __clang_analyzer__
/* It does not see into another file that this never returns EM_OK. */
#define em_fail(err, code, ...) ((em_fail)(err, code, __VA_ARGS__), code)
#endif

#endif
