/* The processes of MPI's world, started by mpirun or srun. */
#include "engine.h"
#include "message.h"
#include "signals.h"

#include <eigenmesh/mpi.h>
#include <stdlib.h>
#include <string.h>

static int started; /* MPI */

/* Set by Open MPI's mpirun, by MPICH's, and by srun with PMI or PMIx. */
static int is_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i])) return 1;
    return 0;
}

/* Who speaks before MPI has started?  Without a sign, everyone. */
static int guess_rank(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    int rank = 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs && rank == 0; i++) {
        const char *sign = getenv(signs[i]);
        if (sign) rank = (int)strtol(sign, NULL, 10);
    }
    return rank;
}

/* Another MPI's mpirun, or an srun without PMI, starts processes that never meet: each would do all of the work and
 * write the same files.  What mpirun starts inherits Slurm's variable, so that one is asked last. */
static em_status refuse_strangers(int argc, char **argv, em_error *err)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *count = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !count; i++) count = getenv(counts[i]);
    if (!count || strcmp(count, "1") == 0) return EM_OK;
    for (int i = 1; i + 1 < argc; i++) /* or they are meant to be strangers */
        if (strcmp(argv[i], "--engine") == 0 && strcmp(argv[i + 1], "local") == 0) return EM_OK;
    return refuse(err, EM_ENET,
                  "mpi: %s processes were started and do not find each other; try the mpirun of this build's MPI, or "
                  "srun --mpi=pmix (MPICH: pmi2), or --engine local for each by itself",
                  count);
}

static em_status join(int *argc, char ***argv, double patience, int *rank, int *size, em_error *err)
{
    int provided;
    if (!is_launched()) return refuse_strangers(*argc, *argv, err);
    *rank = guess_rank();
    guard_begin(patience, "started");
    int code = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    guard_end();
    if (code != MPI_SUCCESS)
        return refuse(err, EM_ENET, "mpi: cannot be initialised; try the mpirun that belongs to this build");
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
        return refuse(err, EM_ENET, "mpi: cannot be initialised; try --engine local");
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
