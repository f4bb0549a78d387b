/* The engine itself, apart from how a mesh on it is opened. */
#ifndef EIGENMESH_MPI_ENGINE_H
#define EIGENMESH_MPI_ENGINE_H

#include "mpi/plan.h"

extern const em_engine emi_mpi_engine;

/* Its state for this rank.  The communicator, a duplicate of its own, is the engine's where this succeeds. */
em_status emi_mpi_engine_new(void **state, MPI_Comm comm, const emi_layout *layout, em_error *err);

/* What MPI says of a call that failed. */
em_status emi_mpi_fail_call(em_error *err, const char *what, int code);

#ifdef __clang_analyzer__
#define emi_mpi_fail_call(err, what, code) ((emi_mpi_fail_call)(err, what, code), EM_ENET)
#endif

#endif
