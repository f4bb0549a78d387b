#include "collision.h"
#include "base/output.h"
#include "message.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file is known by. */
typedef struct identity {
    int harmless;         /* a device or a pipe */
    int exists, has_home; /* the file; the directory it is in, or will be in */
    struct stat file, home;
    char name[NAME_MAX + 1]; /* in that directory */
} identity;

struct written_file {
    const char *role, *path;
    int in_parts;
    int is_stream; /* "-", or /dev/stdout and the like */
    identity id;
};

/* ---- identities ---------------------------------------------------------------------------------- */

static int is_stream(const char *path)
{
    static const char *const starts[] = {"/dev/std", "/dev/fd/", "/proc/"};
    for (size_t n = 0; n < sizeof starts / sizeof *starts; n++)
        if (strncmp(path, starts[n], strlen(starts[n])) == 0) return 1;
    return strcmp(path, "-") == 0;
}

/* `stream`: what "-" stands for. */
static identity identify(const char *path, int stream)
{
    identity id = {0};
    char home[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    id.exists = (strcmp(path, "-") == 0 ? fstat(stream, &id.file) : stat(path, &id.file)) == 0;
    id.harmless = id.exists && !S_ISREG(id.file.st_mode);
    if (is_stream(path) || strlen(path) >= sizeof home || strlen(name) >= sizeof id.name) return id;
    (void)snprintf(home, sizeof home, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    (void)snprintf(id.name, sizeof id.name, "%s", name);
    id.has_home = stat(home, &id.home) == 0;
    return id;
}

static int same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int same_home(const identity *a, const identity *b)
{
    return a->has_home && b->has_home && same_inode(&a->home, &b->home);
}

static int same_file(const identity *a, const identity *b)
{
    if (a->harmless || b->harmless) return 0;
    if (a->exists && b->exists) return same_inode(&a->file, &b->file);
    return a->exists == b->exists && same_home(a, b) && strcmp(a->name, b->name) == 0;
}

/* "run.ck.0-3" and "run.ck.0-3.next" of "run.ck" */
static int is_part(const identity *whole, const identity *part)
{
    size_t length = strlen(whole->name), first, last;
    const char *rest = part->name;
    if (!same_home(whole, part) || strncmp(rest, whole->name, length) != 0 || rest[length] != '.') return 0;
    rest += length + 1;
    first = strspn(rest, "0123456789");
    if (!first || rest[first] != '-') return 0;
    rest += first + 1;
    last = strspn(rest, "0123456789");
    return last && (!rest[last] || strcmp(rest + last, ".next") == 0);
}

/* ---- the list --------------------------------------------------------------------------------------- */

static em_status refuse_both(const char *role, const char *path, const char *other_role, const char *other,
                             em_error *err)
{
    if (strcmp(path, other) == 0)
        return refuse(err, EM_EINVAL, "%s: '%s' is the file of %s too; try another name", role, path, other_role);
    return refuse(err, EM_EINVAL, "%s: '%s' is the file of %s '%s' too; try another name", role, path, other_role,
                  other);
}

/* Both "-", or other names of one file or pipe; a terminal or /dev/null may have many. */
static int same_stream(const written_file *a, const written_file *b)
{
    if (!a->is_stream || !b->is_stream) return 0;
    if (strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0) return 1;
    return a->id.exists && b->id.exists && !S_ISCHR(a->id.file.st_mode) && same_inode(&a->id.file, &b->id.file);
}

static em_status check_written(const collisions *c, const written_file *file, em_error *err)
{
    for (int i = 0; i < c->count; i++) {
        const written_file *other = &c->files[i];
        if (same_stream(file, other))
            return refuse(err, EM_EINVAL, "%s: standard output is that of %s already; try a file's name", file->role,
                          other->role);
        if (file->is_stream || other->is_stream) continue;
        if (same_file(&file->id, &other->id) || (file->in_parts && is_part(&file->id, &other->id)) ||
            (other->in_parts && is_part(&other->id, &file->id)))
            return refuse_both(file->role, file->path, other->role, other->path, err);
    }
    return EM_OK;
}

static em_status make_room(collisions *c, em_error *err)
{
    if (c->count < c->room) return EM_OK;
    int room = 2 * c->room + 8;
    written_file *files = realloc(c->files, (size_t)room * sizeof *files);
    if (!files) return refuse_memory(err, "files");
    c->files = files;
    c->room = room;
    return EM_OK;
}

static em_status add(collisions *c, const char *role, const char *path, int in_parts, em_error *err)
{
    em_status status = EM_OK;
    char target[PATH_MAX];
    written_file file = {.role = role, .path = path, .in_parts = in_parts, .is_stream = is_stream(path)};
    if (!*path) return EM_OK; /* refused where it is opened */
    TRY(make_room(c, err));
    TRY(emi_output_target(path, target, sizeof target, err));
    /* Parts lie beside the name that was typed, whatever it links to. */
    file.id = identify(in_parts ? path : target, STDOUT_FILENO);
    TRY(check_written(c, &file, err));
    c->files[c->count++] = file;
done:
    return status;
}

em_status collisions_write(collisions *c, const char *role, const char *path, em_error *err)
{
    return add(c, role, path, 0, err);
}

em_status collisions_write_in_parts(collisions *c, const char *role, const char *path, em_error *err)
{
    return add(c, role, path, 1, err);
}

em_status collisions_read(const collisions *c, const char *role, const char *path, em_error *err)
{
    identity id = identify(path, STDIN_FILENO);
    for (int i = 0; i < c->count; i++) {
        const written_file *file = &c->files[i];
        if (same_file(&file->id, &id) || (file->in_parts && is_part(&file->id, &id)))
            return refuse_both(file->role, file->path, role, path, err);
    }
    return EM_OK;
}

int collisions_take_stdout(const collisions *c)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->files[i].path, "-") == 0) return 1;
    return 0;
}

void collisions_free(collisions *c)
{
    free(c->files);
    *c = (collisions){0};
}
