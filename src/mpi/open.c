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

/* ---- what the ranks tell each other ------------------------------------------------------------------------- */

typedef struct greeting {
    uint64_t graph, failed;
    char machine[MPI_MAX_PROCESSOR_NAME];
} greeting;

/* Where patience ends, MPI keeps this: it may still write to it. */
typedef struct opening {
    emi_mpi_layout layout;
    emi_channel channel; /* on the caller's communicator, then on the engine's own */
    MPI_Comm own;
    greeting *said; /* [ranks] */
    void *state;    /* of the engine */
} opening;

static void opening_free(opening *o)
{
    if (!o || o->channel.failed) return;
    emi_channel_close(&o->channel);
    free(o->said);
    free(o);
}

static em_status opening_new(opening **out, MPI_Comm comm, const emi_mpi_layout *l, double patience, em_error *err)
{
    opening *o = calloc(1, sizeof *o);
    greeting *said = calloc((size_t)l->ranks, sizeof *said);
    em_status status = o && said ? emi_channel_open(&o->channel, comm, patience, err)
                                 : em_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
    if (status != EM_OK) {
        free(o);
        free(said);
        return status;
    }
    o->layout = *l;
    o->said = said;
    *out = o;
    return EM_OK;
}

static em_status duplicate(opening *o, em_error *err)
{
    MPI_Request request;
    int code = MPI_Comm_idup(o->channel.comm, &o->own, &request);
    if (code != MPI_SUCCESS) return emi_mpi_fail_call(err, "duplicating the communicator", code);
    em_status status = emi_await_all(&o->channel, request, err);
    if (status != EM_OK) return status;
    o->channel.comm = o->own;
    (void)MPI_Comm_set_errhandler(o->own, MPI_ERRORS_RETURN);
    return EM_OK;
}

/* Did this rank get as far as all others, and with the same graph? */
static em_status compare(opening *o, uint64_t graph, em_status status, em_error *err)
{
    const greeting *said = o->said;
    greeting *own = &o->said[o->layout.rank];
    int length = 0;
    MPI_Request request;
    em_error lost = {0};
    *own = (greeting){.graph = graph, .failed = status != EM_OK};
    (void)MPI_Get_processor_name(own->machine, &length);
    int code = MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, o->said, sizeof *own, MPI_BYTE, o->own, &request);
    lost.code = code == MPI_SUCCESS ? emi_await_all(&o->channel, request, &lost)
                                    : emi_mpi_fail_call(&lost, "comparing graphs", code);
    if (status != EM_OK) return status;
    if (lost.code != EM_OK && err) *err = lost;
    if (lost.code != EM_OK) return lost.code;
    for (int r = 0; r < o->layout.ranks; r++)
        if (said[r].failed) return em_fail(err, EM_ENOMEM, "mpi: rank %d is out of memory; try fewer ranks", r);
    for (int r = 0; r < o->layout.ranks; r++)
        if (said[r].graph != said[0].graph)
            return em_fail(err, EM_EINVAL, "mpi: the graph differs between ranks; try the same one everywhere");
    return EM_OK;
}

static int ranks_on_machine(const opening *o)
{
    int count = 0;
    for (int r = 0; r < o->layout.ranks; r++) count += strcmp(o->said[r].machine, o->said[o->layout.rank].machine) == 0;
    return count;
}

static void give_back(opening *o)
{
    if (o->channel.failed) return; /* MPI is not done with the communicator */
    if (o->state)
        emi_mpi_engine.close(o->state);
    else
        (void)MPI_Comm_free(&o->own);
}

/* ---- the engine and the mesh --------------------------------------------------------------------------------- */

/* `nodes` of the layout is given, 0 for one a rank; `alike` becomes the number of ranks on this machine. */
static em_status open_engine(void **state, emi_mpi_layout *l, MPI_Comm comm, uint64_t graph, double patience,
                             int *alike, em_error *err)
{
    opening *o = NULL;
    em_status status = find_place(l, comm, err);
    if (!l->nodes) l->nodes = l->ranks;
    if (status == EM_OK) status = opening_new(&o, comm, l, patience, err);
    if (status == EM_OK) status = duplicate(o, err);
    if (status == EM_OK) {
        status = compare(o, graph, emi_mpi_engine_new(&o->state, o->own, l, patience, err), err);
        if (status == EM_OK) status = check_place(l, err);
        if (status != EM_OK) give_back(o);
        *state = o->state;
        *alike = ranks_on_machine(o);
    }
    opening_free(o);
    return status;
}

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
