#include "self_test.h"
#include "arena.h"
#include "mutate.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail_well(void)
{
    (void)fputs("eigenmesh: x.npy: no such thing; try another\n", stderr);
    return 2;
}

static void leave(const char *path)
{
    bytes b = bytes_of("x", 1);
    bytes_write(&b, path);
    bytes_free(&b);
}

static int crashes(int argc, char **argv)
{
    (void)argc, (void)argv;
    return raise(SIGKILL);
}

static int hangs(int argc, char **argv)
{
    (void)argc, (void)argv;
    return pause();
}

static int ends_oddly(int argc, char **argv)
{
    (void)argc, (void)argv;
    (void)fail_well();
    return 3;
}

static int says_nothing(int argc, char **argv)
{
    (void)argc, (void)argv;
    return 2;
}

static int rambles(int argc, char **argv)
{
    (void)argc, (void)argv;
    (void)fputs("eigenmesh: x.npy: is bad\n", stderr);
    return 2;
}

static int repeats_itself(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int n = 0; n < 5; n++) (void)fail_well();
    return 2;
}

static int litters(int argc, char **argv)
{
    (void)argc, (void)argv;
    leave("x.npy.tmp-abc");
    return 0;
}

static int refuses_and_writes(int argc, char **argv)
{
    (void)argc, (void)argv;
    leave("model.npz");
    return fail_well();
}

static int writes_nan(int argc, char **argv)
{
    (void)argc, (void)argv;
    char npy[24] = "\x93NUMPY\x01\0\6\0{    \n";
    const double number = NAN;
    memcpy(npy + 16, &number, sizeof number);
    bytes content = bytes_of(npy, sizeof npy), zip = zip_of("components.npy", &content);
    bytes_write(&zip, "model.npz");
    bytes_free(&zip);
    bytes_free(&content);
    return 0;
}

static int behaves(int argc, char **argv)
{
    (void)argc, (void)argv;
    return fail_well();
}

/* Mutations that change nothing would test nothing. */
static int mutations_change_files(const bytes *intact)
{
    enum { TIMES = 1000 };
    int changed = 0;
    for (uint64_t n = 0; n < TIMES; n++) {
        dice d = dice_for(1, 0, n);
        bytes b = bytes_of(intact->at, intact->size);
        mutate(&b, n % 2 == 0, &d);
        changed += b.size != intact->size || memcmp(b.at, intact->at, b.size) != 0;
        bytes_free(&b);
    }
    return changed > TIMES * 9 / 10;
}

int self_test(void)
{
    static const struct {
        int (*program)(int, char **);
        const char *fault;
    } all[] = {{crashes, "crashes by signal"},
               {hangs, "hangs"},
               {ends_oddly, "ends with status 3"},
               {says_nothing, "fails without a word"},
               {rambles, "says 'eigenmesh: x.npy: is bad'"},
               {repeats_itself, "says 5 lines"},
               {litters, "leaves x.npy.tmp-abc"},
               {refuses_and_writes, "refuses, and yet writes model.npz"},
               {writes_nan, "not finite: components"},
               {behaves, ""}};
    bytes intact = bytes_read(INTACT_FILE);
    int missed = !mutations_change_files(&intact);
    if (missed) (void)printf("mutations hardly change a file\n");
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        victim v = {.program = all[n].program, .seconds = 1};
        verdict result = arena_trial(&v, &kinds[0], &intact);
        if (*all[n].fault ? strstr(result.fault, all[n].fault) != NULL : !*result.fault) continue;
        (void)printf("not found out: '%s' for '%s'\n", result.fault, all[n].fault);
        missed++;
    }
    bytes_free(&intact);
    return missed;
}
