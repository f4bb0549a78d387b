/* The processes of MPI's world, started by mpirun or srun. */
#include "cluster.h"
#include "engine.h"
#include "message.h"

#include <eigenmesh/mpi.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int started;    /* MPI */
static char line[256]; /* what the alarm says */

static void on_alarm(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
    _exit(1); /* the launcher ends the others */
}

/* Starting MPI and ending it cannot be told how long to wait: from now on, until guard_end, this process ends itself after so
 * many seconds, since not all others have "started". */
static void guard_begin(double seconds, const char *done)
{
    static const double longest = 1e9;        /* an alarm cannot wait for ever */
    unsigned turn = cluster_speaks() ? 0 : 2; /* one voice is enough, unless it is the first process that hangs */
    struct sigaction action = {.sa_handler = on_alarm};
    if (seconds > longest) return;
    (void)snprintf(
        line, sizeof line,
        "eigenmesh: mpi: not all processes have %s within %g s, and the others wait; try to see what holds one "
        "up (a stopped process, a file system), or a longer --patience\n",
        done, seconds);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm((unsigned)ceil(seconds) + turn);
}

static void guard_end(void)
{
    (void)alarm(0);
}

/* The first of these variables that is set: by Open MPI's mpirun, by MPICH's, or by srun with PMI or PMIx. */
static const char *variable(const char *const *names)
{
    const char *value = NULL;
    for (; *names && !value; names++) value = getenv(*names);
    return value;
}

static em_status join(int *argc, char ***argv, double patience, processes *out, em_error *err)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMIX_RANK", NULL};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
    int provided;
    if (!variable(signs)) return EM_OK;
    if (variable(ranks)) out->rank = (int)strtol(variable(ranks), NULL, 10); /* who speaks before MPI has started */
    guard_begin(patience, "started");
    int code = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    guard_end();
    if (code != MPI_SUCCESS)
        return emi_fail(err, EM_ENET, "mpi: cannot be initialised; try the mpirun that belongs to this build");
    started = 1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    if (out->size == 1) return EM_OK;
    return em_mpi_engine_open(&out->mover, &out->state, MPI_COMM_WORLD, patience, err);
}

/* Asked for by name alone, without mpirun: a world of one. */
static em_status nodes_here(int nodes, int *first, int *hosted, em_error *err)
{
    int provided;
    if (!started && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return emi_fail(err, EM_ENET, "mpi: cannot be initialised; try --engine local");
    started = 1;
    return em_mpi_nodes(MPI_COMM_WORLD, nodes, first, hosted, err);
}

static em_status open_mesh(em_mesh **out, const em_graph *graph, int threads, double patience, em_error *err)
{
    return em_mpi_mesh_open_within(out, MPI_COMM_WORLD, graph, threads, patience, err);
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

const engine engine_mpi = {
    .name = "mpi", .join = join, .nodes = nodes_here, .open = open_mesh, .part = part, .abort = end_all};
