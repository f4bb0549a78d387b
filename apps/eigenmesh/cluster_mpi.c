/* The processes of MPI's world. */
#include "cluster.h"
#include "message.h"

#include <eigenmesh/mpi.h>
#include <stdlib.h>
#include <string.h>

static int joined, rank, size = 1;

/* Set by Open MPI's mpirun, by MPICH's, and by srun with PMI or PMIx. */
static int is_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i])) return 1;
    return 0;
}

em_status cluster_join(int *argc, char ***argv, em_error *err)
{
    int provided;
    if (!is_launched()) return EM_OK;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return refuse(err, EM_ENET, "mpi: cannot be initialised; try the mpirun that belongs to this build");
    joined = 1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    return EM_OK;
}

void cluster_part(void)
{
    if (joined) (void)MPI_Finalize();
    joined = 0;
}

int cluster_size(void)
{
    return size;
}

int cluster_rank(void)
{
    return rank;
}

int cluster_speaks(void)
{
    return rank == 0;
}

const char *cluster_engine(void)
{
    return "mpi";
}

em_status cluster_agree(em_status status, em_error *err)
{
    if (size == 1) return status;
    int own = status == EM_OK ? size : rank, first = size;
    (void)MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == size) return EM_OK;
    em_error told = *err;
    if (status == EM_OK) told = (em_error){0};
    /* A failure that came over the engine says already where it happened. */
    if (first == rank && strncmp(err->msg, "rank ", 5) != 0)
        (void)snprintf(told.msg, sizeof told.msg, "rank %d: %.480s", rank, err->msg);
    told.code = status;
    (void)MPI_Bcast(&told, sizeof told, MPI_BYTE, first, MPI_COMM_WORLD);
    *err = told;
    return told.code;
}

/* Asked for by name alone, without mpirun: a world of one. */
static em_status join_alone(em_error *err)
{
    int provided;
    if (joined) return EM_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return refuse(err, EM_ENET, "mpi: cannot be initialised; try --engine local");
    joined = 1;
    return EM_OK;
}

em_status cluster_nodes(int nodes, int *first, int *hosted, em_error *err)
{
    em_status status = join_alone(err);
    return status == EM_OK ? em_mpi_nodes(MPI_COMM_WORLD, nodes, first, hosted, err) : status;
}

em_status cluster_mesh(em_mesh **out, const em_graph *graph, int threads, em_error *err)
{
    em_status status = join_alone(err);
    return status == EM_OK ? em_mpi_mesh_open(out, MPI_COMM_WORLD, graph, threads, err) : status;
}

void cluster_gather(const double *values, int count, double *all)
{
    if (!joined)
        memcpy(all, values, sizeof *all * (size_t)count);
    else
        (void)MPI_Gather(values, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
