/* eigenmesh on the processes of an MPI communicator: link with eigenmesh_mpi and eigenmesh.
 *
 * The nodes of the graph are hosted by the ranks in contiguous blocks, at least one each.  Then em_fit, called by every
 * rank with the same options and its own nodes' shards, gives every rank the same model.  MPI must have been initialised
 * by the program, which also finalises it; nothing here does, and nothing here aborts.  em_fit must be called by the
 * thread that initialised MPI (MPI_THREAD_FUNNELED is enough).
 *
 * Where em_fit fails on one rank, it fails on all of them, and that mesh is only good for closing. */
#ifndef EIGENMESH_MPI_H
#define EIGENMESH_MPI_H

#include <eigenmesh/eigenmesh.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective.  The communicator is duplicated, and freed with the mesh; closing is collective too.  The graph is borrowed
 * and must be the same everywhere.  threads: cores for each rank; 0: a fair share of its machine's.  em_mesh_first and
 * em_mesh_hosted then tell which nodes live here. */
EM_API em_status em_mpi_mesh_open(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, em_error *err);

/* The same before there is a mesh: the nodes of this rank. */
EM_API em_status em_mpi_nodes(MPI_Comm comm, int nodes, int *first, int *hosted, em_error *err);

#ifdef __cplusplus
}
#endif
#endif
