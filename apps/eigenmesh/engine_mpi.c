/* The processes of MPI's world, started by mpirun or srun. */
#include "engine.h"
#include "message.h"
#include "signals.h"

#include <eigenmesh/mpi.h>
#include <stdlib.h>
#include <string.h>

static int started; /* MPI */

/* The first of these variables that is set: by Open MPI's mpirun, by MPICH's, or by srun with PMI or PMIx. */
static const char *variable(const char *const *names)
{
    const char *value = NULL;
    for (; *names && !value; names++) value = getenv(*names);
    return value;
}

/* Another MPI's mpirun, or an srun without PMI, starts processes that never meet: each would do all of the work and
 * write the same files.  What mpirun starts inherits Slurm's variable, so that one is asked last. */
static em_status refuse_strangers(int argc, char **argv, em_error *err)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL};
    const char *count = variable(counts);
    if (!count || strcmp(count, "1") == 0) return EM_OK;
    for (int i = 1; i + 1 < argc; i++) /* or they are meant to be strangers */
        if (strcmp(argv[i], "--engine") == 0 && strcmp(argv[i + 1], "local") == 0) return EM_OK;
    return emi_fail(err, EM_ENET,
                    "mpi: %s processes were started and do not find each other; try the mpirun of this build's MPI, or "
                    "srun --mpi=pmix (MPICH: pmi2), or --engine local for each by itself",
                    count);
}

static em_status join(int *argc, char ***argv, double patience, int *rank, int *size, em_error *err)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMIX_RANK", NULL};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
    int provided;
    if (!variable(signs)) return refuse_strangers(*argc, *argv, err);
    if (variable(ranks)) *rank = (int)strtol(variable(ranks), NULL, 10); /* who speaks before MPI has started */
    guard_begin(patience, "started");
    int code = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    guard_end();
    if (code != MPI_SUCCESS)
        return emi_fail(err, EM_ENET, "mpi: cannot be initialised; try the mpirun that belongs to this build");
    started = 1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, size);
    return *size > 1 ? EM_OK : refuse_strangers(*argc, *argv, err);
}

static em_status connect(const em_engine **mover, void **state, double patience, em_error *err)
{
    return em_mpi_engine_open(mover, state, MPI_COMM_WORLD, patience, err);
}

/* Asked for by name alone, without mpirun: a world of one. */
static em_status start_alone(em_error *err)
{
    int provided;
    if (started) return EM_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return emi_fail(err, EM_ENET, "mpi: cannot be initialised; try --engine local");
    started = 1;
    return EM_OK;
}

static em_status nodes_here(int nodes, int *first, int *hosted, em_error *err)
{
    em_status status = start_alone(err);
    return status == EM_OK ? em_mpi_nodes(MPI_COMM_WORLD, nodes, first, hosted, err) : status;
}

static em_status open_mesh(em_mesh **out, const em_graph *graph, int threads, double patience, em_error *err)
{
    em_status status = start_alone(err);
    return status == EM_OK ? em_mpi_mesh_open_within(out, MPI_COMM_WORLD, graph, threads, patience, err) : status;
}

static void part(double patience)
{
    if (!started) return;
    guard_begin(patience, "come to their end");
    (void)MPI_Finalize();
    guard_end();
}

/* MPI_Finalize would wait for a process that is lost; this makes the launcher end all of them. */
static void end_all(void)
{
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

const engine engine_mpi = {.name = "mpi",
                           .join = join,
                           .connect = connect,
                           .nodes = nodes_here,
                           .open = open_mesh,
                           .part = part,
                           .abort = end_all};
