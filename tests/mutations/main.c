/* mutations [--seed S] [--count N] [--kind NAME] [--only INDEX] | --self-test
 *
 * Damages files of every kind, N times each, and runs eigenmesh on them: it must not crash, hang, ramble, leave files, or
 * write a model with a number that is not finite.  EIGENMESH is the program; one run in ONE_IN is of it, the others are forks
 * of the same text, which is ten times quicker.  What a seed does to a file does not depend on the number of cores.  Files
 * that were too much are kept in mutations-failed, and the command that shows it is printed. */
#define _DEFAULT_SOURCE
#include "arena.h"
#include "kernels.h"
#include "mutate.h"
#include "self_test.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int eigenmesh_main(int argc, char **argv);

enum { ONE_IN = 16, SECONDS = 5, MOST_SHOWN = 3, MOST_WORKERS = 64 };

typedef struct request {
    uint64_t seed;
    size_t count, only; /* SIZE_MAX: all */
    const char *kind;   /* NULL: all */
    int self_test;
} request;

typedef struct tally {
    atomic_long read, refused, faults;
    int missing; /* no reader in this build */
} tally;

/* The same in every worker; only the tallies change. */
typedef struct campaign {
    request asked;
    char program[PATH_MAX], kept[PATH_MAX], scratch[PATH_MAX];
    tally *tallies; /* [kind_count], shared by all processes */
    bytes *bases;   /* [kind_count * KIND_BASES] */
} campaign;

/* ---- one mutation ------------------------------------------------------------------------------------------------ */

static size_t bases_of(const kind *k)
{
    size_t count = 0;
    while (count < KIND_BASES && k->bases[count]) count++;
    return count;
}

static bytes damaged_file(const campaign *c, size_t at, size_t index)
{
    const kind *k = &kinds[at];
    dice d = dice_for(c->asked.seed, at, index);
    const bytes *base = &c->bases[at * KIND_BASES + dice_below(&d, bases_of(k))];
    bytes b = bytes_of(base->at, base->size);
    if (k->under_seal && dice_below(&d, 2))
        k->under_seal(&b, &d);
    else
        mutate(&b, k->text, &d);
    return b;
}

static void report_fault(const campaign *c, size_t at, size_t index, const bytes *damaged, const verdict *result)
{
    const kind *k = &kinds[at];
    char place[PATH_MAX];
    if (atomic_fetch_add(&c->tallies[at].faults, 1) >= MOST_SHOWN) return;
    (void)printf("FAILED: %s %zu: %s\n", k->name, index, result->fault);
    if (*result->said) (void)printf("  stderr: %s\n", result->said);
    int size = snprintf(place, sizeof place, "%s/%s-%zu", c->kept, k->name, index);
    if (size >= (int)sizeof place) die(c->kept, "is too long a path");
    arena_keep(place, c->program, k, damaged);
    (void)fflush(stdout);
}

static void try_mutation(const campaign *c, size_t at, size_t index)
{
    int executed = index % ONE_IN == 0;
    victim v = {.program = executed ? NULL : eigenmesh_main, .path = c->program, .seconds = SECONDS};
    tally *t = &c->tallies[at];
    bytes damaged = damaged_file(c, at, index);
    verdict result = arena_trial(&v, &kinds[at], &damaged);
    atomic_fetch_add(result.status == 0 ? &t->read : &t->refused, 1);
    if (*result.fault) report_fault(c, at, index, &damaged, &result);
    bytes_free(&damaged);
}

/* ---- all of them ---------------------------------------------------------------------------------------------------- */

static int is_asked(const campaign *c, size_t at)
{
    return (!c->asked.kind || strcmp(c->asked.kind, kinds[at].name) == 0) && !c->tallies[at].missing;
}

static void enter_arena(const campaign *c, int worker)
{
    char path[PATH_MAX + 16], intact[PATH_MAX + 32];
    (void)snprintf(intact, sizeof intact, "%s/bases/%s", c->scratch, INTACT_FILE);
    (void)snprintf(path, sizeof path, "%s/%d", c->scratch, worker);
    bytes b = bytes_read(intact);
    arena_enter(path, &b);
    bytes_free(&b);
}

static void work(const campaign *c, int worker, int workers)
{
    enter_arena(c, worker);
    for (size_t at = 0; at < kind_count; at++)
        for (size_t index = (size_t)worker; is_asked(c, at) && index < c->asked.count; index += (size_t)workers)
            if (c->asked.only == SIZE_MAX || c->asked.only == index) try_mutation(c, at, index);
}

/* Non-zero when a worker did not come to its end. */
static int work_together(const campaign *c, int workers)
{
    int failed = 0, ending;
    for (int worker = 0; worker < workers; worker++) {
        (void)fflush(NULL);
        pid_t child = fork();
        if (child < 0) die("fork", strerror(errno));
        if (child > 0) continue;
        work(c, worker, workers);
        exit(0);
    }
    for (int worker = 0; worker < workers; worker++)
        failed |= wait(&ending) < 0 || !WIFEXITED(ending) || WEXITSTATUS(ending) != 0;
    return failed;
}

/* The first intact file of every kind must be read, or the reader is one that a build may lack. */
static void try_intact(campaign *c)
{
    victim v = {.path = c->program, .seconds = SECONDS};
    for (size_t at = 0; at < kind_count; at++) {
        verdict result = arena_trial(&v, &kinds[at], &c->bases[at * KIND_BASES]);
        c->tallies[at].missing = kinds[at].optional && result.status == 2;
        if (result.status != 0 && !c->tallies[at].missing) die(kinds[at].name, result.said);
    }
}

static int report(const campaign *c)
{
    long faults = 0;
    for (size_t at = 0; at < kind_count; at++) {
        const tally *t = &c->tallies[at];
        if (t->missing) (void)printf("%-16s SKIPPED: this build does not read it\n", kinds[at].name);
        if (!is_asked(c, at)) continue;
        (void)printf("%-16s %5ld read, %5ld refused, %ld faults\n", kinds[at].name, atomic_load(&t->read),
                     atomic_load(&t->refused), atomic_load(&t->faults));
        faults += atomic_load(&t->faults);
    }
    return faults > 0;
}

/* ---- before and after ------------------------------------------------------------------------------------------------ */

static void load_bases(campaign *c)
{
    c->bases = calloc(kind_count * KIND_BASES, sizeof *c->bases);
    if (!c->bases) die("memory", "there is none");
    for (size_t at = 0; at < kind_count; at++)
        for (size_t n = 0; n < bases_of(&kinds[at]); n++)
            c->bases[at * KIND_BASES + n] = bytes_read(kinds[at].bases[n]);
}

static void prepare(campaign *c)
{
    const char *program = getenv("EIGENMESH"), *temporary = getenv("TMPDIR");
    char here[PATH_MAX - 32];
    victim v = {.path = c->program, .seconds = SECONDS};
    if (!program || !realpath(program, c->program)) die("EIGENMESH", "is not the path of the program");
    if (!getcwd(here, sizeof here)) die("working directory", strerror(errno));
    (void)snprintf(c->kept, sizeof c->kept, "%s/mutations-failed", here);
    (void)snprintf(c->scratch, sizeof c->scratch, "%s/mutations-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(c->scratch)) die(c->scratch, strerror(errno));
    if (mkdir(c->kept, 0777) != 0 && errno != EEXIST) die(c->kept, strerror(errno));
    c->tallies = mmap(NULL, kind_count * sizeof *c->tallies, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->tallies == MAP_FAILED) die("memory", strerror(errno));
    if (chdir(c->scratch) != 0 || mkdir("bases", 0777) != 0 || chdir("bases") != 0) die(c->scratch, strerror(errno));
    make_bases(&v);
    load_bases(c);
    enter_arena(c, 0);
}

static void clean_up(campaign *c, int workers)
{
    char path[PATH_MAX + 16];
    (void)rmdir(c->kept); /* when nothing is in it */
    if (chdir("/") != 0) die("/", strerror(errno));
    for (int worker = 0; worker < workers; worker++) {
        (void)snprintf(path, sizeof path, "%s/%d", c->scratch, worker);
        arena_remove(path);
    }
    (void)snprintf(path, sizeof path, "%s/bases", c->scratch);
    arena_remove(path);
    arena_remove(c->scratch);
    for (size_t n = 0; n < kind_count * KIND_BASES; n++) bytes_free(&c->bases[n]);
    free(c->bases);
}

static request read_arguments(int argc, char **argv)
{
    request r = {.seed = 1, .count = 2000, .only = SIZE_MAX};
    for (int n = 1; n < argc; n++) {
        const char *value = n + 1 < argc ? argv[n + 1] : NULL;
        if (strcmp(argv[n], "--self-test") == 0) {
            r.self_test = 1;
            continue;
        }
        if (!value) die(argv[n], "is no option, or lacks its value");
        if (strcmp(argv[n], "--seed") == 0)
            r.seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[n], "--count") == 0)
            r.count = strtoull(value, NULL, 10);
        else if (strcmp(argv[n], "--only") == 0)
            r.only = strtoull(value, NULL, 10);
        else if (strcmp(argv[n], "--kind") == 0)
            r.kind = value;
        else
            die(argv[n], "is no option");
        n++;
    }
    return r;
}

int main(int argc, char **argv)
{
    static campaign c;
    kernels_choose(argv); /* the program would start itself again for them, which is us in a fork */
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int failed, workers = cores < 1 ? 1 : cores > MOST_WORKERS ? MOST_WORKERS : (int)cores;
    c.asked = read_arguments(argc, argv);
    prepare(&c);
    if (c.asked.self_test) {
        failed = self_test();
    } else {
        (void)printf("seed %llu, %zu mutations of each kind\n", (unsigned long long)c.asked.seed, c.asked.count);
        try_intact(&c);
        failed = work_together(&c, workers);
        failed |= report(&c);
    }
    clean_up(&c, workers);
    return failed ? 1 : 0;
}
