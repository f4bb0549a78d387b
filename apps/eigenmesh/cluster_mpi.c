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

/* What this process was given where the first one has something else, if anything. */
static em_status compare_arguments(int argc, char **argv, const char *theirs, const char *end, em_error *err)
{
    for (int i = 1; i < argc || theirs < end; i++) {
        const char *own = i < argc ? argv[i] : "nothing", *other = theirs < end ? theirs : "nothing";
        if (i >= argc || theirs >= end || strcmp(own, other) != 0)
            return refuse(err, EM_EINVAL, "%s: '%s' here, '%s' on rank 0; try the same arguments everywhere",
                          i > 1 && i <= argc && argv[i - 1][0] == '-' ? argv[i - 1] : "arguments", own, other);
        theirs += strlen(theirs) + 1;
    }
    return EM_OK;
}

static size_t length_of(int argc, char **argv)
{
    size_t length = 0;
    for (int i = 1; i < argc; i++) length += strlen(argv[i]) + 1;
    return length;
}

/* Processes that were told different things would wait for each other in different places. */
static em_status check_same_arguments(int argc, char **argv, em_error *err)
{
    int length = (int)length_of(argc, argv); /* the system has a limit far below INT_MAX */
    (void)MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    char *text = calloc((size_t)length + 1, 1), *at = text;
    em_status status = cluster_agree(text ? EM_OK : refuse_memory(err, "arguments"), err);
    if (status == EM_OK && text) {
        for (int i = 1; rank == 0 && i < argc; i++, at += strlen(at) + 1) memcpy(at, argv[i], strlen(argv[i]));
        (void)MPI_Bcast(text, length, MPI_CHAR, 0, MPI_COMM_WORLD);
        status = cluster_agree(compare_arguments(argc, argv, text, text + length, err), err);
    }
    free(text);
    return status;
}

/* Another MPI's mpirun, or an srun without PMI, starts processes that never meet: each would do all of the work and
 * write the same files.  What mpirun starts inherits Slurm's variable, so that one is asked last. */
static em_status refuse_strangers(int argc, char **argv, em_error *err)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *started = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !started; i++) started = getenv(counts[i]);
    if (!started || strcmp(started, "1") == 0) return EM_OK;
    for (int i = 1; i + 1 < argc; i++) /* or they are meant to be strangers */
        if (strcmp(argv[i], "--engine") == 0 && strcmp(argv[i + 1], "local") == 0) return EM_OK;
    return refuse(err, EM_ENET,
                  "mpi: %s processes were started and do not find each other; try the mpirun of this build's MPI, or "
                  "srun --mpi=pmix (MPICH: pmi2), or --engine local for each by itself",
                  started);
}

em_status cluster_join(int *argc, char ***argv, em_error *err)
{
    int provided;
    if (!is_launched()) return refuse_strangers(*argc, *argv, err);
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return refuse(err, EM_ENET, "mpi: cannot be initialised; try the mpirun that belongs to this build");
    joined = 1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size > 1 ? check_same_arguments(*argc, *argv, err) : refuse_strangers(*argc, *argv, err);
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

/* The first that failed is believed, unless one heard over the engine where it happened; what all fail at alike happened
 * nowhere in particular. */
em_status cluster_agree(em_status status, em_error *err)
{
    if (size == 1) return status;
    int failed = status != EM_OK, heard = failed && strncmp(err->msg, "rank ", 5) == 0;
    int own[] = {heard ? rank : size, failed ? rank : size, failed}, least[3];
    (void)MPI_Allreduce(own, least, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    int speaker = least[0] < size ? least[0] : least[1], all_failed = least[2];
    if (speaker == size) return EM_OK;
    em_error told = {.code = status, .node = -1};
    if (heard || all_failed)
        told = *err;
    else if (failed)
        (void)snprintf(told.msg, sizeof told.msg, "rank %d: %.480s", rank, err->msg);
    (void)MPI_Bcast(&told, sizeof told, MPI_BYTE, speaker, MPI_COMM_WORLD);
    *err = told;
    return told.code;
}

size_t cluster_first(size_t own)
{
    unsigned long long number = own;
    if (size > 1) (void)MPI_Bcast(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    return (size_t)number;
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
