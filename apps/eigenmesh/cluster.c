#include "cluster.h"
#include "command.h"
#include "engine.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const engine *joined = &engine_local, *chosen = &engine_local; /* by the processes; for the mesh */
static processes all = {.size = 1};
static double patience = 3600; /* seconds */

/* Some process is lost: those left end, and have no more to do with each other.  The one that noticed says so; it told the
 * others. */
static int lost, noticed;

static int failed_here; /* what all end by, in words that no other process knows */

/* Where there are several: the first one hears all others, and tells all others. */
static em_link *up, *down; /* [size - 1] */
static const void **inbox; /* [size] */

/* ---- engines -------------------------------------------------------------------------------------------------------- */

const engine *engine_at(int index)
{
#define X(name) &engine_##name,
    static const engine *const engines[] = {EIGENMESH_ENGINES};
#undef X
    return index < (int)(sizeof engines / sizeof *engines) ? engines[index] : NULL;
}

static const engine *engine_named(const char *name)
{
    for (int i = 0; engine_at(i); i++)
        if (strcmp(engine_at(i)->name, name) == 0) return engine_at(i);
    return NULL;
}

const engine engine_local = {.name = "local"};

/* ---- a star --------------------------------------------------------------------------------------------------------- */

static em_status fail_at_rank(em_error *err, em_status code, int rank)
{
    char name[32];
    (void)snprintf(name, sizeof name, "rank %d", rank);
    return em_fail_elsewhere(err, code, name);
}

/* Did it happen in another process, which told the code?  Its own words stay there. */
static int is_heard(const em_error *err)
{
    em_error heard;
    if (strncmp(err->msg, "rank ", 5) != 0) return 0;
    (void)fail_at_rank(&heard, err->code, (int)strtol(err->msg + 5, NULL, 10));
    return strcmp(err->msg, heard.msg) == 0;
}

static void say_where(em_error *err)
{
    em_error own = *err;
    (void)snprintf(err->msg, sizeof err->msg, "rank %d: %.480s", all.rank, own.msg);
}

static em_status lose(em_error *err)
{
    if (lost) return err->code;
    lost = 1;
    noticed = !is_heard(err);
    if (noticed) say_where(err);
    return err->code;
}

/* inbox[r] is then what this process heard from r. */
static em_status move(const em_link *links, const void *block, size_t bytes, em_error *err)
{
    em_status status = all.mover->begin(all.state, links, (size_t)all.size - 1, &block, bytes, err);
    if (status == EM_OK) status = all.mover->end(all.state, inbox, err);
    return status == EM_OK ? status : lose(err);
}

em_status cluster_share(void *bytes, size_t count, em_error *err)
{
    if (!all.mover || count == 0) return EM_OK;
    em_status status = move(down, bytes, count, err);
    if (status == EM_OK && all.rank != 0) memcpy(bytes, inbox[0], count);
    return status;
}

/* The sum, or the largest, of all processes' numbers. */
static em_status combine(size_t *number, int largest, em_error *err)
{
    if (!all.mover) return EM_OK;
    em_status status = move(up, number, sizeof *number, err);
    if (status != EM_OK) return status;
    size_t total = *number;
    for (int r = 1; all.rank == 0 && r < all.size; r++) {
        size_t theirs = *(const size_t *)inbox[r];
        if (!largest) total += theirs;
        if (largest && theirs > total) total = theirs;
    }
    *number = total;
    return cluster_share(number, sizeof *number, err);
}

em_status cluster_sum(size_t *number, em_error *err)
{
    return combine(number, 0, err);
}

em_status cluster_gather(const void *own, size_t bytes, char **out, size_t *size, em_error *err)
{
    em_status status = EM_OK;
    size_t longest = bytes;
    char *padded = NULL;
    *out = NULL;
    *size = 0;
    TRY(combine(&longest, 1, err));
    if (longest == 0) goto done;
    padded = calloc(longest, 1);
    if (all.rank == 0) *out = calloc((size_t)all.size, longest);
    TRY(cluster_agree(padded && (*out || all.rank != 0) ? EM_OK : emi_fail_memory(err, "processes"), err));
    if (padded && bytes) memcpy(padded, own, bytes);
    if (all.mover) TRY(move(up, padded, longest, err));
    if (*out && bytes) memcpy(*out, own, bytes);
    for (int r = 1; *out && r < all.size; r++) memcpy(*out + (size_t)r * longest, inbox[r], longest);
    *size = (size_t)all.size * longest;
done:
    if (status != EM_OK) {
        free(*out);
        *out = NULL;
    }
    free(padded);
    return status;
}

/* ---- agreement ------------------------------------------------------------------------------------------------------ */

/* What processes tell of a failure: no words, as these may hold a cell of the data. */
typedef struct outcome {
    int code;
    int heard; /* it happened elsewhere                  */
    int rank;  /* of all: where                          */
    int alike; /* all fail at it: nowhere in particular  */
} outcome;

/* The first that failed by itself is believed. */
static outcome first_failure(const outcome *own)
{
    outcome first = {EM_OK, 0, 0, 0};
    int by_themselves = 0;
    for (int r = all.size - 1; r >= 0; r--) {
        const outcome *one = r ? inbox[r] : own;
        if (one->code == EM_OK || (one->heard && by_themselves)) continue;
        by_themselves += !one->heard;
        first = *one;
        first.rank = r;
    }
    first.alike = by_themselves == all.size;
    return first;
}

/* In its own words where it happened, which are said there; elsewhere in the code's. */
static em_status take_failure(const outcome *told, em_status own, em_error *err)
{
    failed_here = told->rank == all.rank && own != EM_OK && !is_heard(err);
    if (failed_here && !told->alike) say_where(err);
    if (failed_here || (told->heard && own != EM_OK)) return own;
    return fail_at_rank(err, (em_status)told->code, told->rank);
}

em_status cluster_agree(em_status status, em_error *err)
{
    if (!all.mover || lost) return status;
    if (status == EM_ENET) {
        if (!is_heard(err)) all.mover->fail(all.state, err); /* to those that are not in the mesh, where it was found */
        return lose(err);
    }
    em_error lost_one = {0};
    outcome told = {.code = status, .heard = status != EM_OK && is_heard(err)};
    em_status moved = move(up, &told, sizeof told, &lost_one);
    if (moved == EM_OK && all.rank == 0) told = first_failure(&told);
    if (moved == EM_OK) moved = cluster_share(&told, sizeof told, &lost_one);
    if (moved != EM_OK) *err = lost_one;
    if (moved != EM_OK || told.code == EM_OK) return moved;
    return take_failure(&told, status, err);
}

/* ---- joining and parting -------------------------------------------------------------------------------------------- */

/* What this process was given where the first one has something else, if anything. */
static em_status compare_arguments(int argc, char **argv, const char *theirs, const char *end, em_error *err)
{
    for (int i = 1; i < argc || theirs < end; i++) {
        const char *own = i < argc ? argv[i] : "nothing", *other = theirs < end ? theirs : "nothing";
        if (i >= argc || theirs >= end || strcmp(own, other) != 0)
            return emi_fail(err, EM_EINVAL, "%s: '%s' here, '%s' on rank 0; try the same arguments everywhere",
                            i > 1 && i <= argc && argv[i - 1][0] == '-' ? argv[i - 1] : "arguments", own, other);
        theirs += strlen(theirs) + 1;
    }
    return EM_OK;
}

/* Processes that were told different things would wait for each other in different places. */
static em_status check_same_arguments(int argc, char **argv, em_error *err)
{
    em_status status = EM_OK;
    char *text = NULL, *at;
    size_t length = 0;
    for (int i = 1; i < argc; i++) length += strlen(argv[i]) + 1;
    TRY(cluster_share(&length, sizeof length, err));
    at = text = calloc(length + 1, 1);
    TRY(cluster_agree(text ? EM_OK : emi_fail_memory(err, "arguments"), err));
    for (int i = 1; all.rank == 0 && i < argc; i++, at += strlen(at) + 1) memcpy(at, argv[i], strlen(argv[i]));
    TRY(cluster_share(text, length, err));
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

/* The links of the star, and room for what comes along them. */
static em_status make_star(em_error *err)
{
    size_t count = (size_t)all.size;
    up = calloc(count, sizeof *up);
    down = calloc(count, sizeof *down);
    inbox = calloc(count, sizeof *inbox);
    if (!up || !down || !inbox) {
        (void)emi_fail_memory(err, "processes");
        all.mover->fail(all.state, err);
        return lose(err);
    }
    for (int r = 1; r < all.size; r++) {
        up[r - 1] = (em_link){r, 0};
        down[r - 1] = (em_link){0, r};
    }
    return EM_OK;
}

/* Another MPI's mpirun, an srun without PMI, or a build without MPI: processes that never meet, each of which would do all of
 * the work and write the same files.  What mpirun starts inherits Slurm's variable, so that one is asked last. */
static em_status refuse_strangers(int argc, char **argv, em_error *err)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *count = NULL;
    for (int i = 0; i < 3 && !count; i++) count = getenv(counts[i]);
    if (!count || strcmp(count, "1") == 0) return EM_OK;
    for (int i = 1; i + 1 < argc; i++) /* or they are meant to be strangers */
        if (strcmp(argv[i], "--engine") == 0 && strcmp(argv[i + 1], "local") == 0) return EM_OK;
    if (!engine_named("mpi"))
        return emi_fail(err, EM_ENOTSUP,
                        "mpi: not built in, and %s processes were started; try a build with MPI (Debian: the package "
                        "eigenmesh-mpi)",
                        count);
    return emi_fail(err, EM_ENET,
                    "mpi: %s processes were started and do not find each other; try the mpirun of this build's MPI, or "
                    "srun --mpi=pmix (MPICH: pmi2), or --engine local for each by itself",
                    count);
}

em_status cluster_join(int *argc, char ***argv, em_error *err)
{
    em_status status = EM_OK;
    look_for_patience(*argc, *argv);
    for (int i = 0; engine_at(i) && all.size == 1; i++) {
        if (engine_at(i)->join) status = engine_at(i)->join(argc, argv, patience, &all, err);
        if (all.size > 1) joined = engine_at(i);
        if (status != EM_OK) {
            all.mover = NULL;
            return status == EM_ENET && all.size > 1 ? lose(err) : status;
        }
    }
    if (all.size == 1) return refuse_strangers(*argc, *argv, err);
    status = make_star(err);
    return status == EM_OK ? check_same_arguments(*argc, *argv, err) : status;
}

/* Ending all processes comes when the words have left, and those who only heard of it leave it to the one that found out; a
 * signal means that it is done. */
static void leave(void)
{
    enum { PRINTED = 1, TAKE_OVER = 5 }; /* seconds */
    (void)fflush(NULL);
    if (sleep(noticed ? PRINTED : TAKE_OVER) == 0) joined->abort();
    _exit(1);
}

void cluster_part(void)
{
    if (lost) leave();
    if (all.mover) all.mover->close(all.state);
    free(up);
    free(down);
    free(inbox);
    for (int i = 0; engine_at(i); i++)
        if (engine_at(i)->part) engine_at(i)->part(patience);
}

void cluster_set_patience(double seconds)
{
    patience = seconds;
    if (all.mover) all.mover->patience(all.state, seconds);
}

int cluster_size(void)
{
    return all.size;
}

int cluster_rank(void)
{
    return all.rank;
}

int cluster_speaks(void)
{
    return lost ? noticed : all.rank == 0 || failed_here;
}

/* ---- the mesh ------------------------------------------------------------------------------------------------------- */

em_status cluster_choose_engine(const char *name, int *together, em_error *err)
{
    const engine *named = name ? engine_named(name) : joined;
    if (!named) {
        char known[80] = "";
        for (int i = 0; engine_at(i); i++) {
            size_t used = strlen(known);
            (void)snprintf(known + used, sizeof known - used, "%s%s", i ? " or " : "", engine_at(i)->name);
        }
        return emi_fail(err, EM_EINVAL, "--engine: '%s' is not built in; try %s", name, known);
    }
    if (named != joined && all.size > 1)
        return emi_fail(err, EM_EINVAL, "--engine: %s runs in one process, and %d were started; try --engine %s",
                        named->name, all.size, joined->name);
    chosen = named;
    *together = chosen != &engine_local;
    return EM_OK;
}

em_status cluster_nodes(int nodes, int *first, int *hosted, em_error *err)
{
    *first = 0;
    *hosted = nodes;
    return chosen->nodes ? chosen->nodes(nodes, first, hosted, err) : EM_OK;
}

em_status cluster_mesh(em_mesh **out, const em_graph *graph, int threads, em_error *err)
{
    if (chosen->open) return chosen->open(out, graph, threads, patience, err);
    return em_mesh_open(out, chosen->name, graph, threads, err);
}

void cluster_close(em_mesh **mesh)
{
    if (!lost) em_mesh_close(mesh);
}
