#include "cluster.h"
#include "command.h"
#include "engine.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const engine *joined = &engine_local, *chosen = &engine_local; /* by the processes; for the mesh */
static int rank, size = 1;
static double patience = 3600; /* seconds */

/* Some process is lost: those left end, and have no more to do with each other.  The one that noticed says so; it told the
 * others. */
static int lost, noticed;

/* What moves bytes between the processes, where there are several: the first one hears all others, and tells all others. */
static const em_engine *mover;
static void *state;
static em_link *up, *down; /* [size - 1] */
static const void **inbox; /* [size] */
static em_error *outcomes; /* [size] */
static size_t *numbers;    /* [size] */

/* ---- a star -------------------------------------------------------------------------------------------------------- */

/* What one process heard from another begins with its name. */
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

static em_status move(const em_link *links, const void *block, size_t bytes, em_error *err)
{
    em_status status = mover->begin(state, links, (size_t)size - 1, &block, bytes, err);
    if (status == EM_OK) status = mover->end(state, inbox, err);
    return status == EM_OK ? status : lose(err);
}

em_status cluster_gather(const void *own, size_t bytes, void *all, em_error *err)
{
    em_status status = mover ? move(up, own, bytes, err) : EM_OK;
    if (status != EM_OK || rank != 0) return status;
    memcpy(all, own, bytes);
    for (int r = 1; mover && r < size; r++) memcpy((char *)all + (size_t)r * bytes, inbox[r], bytes);
    return EM_OK;
}

em_status cluster_share(void *bytes, size_t count, em_error *err)
{
    if (!mover || count == 0) return EM_OK;
    em_status status = move(down, bytes, count, err);
    if (status == EM_OK && rank != 0) memcpy(bytes, inbox[0], count);
    return status;
}

static em_status connect_all(em_error *err)
{
    size_t count = (size_t)size;
    em_status status = joined->connect(&mover, &state, patience, err);
    if (status != EM_OK) {
        mover = NULL;
        return status == EM_ENET ? lose(err) : status;
    }
    up = calloc(count, sizeof *up);
    down = calloc(count, sizeof *down);
    inbox = calloc(count, sizeof *inbox);
    outcomes = calloc(count, sizeof *outcomes);
    numbers = calloc(count, sizeof *numbers);
    if (!up || !down || !inbox || !outcomes || !numbers) {
        (void)emi_fail_memory(err, "processes");
        mover->fail(state, err);
        return lose(err);
    }
    for (int r = 1; r < size; r++) {
        up[r - 1] = (em_link){r, 0};
        down[r - 1] = (em_link){0, r};
    }
    return EM_OK;
}

/* ---- agreement ----------------------------------------------------------------------------------------------------- */

/* The first that failed is believed, unless one heard over the engine where it happened; what all fail at alike happened
 * nowhere in particular. */
static em_error first_failure(void)
{
    int failures = 0, heard = -1, failed = -1;
    for (int r = size - 1; r >= 0; r--) {
        if (outcomes[r].code == EM_OK) continue;
        failures++;
        failed = r;
        if (is_heard(&outcomes[r])) heard = r;
    }
    if (failed < 0) return (em_error){.code = EM_OK, .node = -1};
    em_error told = outcomes[heard >= 0 ? heard : failed];
    if (heard < 0 && failures < size)
        (void)snprintf(told.msg, sizeof told.msg, "rank %d: %.480s", failed, outcomes[failed].msg);
    return told;
}

em_status cluster_agree(em_status status, em_error *err)
{
    if (!mover || lost) return status;
    if (status == EM_ENET) {
        if (!is_heard(err)) mover->fail(state, err); /* to those that are not in the mesh, where it was found */
        return lose(err);
    }
    em_error told = {.node = -1}, lost_one = {0};
    if (status != EM_OK) told = *err;
    told.code = status;
    em_status moved = cluster_gather(&told, sizeof told, outcomes, &lost_one);
    if (moved == EM_OK && rank == 0) told = first_failure();
    if (moved == EM_OK) moved = cluster_share(&told, sizeof told, &lost_one);
    if (moved != EM_OK) told = lost_one;
    if (told.code != EM_OK) *err = told;
    return told.code;
}

em_status cluster_meet(em_error *err)
{
    return cluster_agree(EM_OK, err);
}

/* The sum, or the largest, of all processes' numbers. */
static em_status combine(size_t *number, int largest, em_error *err)
{
    if (!mover) return EM_OK;
    em_status status = cluster_gather(number, sizeof *number, numbers, err);
    if (status != EM_OK) return status;
    for (int r = 1; rank == 0 && r < size; r++)
        *number = !largest ? *number + numbers[r] : numbers[r] > *number ? numbers[r] : *number;
    return cluster_share(number, sizeof *number, err);
}

em_status cluster_sum(size_t *number, em_error *err)
{
    return combine(number, 0, err);
}

em_status cluster_gather_text(const char *text, size_t own, char **all, size_t *all_size, em_error *err)
{
    em_status status = EM_OK;
    char *padded = NULL;
    size_t longest = own;
    *all = NULL;
    *all_size = 0;
    TRY(combine(&longest, 1, err));
    if (longest == 0) goto done;
    padded = calloc(longest, 1);
    if (rank == 0) *all = calloc((size_t)size, longest);
    TRY(cluster_agree(padded && (*all || rank != 0) ? EM_OK : emi_fail_memory(err, "texts"), err));
    if (own) memcpy(padded, text, own);
    TRY(cluster_gather(padded, longest, *all, err));
    *all_size = (size_t)size * longest;
done:
    free(padded);
    return status;
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
    for (int i = 1; rank == 0 && i < argc; i++, at += strlen(at) + 1) memcpy(at, argv[i], strlen(argv[i]));
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

em_status cluster_join(int *argc, char ***argv, em_error *err)
{
    em_status status = EM_OK;
    look_for_patience(*argc, *argv);
    for (int i = 0; engine_at(i) && size == 1; i++) {
        status = engine_at(i)->join(argc, argv, patience, &rank, &size, err);
        if (status != EM_OK) return status;
        if (size > 1) joined = engine_at(i);
    }
    if (size == 1) return EM_OK;
    status = connect_all(err);
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
    if (mover) mover->close(state);
    free(up);
    free(down);
    free(inbox);
    free(outcomes);
    free(numbers);
    for (int i = 0; engine_at(i); i++)
        if (engine_at(i)->part) engine_at(i)->part(patience);
}

void cluster_set_patience(double seconds)
{
    patience = seconds;
    if (mover) mover->patience(state, seconds);
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
    return lost ? noticed : rank == 0;
}

/* ---- the mesh ------------------------------------------------------------------------------------------------------- */

em_status cluster_choose_engine(const char *name, int *together, em_error *err)
{
    const engine *named = name ? engine_named(name) : joined;
    if (!named) {
        char all[80] = "";
        for (int i = 0; engine_at(i); i++) {
            size_t used = strlen(all);
            (void)snprintf(all + used, sizeof all - used, "%s%s", i ? " or " : "", engine_at(i)->name);
        }
        return emi_fail(err, EM_EINVAL, "--engine: '%s' is not built in; try %s", name, all);
    }
    if (named != joined && size > 1)
        return emi_fail(err, EM_EINVAL, "--engine: %s runs in one process, and %d were started; try --engine %s",
                        named->name, size, joined->name);
    chosen = named;
    *together = chosen != &engine_local;
    return EM_OK;
}

em_status cluster_nodes(int nodes, int *first, int *hosted, em_error *err)
{
    return chosen->nodes(nodes, first, hosted, err);
}

em_status cluster_mesh(em_mesh **out, const em_graph *graph, int threads, em_error *err)
{
    return chosen->open(out, graph, threads, patience, err);
}

void cluster_close(em_mesh **mesh)
{
    if (!lost) em_mesh_close(mesh);
}
