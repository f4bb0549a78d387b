#define _DEFAULT_SOURCE
#include "arena.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_directory(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST) die(path, strerror(errno));
}

void arena_enter(const char *path, const bytes *intact)
{
    make_directory(path);
    if (chdir(path) != 0) die(path, strerror(errno));
    bytes_write(intact, INTACT_FILE);
}

static void find_fault(verdict *result, const char *words, const char *name)
{
    if (!*result->fault) (void)snprintf(result->fault, sizeof result->fault, "%s %.100s", words, name);
}

/* A file that the program has made. */
static void judge_file(verdict *result, const kind *k, const char *name)
{
    int wanted = k->output && strcmp(name, k->output) == 0;
    if (!wanted) find_fault(result, "leaves", name);
    if (wanted && result->status == 2) find_fault(result, "refuses, and yet writes", name);
    if (wanted && strcmp(name, "model.npz") == 0) {
        const char *entry = npz_not_finite(name);
        if (*entry) find_fault(result, "writes a model with numbers that are not finite:", entry);
    }
    (void)unlink(name);
}

static int is_beside(const kind *k, const char *name)
{
    return (k->beside[0] && strcmp(name, k->beside[0]) == 0) || (k->beside[1] && strcmp(name, k->beside[1]) == 0);
}

/* Those that it needs, in a folder. */
static void put_beside(const kind *k, const char *folder)
{
    char from[PATH_MAX], to[PATH_MAX];
    for (int n = 0; n < 2 && k->beside[n]; n++) {
        (void)snprintf(from, sizeof from, "%s/%s", BASES_FOLDER, k->beside[n]);
        (void)snprintf(to, sizeof to, "%s/%s", folder, k->beside[n]);
        bytes b = bytes_read(from);
        bytes_write(&b, to);
        bytes_free(&b);
    }
}

verdict arena_trial(const victim *v, const kind *k, const bytes *damaged)
{
    bytes_write(damaged, k->file);
    put_beside(k, ".");
    verdict result = victim_run(v, (char *const *)k->command);
    DIR *here = opendir(".");
    if (!here) die("directory", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(here));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, INTACT_FILE) == 0) continue;
        if (strcmp(name, k->file) != 0 && !is_beside(k, name)) judge_file(&result, k, name);
    }
    (void)closedir(here);
    for (int n = 0; n < 2 && k->beside[n]; n++) (void)unlink(k->beside[n]);
    (void)unlink(k->file);
    return result;
}

void arena_keep(const char *place, const char *program, const kind *k, const bytes *damaged)
{
    char path[PATH_MAX];
    bytes intact = bytes_read(INTACT_FILE);
    make_directory(place);
    (void)snprintf(path, sizeof path, "%s/%s", place, k->file);
    bytes_write(damaged, path);
    (void)snprintf(path, sizeof path, "%s/%s", place, INTACT_FILE);
    bytes_write(&intact, path);
    bytes_free(&intact);
    put_beside(k, place);
    (void)printf("  to repeat: cd '%s' && '%s'", place, program);
    for (int n = 1; k->command[n]; n++) (void)printf(" %s", k->command[n]);
    (void)printf("\n");
}

void arena_remove(const char *path)
{
    char name[PATH_MAX];
    DIR *directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        (void)unlink(name);
    }
    if (directory) (void)closedir(directory);
    (void)rmdir(path);
}
