#define _GNU_SOURCE /* sched_getaffinity */
/* A mesh on a communicator.  Opening is collective, so whatever could differ between ranks is compared before any of them
 * goes on to wait for another. */
#include "mpi/engine.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static em_status find_place(emi_mpi_layout *l, MPI_Comm comm, em_error *err)
{
    int ready = 0, over = 0;
    (void)MPI_Initialized(&ready);
    (void)MPI_Finalized(&over);
    if (!ready || over)
        return em_fail(err, EM_EINVAL, "mpi: not initialised%s; try MPI_Init before, MPI_Finalize after all else",
                       over ? " any more" : "");
    int code = MPI_Comm_rank(comm, &l->rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(comm, &l->ranks);
    return code == MPI_SUCCESS ? EM_OK : emi_mpi_fail_call(err, "the communicator", code);
}

static em_status check_place(const emi_mpi_layout *l, em_error *err)
{
    if (l->ranks <= l->nodes) return EM_OK;
    return em_fail(err, EM_EINVAL, "mpi: %d ranks for %d node%s, and each needs one; try mpirun -n %d", l->ranks,
                   l->nodes, l->nodes == 1 ? "" : "s", l->nodes);
}

em_status em_mpi_nodes(MPI_Comm comm, int nodes, int *first, int *hosted, em_error *err)
{
    emi_mpi_layout l = {.nodes = nodes};
    em_status status = find_place(&l, comm, err);
    if (status == EM_OK) status = check_place(&l, err);
    if (status != EM_OK) return status;
    *first = emi_mpi_layout_first(&l, l.rank);
    *hosted = emi_mpi_layout_first(&l, l.rank + 1) - *first;
    return EM_OK;
}

/* ---- the same machine ---------------------------------------------------------------------------------------- */

/* The cores that this rank is bound to, where the launcher or the batch system did so; 0: to none in particular. */
static int bound_cores(long cores)
{
    cpu_set_t own;
    int count = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 0;
    return count < cores ? count : 0;
}

/* A rank's share of its machine's cores, if so many ranks are there. */
static int fair_share(int ranks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (bound_cores(cores)) return bound_cores(cores);
    return ranks > 0 && cores > ranks ? (int)(cores / ranks) : 1;
}

/* ---- the engine --------------------------------------------------------------------------------------------- */

/* What a rank tells the others. */
typedef struct greeting {
    uint64_t graph;
    char machine[MPI_MAX_PROCESSOR_NAME];
} greeting;

/* Where there is no memory for it, the others are told. */
static em_status make_state(emi_mpi_state **out, MPI_Comm comm, const emi_mpi_layout *l, double patience, em_error *err)
{
    emi_mpi_state *c = calloc(1, sizeof *c);
    if (!c) return em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
    c->layout = *l;
    c->own = MPI_COMM_NULL;
    em_status status = emi_channel_open(&c->channel, comm, l, patience, err);
    if (status == EM_OK) status = emi_pending_alloc(&c->pending, 2 * l->ranks, err);
    if (status == EM_OK) status = emi_mpi_make_room(&c->sums, (size_t)l->ranks * sizeof(greeting), err);
    if (status == EM_OK) {
        *out = c;
        return status;
    }
    emi_channel_fail(&c->channel, status);
    emi_mpi_engine.close(c);
    return status;
}

static em_status duplicate(emi_mpi_state *c, em_error *err)
{
    MPI_Request request;
    int code = MPI_Comm_idup(c->channel.comm, &c->own, &request);
    em_status status = emi_await_all(&c->channel, "duplicating the communicator", code, request, err);
    if (status != EM_OK) return status;
    c->channel.comm = c->pending.comm = c->own;
    (void)MPI_Comm_set_errhandler(c->own, MPI_ERRORS_RETURN);
    return EM_OK;
}

/* Has this rank the same graph as all others?  *alike becomes the number of ranks on this machine. */
static em_status compare(emi_mpi_state *c, uint64_t graph, int *alike, em_error *err)
{
    MPI_Request request;
    greeting own = {.graph = graph};
    int ranks = c->layout.ranks, length = 0;
    greeting *all = (void *)c->sums.bytes;
    (void)MPI_Get_processor_name(own.machine, &length);
    all[c->layout.rank] = own;
    int code = MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, sizeof own, MPI_BYTE, c->own, &request);
    em_status status = emi_await_all(&c->channel, "comparing graphs", code, request, err);
    if (status != EM_OK) return status;
    *alike = 0;
    for (int r = 0; r < ranks; r++) {
        if (all[r].graph != all[0].graph)
            return em_fail(err, EM_EINVAL, "mpi: the graph differs between ranks; try the same one everywhere");
        *alike += strcmp(all[r].machine, own.machine) == 0;
    }
    return EM_OK;
}

/* The nodes of the layout are given; 0: one a rank. */
static em_status open_engine(void **state, emi_mpi_layout *l, MPI_Comm comm, uint64_t graph, double patience,
                             int *alike, em_error *err)
{
    emi_mpi_state *c = NULL;
    em_status status = find_place(l, comm, err);
    if (!l->nodes) l->nodes = l->ranks;
    if (status == EM_OK) status = make_state(&c, comm, l, patience, err);
    if (status != EM_OK) return status;
    status = duplicate(c, err);
    if (status == EM_OK) status = compare(c, graph, alike, err);
    if (status == EM_OK) status = check_place(l, err);
    if (status != EM_OK) emi_mpi_engine.close(c);
    *state = c;
    return status;
}

/* ---- the mesh ----------------------------------------------------------------------------------------------- */

em_status em_mpi_mesh_open_within(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, double patience,
                                  em_error *err)
{
    emi_mpi_layout l = {.nodes = em_graph_nodes(graph)};
    void *state;
    int alike;
    *out = NULL;
    em_status status = open_engine(&state, &l, comm, em_graph_digest(graph), patience, &alike, err);
    if (status != EM_OK) return status;
    if (threads <= 0) threads = fair_share(alike);
    int first = emi_mpi_layout_first(&l, l.rank);
    return em_mesh_open_on(out, &emi_mpi_engine, state, first, emi_mpi_layout_first(&l, l.rank + 1) - first, graph,
                           threads, err);
}

em_status em_mpi_mesh_open(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, em_error *err)
{
    return em_mpi_mesh_open_within(out, comm, graph, threads, emi_mpi_patience, err);
}

em_status em_mpi_engine_open(const em_engine **engine, void **state, MPI_Comm comm, double patience, em_error *err)
{
    emi_mpi_layout l = {0};
    int alike;
    *engine = &emi_mpi_engine;
    *state = NULL;
    return open_engine(state, &l, comm, 0, patience, &alike, err);
}
