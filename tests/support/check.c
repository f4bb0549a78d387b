#define _XOPEN_SOURCE 700
#include "support/check.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_close(double got, double wanted, double tolerance, const char *what, const char *file, int line)
{
    if (fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted))) return;
    print_error("%s: %.17g, wanted %.17g (tolerance %g)\n", what, got, wanted, tolerance);
    _fail(file, line);
}

void check_ok(em_status status, const em_error *err, const char *what, const char *file, int line)
{
    if (status == EM_OK) return;
    print_error("%s: %s\n", what, err ? err->msg : em_status_text(status));
    _fail(file, line);
}

void check_fails(em_status status, em_status code, const char *words, const em_error *err, const char *what,
                 const char *file, int line)
{
    if (status == code && err->code == code && strstr(err->msg, words)) return;
    print_error("%s: status %d (wanted %d), message \"%s\" (wanted \"%s\" in it)\n", what, status, code,
                status ? err->msg : "", words);
    _fail(file, line);
}

static char directory[256];

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

static void remove_scratch(void)
{
    (void)nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *scratch(const char *name)
{
    static int made;
    static char paths[8][512]; /* so that a few can be held at once */
    static int turn;
    if (!made) {
        const char *place = getenv("TMPDIR");
        (void)snprintf(directory, sizeof directory, "%.200s/eigenmesh-test-XXXXXX", place && *place ? place : "/tmp");
        if (!mkdtemp(directory)) abort();
        (void)atexit(remove_scratch);
        made = 1;
    }
    char *path = paths[turn++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *scratch_file(const char *name, const void *bytes, size_t count)
{
    const char *path = scratch(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file)) abort();
    return path;
}
