/* The engine itself, apart from how it is opened. */
#ifndef EIGENMESH_MPI_ENGINE_H
#define EIGENMESH_MPI_ENGINE_H

#include "mpi/wait.h"

typedef struct emi_mpi_state {
    emi_channel channel; /* on the caller's communicator, then on the engine's own */
    MPI_Comm own;        /* MPI_COMM_NULL: not yet */
    emi_mpi_layout layout;
    emi_mpi_plan *plans; /* one for each set of links seen */
    int plan_count;

    const emi_mpi_plan *now; /* between begin and end */
    const void *const *blocks;
    size_t bytes;        /* of a block */
    emi_pending pending; /* a message each way with every other rank, at most */
    em_error early;      /* what went wrong with it before `end` */

    emi_mpi_room sums; /* of the engine's own, as MPI does not let go of a sum that another rank will not join */
} emi_mpi_state;

extern const em_engine emi_mpi_engine;

em_status emi_mpi_make_room(emi_mpi_room *room, size_t bytes, em_error *err);

#endif
