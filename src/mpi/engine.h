/* The engine itself, apart from how a mesh on it is opened. */
#ifndef EIGENMESH_MPI_ENGINE_H
#define EIGENMESH_MPI_ENGINE_H

#include "mpi/wait.h"

extern const em_engine emi_mpi_engine;

/* Its state for this rank.  The communicator, a duplicate of its own, is the engine's where this succeeds. */
em_status emi_mpi_engine_new(void **state, MPI_Comm comm, const emi_mpi_layout *layout, double patience, em_error *err);

#endif
