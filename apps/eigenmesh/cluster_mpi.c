/* The processes of MPI's world. */
#include "cluster.h"
#include "command.h"
#include "message.h"
#include "signals.h"

#include <eigenmesh/mpi.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int joined, rank, size = 1;
static double patience = 3600; /* seconds */

/* Some process is lost: those left end, and have no more to do with MPI.  The one that noticed says so; it told the
 * others. */
static int lost, noticed;

/* ---- waiting --------------------------------------------------------------------------------------------------- */

/* What one rank heard from another begins with its name. */
static int is_heard(const em_error *err)
{
    return strncmp(err->msg, "rank ", 5) == 0;
}

static em_status lose(em_error *err)
{
    em_error own = *err;
    if (lost) return err->code;
    lost = 1;
    noticed = !is_heard(err);
    if (noticed) (void)snprintf(err->msg, sizeof err->msg, "rank %d: %.480s", rank, own.msg);
    return err->code;
}

static em_status await(MPI_Request request, em_error *err)
{
    em_status status = em_mpi_wait(MPI_COMM_WORLD, &request, patience, err);
    return status == EM_OK ? status : lose(err);
}

/* What the root has, for everyone. */
static em_status share(void *bytes, int count, int root, em_error *err)
{
    MPI_Request request;
    (void)MPI_Ibcast(bytes, count, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    return await(request, err);
}

void cluster_set_patience(double seconds)
{
    patience = seconds;
}

/* ---- joining ---------------------------------------------------------------------------------------------------- */

/* Set by Open MPI's mpirun, by MPICH's, and by srun with PMI or PMIx. */
static int is_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i])) return 1;
    return 0;
}

/* Who speaks before MPI has started?  Without a sign, everyone. */
static void guess_rank(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs && rank == 0; i++) {
        const char *sign = getenv(signs[i]);
        if (sign) rank = (int)strtol(sign, NULL, 10);
    }
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
    em_status status = EM_OK;
    char *text = NULL, *at;
    int length = (int)length_of(argc, argv); /* the system has a limit far below INT_MAX */
    TRY(share(&length, sizeof length, 0, err));
    at = text = calloc((size_t)length + 1, 1);
    TRY(cluster_agree(text ? EM_OK : refuse_memory(err, "arguments"), err));
    for (int i = 1; rank == 0 && i < argc; i++, at += strlen(at) + 1) memcpy(at, argv[i], strlen(argv[i]));
    TRY(share(text, length, 0, err));
    TRY(cluster_agree(compare_arguments(argc, argv, text, text + length, err), err));
done:
    free(text);
    return status;
}

/* --patience holds from the beginning, before the arguments are read, and checked. */
static void look_for_patience(int argc, char **argv)
{
    static const char option[] = "--patience";
    size_t length = strlen(option);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], option, length) != 0) continue;
        if (argv[i][length] == '=') (void)duration_read(argv[i] + length + 1, &patience);
        if (!argv[i][length] && i + 1 < argc) (void)duration_read(argv[i + 1], &patience);
    }
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
    guess_rank();
    look_for_patience(*argc, *argv);
    guard_begin(patience, "started");
    int code = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    guard_end();
    if (code != MPI_SUCCESS)
        return refuse(err, EM_ENET, "mpi: cannot be initialised; try the mpirun that belongs to this build");
    joined = 1;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size > 1 ? check_same_arguments(*argc, *argv, err) : refuse_strangers(*argc, *argv, err);
}

/* ---- parting ---------------------------------------------------------------------------------------------------- */

em_status cluster_meet(em_error *err)
{
    MPI_Request request;
    if (size == 1 || lost) return EM_OK;
    (void)MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return await(request, err);
}

/* MPI_Finalize would wait for a process that is lost.  MPI_Abort makes the launcher end all of them, so it comes when the
 * words have left, and those who only heard of it leave it to the one that found out; a signal means that it is done. */
static void leave(void)
{
    enum { PRINTED = 1, TAKE_OVER = 5 }; /* seconds */
    (void)fflush(NULL);
    if (sleep(noticed ? PRINTED : TAKE_OVER) == 0) (void)MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

void cluster_part(void)
{
    if (lost) leave();
    if (!joined) return;
    guard_begin(patience, "come to their end");
    (void)MPI_Finalize();
    guard_end();
    joined = 0;
}

/* ---- together --------------------------------------------------------------------------------------------------- */

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
    return lost ? noticed : rank == 0;
}

const char *cluster_engine(void)
{
    return "mpi";
}

/* The first that failed is believed, unless one heard over the engine where it happened; what all fail at alike happened
 * nowhere in particular. */
static em_status agree(em_status status, em_error *err)
{
    MPI_Request request;
    int failed = status != EM_OK, heard = failed && is_heard(err);
    int least[] = {heard ? rank : size, failed ? rank : size, failed};
    em_error told = {.code = status, .node = -1}, lost_one;
    (void)MPI_Iallreduce(MPI_IN_PLACE, least, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    if (await(request, &lost_one) != EM_OK) {
        *err = lost_one;
        return err->code;
    }
    int speaker = least[0] < size ? least[0] : least[1], all_failed = least[2];
    if (speaker == size) return EM_OK;
    if (heard || all_failed)
        told = *err;
    else if (failed)
        (void)snprintf(told.msg, sizeof told.msg, "rank %d: %.480s", rank, err->msg);
    *err = share(&told, sizeof told, speaker, &lost_one) == EM_OK ? told : lost_one;
    return err->code;
}

em_status cluster_agree(em_status status, em_error *err)
{
    if (size == 1 || lost) return status;
    if (status != EM_ENET) return agree(status, err);
    if (!is_heard(err))
        em_mpi_tell_failure(MPI_COMM_WORLD, err); /* those that are not in the mesh, where it was found */
    return lose(err);
}

em_status cluster_first(size_t *number, em_error *err)
{
    return size > 1 ? share(number, sizeof *number, 0, err) : EM_OK;
}

/* MPI counts bytes in an int. */
static em_status check_count(size_t count, em_error *err)
{
    if (count <= INT_MAX) return EM_OK;
    return refuse(err, EM_EINVAL, "mpi: %zu bytes of text are too many; try fewer columns", count);
}

em_status cluster_share(void *bytes, size_t count, em_error *err)
{
    em_status status = check_count(count, err); /* the same everywhere */
    return size > 1 && status == EM_OK ? share(bytes, (int)count, 0, err) : status;
}

em_status cluster_sum(size_t *number, em_error *err)
{
    MPI_Request request;
    uint64_t sum = *number;
    if (size == 1) return EM_OK;
    (void)MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    em_status status = await(request, err);
    if (status == EM_OK) *number = sum;
    return status;
}

em_status cluster_gather_text(const char *text, size_t own, char **all, size_t *all_size, em_error *err)
{
    em_status status = EM_OK;
    MPI_Request request;
    double length = (double)own, *lengths = calloc((size_t)size, sizeof *lengths);
    int *counts = calloc((size_t)size, sizeof *counts), *begins = calloc((size_t)size, sizeof *begins);
    *all_size = own;
    TRY(cluster_agree(lengths && counts && begins ? EM_OK : refuse_memory(err, "texts"), err));
    TRY(cluster_sum(all_size, err));
    TRY(check_count(*all_size, err));
    TRY(cluster_gather(&length, 1, lengths, err));
    for (int r = 0, at = 0; rank == 0 && r < size; at += counts[r++]) counts[r] = (int)lengths[r], begins[r] = at;
    *all = rank == 0 ? calloc(*all_size + 1, 1) : NULL;
    TRY(cluster_agree(rank != 0 || *all ? EM_OK : refuse_memory(err, "texts"), err));
    (void)MPI_Igatherv(text, (int)own, MPI_BYTE, *all, counts, begins, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    TRY(await(request, err));
done:
    free(begins);
    free(counts);
    free(lengths);
    return status;
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
    return status == EM_OK ? em_mpi_mesh_open_within(out, MPI_COMM_WORLD, graph, threads, patience, err) : status;
}

void cluster_close(em_mesh **mesh)
{
    if (!lost) em_mesh_close(mesh);
}

em_status cluster_gather(const double *values, int count, double *all, em_error *err)
{
    MPI_Request request;
    if (!joined) {
        memcpy(all, values, sizeof *all * (size_t)count);
        return EM_OK;
    }
    (void)MPI_Igather(values, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    return await(request, err);
}
