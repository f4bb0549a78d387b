#define _GNU_SOURCE /* sched_getaffinity */
/* A mesh on a communicator.  Opening is collective, so whatever could differ between ranks is compared before any of them
 * goes on to wait for another. */
#include "mpi/engine.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static em_status find_place(emi_layout *l, MPI_Comm comm, int nodes, em_error *err)
{
    int ready = 0, over = 0;
    (void)MPI_Initialized(&ready);
    (void)MPI_Finalized(&over);
    if (!ready || over)
        return emi_mpi_fail(err, EM_EINVAL, "mpi: not initialised%s; try MPI_Init before, MPI_Finalize after all else",
                            over ? " any more" : "");
    l->nodes = nodes;
    int code = MPI_Comm_rank(comm, &l->rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(comm, &l->ranks);
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "the communicator", code);
}

static em_status check_place(const emi_layout *l, em_error *err)
{
    if (l->ranks <= l->nodes) return EM_OK;
    return emi_mpi_fail(err, EM_EINVAL, "mpi: %d ranks for %d node%s, and each needs one; try mpirun -n %d", l->ranks,
                        l->nodes, l->nodes == 1 ? "" : "s", l->nodes);
}

em_status em_mpi_nodes(MPI_Comm comm, int nodes, int *first, int *hosted, em_error *err)
{
    emi_layout l;
    em_status status = find_place(&l, comm, nodes, err);
    if (status == EM_OK) status = check_place(&l, err);
    if (status != EM_OK) return status;
    *first = emi_layout_first(&l, l.rank);
    *hosted = emi_layout_first(&l, l.rank + 1) - *first;
    return EM_OK;
}

/* ---- the same graph everywhere ------------------------------------------------------------------------------ */

static uint64_t digest(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * 1099511628211u; /* FNV-1a: Fowler, Noll and Vo */
    return hash;
}

/* Different for different graphs, as good as certainly. */
static uint64_t digest_graph(const em_graph *graph)
{
    int nodes = em_graph_nodes(graph);
    uint64_t hash = digest(14695981039346656037u, &nodes, sizeof nodes);
    for (size_t e = 0; e < em_graph_edges(graph); e++) {
        int ends[2];
        em_graph_edge(graph, e, &ends[0], &ends[1]);
        double weight = em_graph_weight(graph, ends[0], ends[1]);
        hash = digest(hash, ends, sizeof ends);
        hash = digest(hash, &weight, sizeof weight);
    }
    return hash;
}

/* Did this rank get as far as all others, and with the same graph? */
static em_status compare(MPI_Comm comm, const em_graph *graph, em_status status, em_error *err)
{
    uint64_t own = digest_graph(graph), mine[3] = {own, ~own, status != EM_OK}, largest[3];
    int code = MPI_Allreduce(mine, largest, 3, MPI_UINT64_T, MPI_MAX, comm);
    if (status != EM_OK) return status;
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "comparing graphs", code);
    if (largest[2]) return emi_mpi_fail(err, EM_ENOMEM, "mpi: another rank is out of memory; try fewer ranks");
    if (largest[0] != ~largest[1])
        return emi_mpi_fail(err, EM_EINVAL, "mpi: the graph differs between ranks; try the same one everywhere");
    return EM_OK;
}

/* ---- the mesh ----------------------------------------------------------------------------------------------- */

/* The cores that this rank is bound to, where the launcher or the batch system did so; 0: to none in particular. */
static int bound_cores(long cores)
{
    cpu_set_t own;
    int count = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 0;
    return count < cores ? count : 0;
}

/* This rank's share of its machine's cores. */
static int fair_share(MPI_Comm comm)
{
    MPI_Comm machine;
    int ranks = 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) == MPI_SUCCESS) {
        (void)MPI_Comm_size(machine, &ranks);
        (void)MPI_Comm_free(&machine);
    }
    if (bound_cores(cores)) return bound_cores(cores);
    return cores > ranks ? (int)(cores / ranks) : 1;
}

em_status em_mpi_mesh_open(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, em_error *err)
{
    emi_layout l;
    MPI_Comm own;
    void *state = NULL;
    *out = NULL;
    em_status status = find_place(&l, comm, em_graph_nodes(graph), err);
    if (status != EM_OK) return status;
    int code = MPI_Comm_dup(comm, &own);
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "duplicating the communicator", code);
    (void)MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    status = compare(own, graph, emi_mpi_engine_new(&state, own, &l, err), err);
    if (status == EM_OK) status = check_place(&l, err);
    if (status != EM_OK) {
        if (state)
            emi_mpi_engine.close(state);
        else
            (void)MPI_Comm_free(&own);
        return status;
    }
    int first = emi_layout_first(&l, l.rank), share = fair_share(own); /* collective, whatever this rank asks for */
    return em_mesh_open_on(out, &emi_mpi_engine, state, first, emi_layout_first(&l, l.rank + 1) - first, graph,
                           threads > 0 ? threads : share, err);
}
