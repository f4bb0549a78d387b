#include "spool.h"

#include "message.h"

#include "base/clock.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { YOUNG = 2 }; /* seconds */

const char *spool_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

static void forget_names(spool *f)
{
    for (size_t n = 0; n < f->count; n++) emi_free(f->names[n]);
    f->count = f->at = 0;
}

void spool_close(spool *f)
{
    forget_names(f);
    emi_free(f->names);
    taken_close(&f->refused);
    *f = (spool){0};
}

em_status spool_open(spool *f, const char *path, em_error *err)
{
    struct stat about;
    *f = (spool){.path = path};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return EM_OK;
    return emi_fail(
        err, EM_EIO,
        "%s: is no folder, and --follow takes in what comes to one, or on standard input; try a folder, or -", path);
}

/* ---- looking -------------------------------------------------------------------------------------------------------------- */

static int ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static int is_passed_over(const char *name)
{
    return *name == '.' || ends_in(name, ".tmp") || ends_in(name, ".part") || strchr(name, '\n');
}

static em_status path_in(const spool *f, const char *name, char path[EMI_PATH_ROOM], em_error *err)
{
    int length = snprintf(path, EMI_PATH_ROOM, "%s/%s", f->path, name);
    return length < EMI_PATH_ROOM
               ? EM_OK
               : emi_fail(err, EM_EINVAL, "%.60s...: the path is too long; try a shorter one", f->path);
}

/* Somebody may still be writing; a clock that is behind the disk's holds nothing up. */
static int is_young(const struct stat *about)
{
    time_t age = time(NULL) - about->st_mtim.tv_sec;
    return age >= 0 && age < YOUNG;
}

/* Rows that were counted are not counted again, whatever becomes of their file. */
static void tell_changed(taken_file *file, const char *path, const struct stat *about)
{
    if (file->told || taken_is_same(file, about)) return;
    file->told = 1;
    complain("%s: has changed since its rows were taken, and is not read again; try another name for new rows", path);
}

static int is_new(spool *f, taken *t, const char *name, const char *path, const struct stat *about)
{
    taken_file *before = taken_find(t, name), *refused = taken_find(&f->refused, name);
    if (before) tell_changed(before, path, about);
    return !before && !(refused && taken_is_same(refused, about)) && !is_young(about);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static em_status note_name(spool *f, const char *name, em_error *err)
{
    char **names = emi_grow(f->names, &f->room, f->count + 1, sizeof *names);
    if (names) f->names = names;
    char *copy = names ? emi_strdup(name) : NULL;
    if (!copy) return emi_fail_memory(err, f->path);
    f->names[f->count++] = copy;
    return EM_OK;
}

/* All that is new, by name. */
static em_status look(spool *f, taken *t, em_error *err)
{
    em_status status = EM_OK;
    DIR *open = opendir(f->path);
    if (!open && !f->is_missing)
        complain("%s: cannot be read (%s); its files are taken in when it is there again", f->path, strerror(errno));
    f->is_missing = !open;
    int has_end = 0, has_young = 0;
    forget_names(f);
    for (const struct dirent *entry; status == EM_OK && open && (entry = readdir(open));) {
        char path[EMI_PATH_ROOM];
        struct stat about;
        if (is_passed_over(entry->d_name)) continue;
        TRY(path_in(f, entry->d_name, path, err));
        if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) continue;
        if (strcmp(entry->d_name, "end") == 0)
            has_end = 1;
        else if (is_new(f, t, entry->d_name, path, &about))
            TRY(note_name(f, entry->d_name, err));
        else
            has_young |= !taken_find(t, entry->d_name) && is_young(&about);
    }
    f->ends = has_end && !has_young && f->count == 0 ? f->ends + 1 : 0;
    if (f->count) qsort(f->names, f->count, sizeof *f->names, by_name);
done:
    if (open) (void)closedir(open);
    return status;
}

em_status spool_next(spool *f, taken *t, char path[EMI_PATH_ROOM], struct stat *about, em_error *err)
{
    static const double second = 1, share = 20; /* so much of the time at most is for looking */
    em_status status = EM_OK;
    double began = emi_seconds();
    *path = 0;
    if (f->at == f->count && began >= f->look_at) {
        TRY(look(f, t, err));
        double took = emi_seconds() - began;
        f->look_at = began + (share * took > second ? share * took : second);
    }
    while (f->at < f->count && !*path) {
        TRY(path_in(f, f->names[f->at++], path, err));
        if (stat(path, about) != 0) *path = 0; /* it went away again */
    }
done:
    return status;
}

int spool_has_ended(const spool *f)
{
    return f->ends > 1; /* one may have looked away when the last file came */
}

em_status spool_refuse(spool *f, const char *path, const struct stat *about, em_error *err)
{
    taken_remove(&f->refused, spool_name(path));
    return taken_add(&f->refused, spool_name(path), about, err);
}
