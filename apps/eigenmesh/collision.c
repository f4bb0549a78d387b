#include "collision.h"
#include "cluster.h"
#include "input.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/place.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROLE = 32 }; /* room for "--output" or "INPUT" */

/* What a file is known by. */
typedef struct identity {
    int harmless;         /* a device or a pipe */
    int exists, has_home; /* the file; the directory it is in, or will be in */
    struct stat file, home;
    char name[NAME_MAX + 1]; /* in that directory */
} identity;

struct written_file {
    char role[ROLE];
    char *path;
    int in_parts;  /* others lie beside it: FILE.FIRST-LAST, and the same with .next */
    int is_stream; /* "-", or /dev/stdout and the like */
    identity id;
};

/* ---- identities ---------------------------------------------------------------------------------- */

/* `stream`: what "-" stands for. */
static identity identify(const char *path, int stream)
{
    identity id = {0};
    char home[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    id.exists = (strcmp(path, "-") == 0 ? fstat(stream, &id.file) : stat(path, &id.file)) == 0;
    id.harmless = id.exists && !S_ISREG(id.file.st_mode);
    if (emi_place_stream(path) >= 0 || strlen(path) >= sizeof home || strlen(name) >= sizeof id.name) return id;
    emi_place_directory(path, home);
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

/* ---- the list of files to be written ------------------------------------------------------------------- */

static em_status refuse_both(const written_file *file, const char *other_role, const char *other, em_error *err)
{
    if (strcmp(file->path, other) == 0)
        return emi_fail(err, EM_EINVAL, "%s: '%s' is the file of %s too; try another name", file->role, file->path,
                        other_role);
    return emi_fail(err, EM_EINVAL, "%s: '%s' is the file of %s '%s' too; try another name", file->role, file->path,
                    other_role, other);
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
            return emi_fail(err, EM_EINVAL, "%s: standard output is that of %s already; try a file's name", file->role,
                            other->role);
        if (file->is_stream || other->is_stream) continue;
        if (same_file(&file->id, &other->id) || (file->in_parts && is_part(&file->id, &other->id)) ||
            (other->in_parts && is_part(&other->id, &file->id)))
            return refuse_both(file, other->role, other->path, err);
    }
    return EM_OK;
}

static em_status make_room(collisions *c, em_error *err)
{
    if (c->count < c->room) return EM_OK;
    int room = 2 * c->room + 8;
    written_file *files = emi_realloc(c->files, (size_t)room * sizeof *files);
    if (!files) return emi_fail_memory(err, "files");
    c->files = files;
    c->room = room;
    return EM_OK;
}

static em_status add(collisions *c, const char *role, const char *path, int in_parts, em_error *err)
{
    em_status status = EM_OK;
    char target[PATH_MAX];
    written_file file = {.in_parts = in_parts, .is_stream = emi_place_stream(path) >= 0};
    if (!*path) return EM_OK; /* refused where it is opened */
    (void)snprintf(file.role, sizeof file.role, "%s", role);
    file.path = emi_strdup(path);
    if (!file.path) TRY(emi_fail_memory(err, "files"));
    TRY(make_room(c, err));
    TRY(emi_output_target(path, target, sizeof target, err));
    /* Parts lie beside the name that was typed, whatever it links to. */
    file.id = identify(in_parts ? path : target, STDOUT_FILENO);
    TRY(check_written(c, &file, err));
    c->files[c->count++] = file;
    file.path = NULL;
done:
    emi_free(file.path);
    return status;
}

em_status collisions_write(collisions *c, const char *role, const char *path, em_error *err)
{
    return add(c, role, path, 0, err);
}

em_status collisions_read(const collisions *c, const char *role, const char *path, em_error *err)
{
    identity id = identify(path, STDIN_FILENO);
    for (int i = 0; i < c->count; i++) {
        const written_file *file = &c->files[i];
        if (same_file(&file->id, &id) || (file->in_parts && is_part(&file->id, &id)))
            return refuse_both(file, role, path, err);
    }
    return EM_OK;
}

void collisions_free(collisions *c)
{
    for (int i = 0; i < c->count; i++) emi_free(c->files[i].path);
    emi_free(c->files);
    *c = (collisions){0};
}

/* ---- what the arguments name --------------------------------------------------------------------------- */

/* The n-th argument, operands first: what it says about files, what it is called, and what was typed, or NULL. */
static file_use argument(const arguments *args, int n, char role[ROLE], const char **text)
{
    const command_spec *command = args->command;
    int option = n - args->operand_count, operand = command->operand_limit == ANY_NUMBER ? 0 : n;
    *text = option < 0 ? args->operands[n] : args->values[option];
    (void)snprintf(role, ROLE, "%s%s", option < 0 ? "" : "--",
                   option < 0 ? command->operands[operand].name : args->specs[option].name);
    return option < 0 ? command->operands[operand].file : args->specs[option].file;
}

static em_status write_argument(collisions *c, file_use use, const char *role, const char *text, em_error *err)
{
    char room[PATH_MAX];
    if (use == WRITES_IN_PARTS && strcmp(text, "-") == 0)
        return emi_fail(err, EM_EINVAL, "%s: is read again, which standard output cannot be; try a file's name", role);
    return add(c, role, use == WRITES_TABLE ? table_to_write(text, room) : text,
               use == WRITES_IN_PARTS && cluster_size() > 1, err);
}

/* A file a node: all that are here and, where other processes may have them, all that there should be. */
static em_status read_pattern(const collisions *c, const arguments *args, const char *pattern, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX];
    int nodes = cluster_size() > 1 ? cluster_size() : INT_MAX;
    TRY(args_int(args, "nodes", 1, &nodes, err));
    for (int node = 0; node < nodes; node++) {
        TRY(pattern_name(path, pattern, node, err));
        if (cluster_size() == 1 && access(path, F_OK) != 0) break;
        TRY(collisions_read(c, "INPUT", path, err));
    }
done:
    return status;
}

em_status collisions_read_named(const collisions *c, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    char role[ROLE], room[PATH_MAX];
    const char *text;
    for (int n = 0; c->count > 0 && n < args->operand_count + args->count; n++) {
        file_use use = argument(args, n, role, &text);
        if (use == READS_SPEC && text) text = input_file_of(text);
        if (use == NO_FILE || use >= WRITES_TABLE || !text) continue;
        if (use == READS_TABLES && args->operand_count == 1 && pattern_is(text))
            TRY(read_pattern(c, args, text, err));
        else
            TRY(collisions_read(c, role, use == READS ? text : table_to_read(text, room), err));
    }
done:
    return status;
}

em_status collisions_check(arguments *args, em_error *err)
{
    em_status status = EM_OK;
    char role[ROLE];
    const char *text;
    collisions c = {0};
    for (file_use use = WRITES_TABLE; use <= WRITES_IN_PARTS; use++) /* so that the result keeps its name */
        for (int n = 0; n < args->operand_count + args->count; n++)
            if (argument(args, n, role, &text) == use && text) TRY(write_argument(&c, use, role, text, err));
    for (int i = 0; i < c.count; i++) args->stdout_is_taken |= strcmp(c.files[i].path, "-") == 0;
    if (args->stdout_is_taken && args->command->prints_table && args_given(args, "json"))
        TRY(emi_fail(err, EM_EINVAL, "--json: standard output is that of '-' already; try a file's name for that"));
    TRY(collisions_read_named(&c, args, err));
done:
    collisions_free(&c);
    return status;
}
