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

/* ---- the same machine ---------------------------------------------------------------------------------------- */

static uint64_t digest_machine(void)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    (void)MPI_Get_processor_name(name, &length);
    return digest(14695981039346656037u, name, (size_t)length);
}

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

typedef struct word {
    uint64_t graph, machine, failed;
} word;

/* Where patience ends, MPI keeps this: it may still write to it. */
typedef struct opening {
    emi_layout layout;
    emi_channel channel; /* on the caller's communicator, then on the mesh's own */
    MPI_Comm own;
    word *words; /* [ranks] */
    void *state; /* of the engine */
} opening;

static void opening_free(opening *o)
{
    if (!o || o->channel.failed) return;
    emi_channel_close(&o->channel);
    free(o->words);
    free(o);
}

static em_status opening_new(opening **out, MPI_Comm comm, const emi_layout *l, double patience, em_error *err)
{
    opening *o = calloc(1, sizeof *o);
    word *words = calloc((size_t)l->ranks, sizeof *words);
    em_status status = o && words ? emi_channel_open(&o->channel, comm, patience, err)
                                  : emi_mpi_fail(err, EM_ENOMEM, "mpi: out of memory; try fewer ranks");
    if (status != EM_OK) {
        free(o);
        free(words);
        return status;
    }
    o->layout = *l;
    o->words = words;
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
static em_status compare(opening *o, const em_graph *graph, em_status status, em_error *err)
{
    enum { NUMBERS = sizeof(word) / sizeof(uint64_t) };
    const word *w = o->words;
    MPI_Request request;
    em_error lost = {0};
    o->words[o->layout.rank] = (word){digest_graph(graph), digest_machine(), status != EM_OK};
    int code = MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, o->words, NUMBERS, MPI_UINT64_T, o->own, &request);
    lost.code = code == MPI_SUCCESS ? emi_await_all(&o->channel, request, &lost)
                                    : emi_mpi_fail_call(&lost, "comparing graphs", code);
    if (status != EM_OK) return status;
    if (lost.code != EM_OK && err) *err = lost;
    if (lost.code != EM_OK) return lost.code;
    for (int r = 0; r < o->layout.ranks; r++)
        if (w[r].failed) return emi_mpi_fail(err, EM_ENOMEM, "mpi: rank %d is out of memory; try fewer ranks", r);
    for (int r = 0; r < o->layout.ranks; r++)
        if (w[r].graph != w[0].graph)
            return emi_mpi_fail(err, EM_EINVAL, "mpi: the graph differs between ranks; try the same one everywhere");
    return EM_OK;
}

static int ranks_on_machine(const opening *o)
{
    int count = 0;
    for (int r = 0; r < o->layout.ranks; r++) count += o->words[r].machine == o->words[o->layout.rank].machine;
    return count;
}

/* ---- the mesh ----------------------------------------------------------------------------------------------- */

static void give_back(opening *o)
{
    if (o->channel.failed) return; /* MPI is not done with the communicator */
    if (o->state)
        emi_mpi_engine.close(o->state);
    else
        (void)MPI_Comm_free(&o->own);
}

em_status em_mpi_mesh_open_within(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, double patience,
                                  em_error *err)
{
    emi_layout l;
    opening *o = NULL;
    *out = NULL;
    em_status status = find_place(&l, comm, em_graph_nodes(graph), err);
    if (status == EM_OK) status = opening_new(&o, comm, &l, patience, err);
    if (status == EM_OK) status = duplicate(o, err);
    if (status != EM_OK) {
        opening_free(o);
        return status;
    }
    status = compare(o, graph, emi_mpi_engine_new(&o->state, o->own, &l, patience, err), err);
    if (status == EM_OK) status = check_place(&l, err);
    void *state = o->state;
    if (threads <= 0) threads = fair_share(ranks_on_machine(o));
    if (status != EM_OK) give_back(o);
    opening_free(o);
    if (status != EM_OK) return status;
    int first = emi_layout_first(&l, l.rank);
    return em_mesh_open_on(out, &emi_mpi_engine, state, first, emi_layout_first(&l, l.rank + 1) - first, graph, threads,
                           err);
}

em_status em_mpi_mesh_open(em_mesh **out, MPI_Comm comm, const em_graph *graph, int threads, em_error *err)
{
    return em_mpi_mesh_open_within(out, comm, graph, threads, emi_mpi_patience, err);
}
