/* eigenmesh on the processes of an MPI communicator: link with eigenmesh_mpi and eigenmesh.
 *
 * The nodes of the graph are hosted by the ranks in contiguous blocks, at least one each.  Then em_fit, called by every
 * rank with the same options and its own nodes' shards, gives every rank the same model.  MPI must have been initialised
 * by the program, which also finalises it; nothing here does, and nothing here aborts.  em_fit must be called by the
 * thread that initialised MPI (MPI_THREAD_FUNNELED is enough).
 *
 * Where em_fit fails on one rank, it fails on all of them, and that mesh is only good for closing.  A rank that hangs cannot
 * say so: the others wait for it for an hour, or as long as they are told, and then fail (EM_ENET) in words that name it.
 * MPI_Finalize would wait for it again; MPI_Abort is the way out. */
#ifndef EIGENMESH_MPI_H
#define EIGENMESH_MPI_H

#include <eigenmesh/engine.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective.  The communicator is duplicated (by tags 32765 to 32767 the ranks meanwhile say whether they are there), and
 * freed with the mesh; closing is collective too.  The graph is borrowed
 * and must be the same everywhere.  threads: cores for each rank; 0: a fair share of its machine's.  em_mesh_first and
 * em_mesh_hosted then tell which nodes live here. */
EM_API em_status em_mpi_mesh_open(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, em_error *err);

/* The same with another patience than an hour, in seconds (INFINITY: for ever), for opening and for what the mesh does
 * afterwards, until em_mesh_set_patience. */
EM_API em_status em_mpi_mesh_open_within(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads,
                                         double patience, em_error *err);

/* Collective.  The engine alone, with one node a rank: for what the ranks of a program have to tell each other beside a
 * mesh, by the contract of engine.h, which also says how long they wait and how they learn of a failure. */
EM_API em_status em_mpi_engine_open(const em_engine **engine, void **state, MPI_Comm comm, double patience,
                                    em_error *err);

/* Before there is a mesh: the nodes that will live on this rank. */
EM_API em_status em_mpi_nodes(MPI_Comm comm, int nodes, int *first, int *hosted, em_error *err);

#ifdef __cplusplus
}
#endif
#endif
