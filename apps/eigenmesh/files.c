#include "files.h"
#include "cluster.h"
#include "eigenvec.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/place.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- from what was typed to a path -------------------------------------------------------------------- */

static int is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 || emi_place_stream(path) == STDIN_FILENO;
}

/* The file of a table to read, without what "raw:TYPE:COLUMNS:" and ":name" add to it: part of the text, or in `room`.
 * The path itself may have a colon in its name. */
static const char *table_to_read(const char *text, char room[PATH_MAX])
{
    int start = 0;
    (void)sscanf(text, "raw:%*[^:]:%*[^:]:%n", &start);
    text += start;
    for (size_t length = strlen(text); length > 0; length--) {
        if (text[length] && text[length] != ':') continue;
        (void)snprintf(room, PATH_MAX, "%.*s", (int)length, text);
        if (is_standard_input(room)) return "-";
        if (access(room, F_OK) == 0) return room;
    }
    return text;
}

/* Of one to write, without "raw:TYPE:" and what follows ".h5". */
static const char *table_to_write(const char *text, char room[PATH_MAX])
{
    int start = 0;
    const char *inner = strstr(text, ".h5:/");
    (void)sscanf(text, "raw:%*[^:]:%n", &start);
    if (start || !inner) return text + start;
    (void)snprintf(room, PATH_MAX, "%.*s", (int)(inner - text) + 3, text);
    return room;
}

/* ---- a file a node --------------------------------------------------------------------------------------- */

/* "shard-%03d.npy": one conversion of a whole number, and nothing else that printf would look at. */
static int is_pattern(const char *path)
{
    const char *at = strchr(path, '%');
    if (!at) return 0;
    at += 1 + strspn(at + 1, "0123456789");
    return *at == 'd' && !strchr(at + 1, '%');
}

int inputs_are_nodes(const arguments *args)
{
    return args->operand_count > 1 || is_pattern(args->operands[0]);
}

const char *input_path(const arguments *args, int node, char room[PATH_MAX])
{
    if (args->operand_count > 1) return args->operands[node];
    const char *pattern = args->operands[0], *at = strchr(pattern, '%');
    char *end;
    int digits = (int)strtol(at + 1, &end, 10);
    (void)snprintf(room, PATH_MAX, "%.*s%0*d%s", (int)(at - pattern), pattern, digits, node, end + 1);
    return room;
}

/* Of a pattern: as --nodes says, else a file a process, else as many as there are in a row.  Other processes may have theirs
 * where this one cannot see them. */
em_status inputs_count(const arguments *args, int *count, em_error *err)
{
    em_status status = EM_OK;
    char room[PATH_MAX], inner[PATH_MAX];
    int given = args->operand_count, looks = given == 1 && cluster_size() == 1;
    *count = given > 1 ? given : looks ? INT_MAX : cluster_size();
    TRY(args_int(args, "nodes", 1, count, err));
    if (given > 1 && *count != given)
        TRY(emi_fail(err, EM_EINVAL, "--nodes: %d, but %d INPUTs are one node each; try without --nodes", *count,
                     given));
    for (int node = 0; looks && node < *count; node++) {
        const char *path = input_path(args, node, room);
        if (access(table_to_read(path, inner), F_OK) == 0) continue;
        if (node == 0 || args_given(args, "nodes"))
            TRY(emi_fail(err, EM_EIO, "%s: is missing, the INPUT of a node; try another name", path));
        *count = node;
    }
done:
    return status;
}

/* ---- what a file is known by ------------------------------------------------------------------------------- */

enum { ROLE = 32, KEY = NAME_MAX + 64 };

typedef struct named_file {
    char role[ROLE]; /* "--output" or "INPUT" */
    char path[PATH_MAX];
    int written;
    int in_parts;    /* others lie beside it: FILE.FIRST-LAST, and the same with .next */
    int is_stream;   /* written: "-", or /dev/stdout and the like; read: what can be read once */
    char file[KEY];  /* the same for all names of a file; "" where another of the same is no matter */
    char place[KEY]; /* its directory and its name there; "" of a stream */
} named_file;

static void make_key(char key[KEY], const char *kind, const struct stat *about, const char *name)
{
    (void)snprintf(key, KEY, "%s%llu:%llu/%s", kind, (unsigned long long)about->st_dev,
                   (unsigned long long)about->st_ino, name);
}

/* A terminal or /dev/null may have many names, but "-" is one for all that is read, and one for all that is written. */
static void identify(named_file *f, const char *path)
{
    struct stat about, home;
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int dash = strcmp(path, "-") == 0, stream = f->written ? STDOUT_FILENO : STDIN_FILENO;
    int exists = (dash ? fstat(stream, &about) : stat(path, &about)) == 0;
    f->is_stream = f->written ? emi_place_stream(path) >= 0 : dash || (exists && S_ISFIFO(about.st_mode));
    emi_place_directory(path, directory);
    if (*path && emi_place_stream(path) < 0 && stat(directory, &home) == 0)
        make_key(f->place, "", &home, slash ? slash + 1 : path);
    if (!exists)
        memcpy(f->file, f->place, KEY);
    else if (S_ISREG(about.st_mode))
        make_key(f->file, "", &about, "");
    else if (dash || (f->is_stream && !S_ISCHR(about.st_mode)))
        make_key(f->file, f->written ? "to " : "from ", &about, "");
}

/* "run.ck.0-3" and "run.ck.0-3.next" of "run.ck" */
static int is_part(const named_file *whole, const named_file *part)
{
    int end = 0;
    const char *rest = whole->in_parts ? emi_text_after(part->place, whole->place) : NULL;
    if (rest) (void)sscanf(rest, ".%*[0-9]-%*[0-9]%n", &end);
    return end > 0 && (!rest[end] || strcmp(rest + end, ".next") == 0);
}

/* ---- two names of one file ---------------------------------------------------------------------------------- */

static const char *name_of(const named_file *file)
{
    return strcmp(file->path, "-") == 0 ? "standard input" : file->path;
}

static em_status compare(const named_file *before, const named_file *file, em_error *err)
{
    int same = *file->file && strcmp(before->file, file->file) == 0;
    const named_file *written = file->written ? file : before, *other = file->written ? before : file;
    int streams = file->is_stream && before->is_stream;
    if (!same && !is_part(before, file) && !is_part(file, before)) return EM_OK;
    if (!written->written && !streams) return EM_OK;
    if (!written->written)
        return emi_fail(err, EM_EINVAL, "%s: given twice, and can be read once; try a file for one of them",
                        name_of(file));
    if (other->written && streams)
        return emi_fail(err, EM_EINVAL, "%s: standard output is that of %s already; try a file's name", written->role,
                        other->role);
    if (strcmp(written->path, other->path) == 0)
        return emi_fail(err, EM_EINVAL, "%s: '%s' is the file of %s too; try another name", written->role,
                        written->path, other->role);
    return emi_fail(err, EM_EINVAL, "%s: '%s' is the file of %s '%s' too; try another name", written->role,
                    written->path, other->role, other->path);
}

/* What is read matters to those after it only where it can be read once. */
static em_status add(collisions *c, named_file as, const char *role, const char *path, em_error *err)
{
    em_status status = EM_OK;
    named_file *files = emi_realloc(c->files, (size_t)(c->count + 1) * sizeof *files), *file;
    if (!files) return emi_fail_memory(err, "files");
    c->files = files;
    file = &files[c->count];
    *file = as;
    (void)snprintf(file->role, sizeof file->role, "%s", role);
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    /* A link may lead to where nothing is yet; but parts lie beside the name that was typed. */
    char *target = file->written && !file->in_parts ? emi_place_follow(path) : NULL;
    identify(file, target ? target : path);
    emi_free(target);
    for (int i = 0; i < c->count; i++) TRY(compare(&files[i], file, err));
    c->count += file->written || file->is_stream;
done:
    return status;
}

em_status collisions_write(collisions *c, const char *role, const char *path, em_error *err)
{
    return add(c, (named_file){.written = 1}, role, path, err);
}

/* x.bim and x.fam of x.bed are read with it. */
static em_status add_beside(collisions *c, const char *role, const char *path, em_error *err)
{
    static const char *const endings[] = {".bim", ".fam"};
    char room[PATH_MAX];
    em_status status = EM_OK;
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
    if (length < 4 || length >= PATH_MAX || memcmp(path + length - 4, ".bed", 4) != 0) return EM_OK;
    for (int n = 0; n < 2 && status == EM_OK; n++) {
        (void)snprintf(room, sizeof room, "%.*s%s", (int)(length - 4), path, endings[n]);
        status = add(c, (named_file){0}, role, room, err);
    }
    return status;
}

em_status collisions_read(collisions *c, const char *role, const char *path, em_error *err)
{
    char room[PATH_MAX];
    const char *file = table_to_read(path, room);
    em_status status = add(c, (named_file){0}, role, file, err);
    return status == EM_OK ? add_beside(c, role, file, err) : status;
}

void collisions_free(collisions *c)
{
    emi_free(c->files);
    *c = (collisions){0};
}

/* ---- what the arguments name --------------------------------------------------------------------------- */

static em_status add_argument(collisions *c, const arguments *args, file_use use, const char *role, const char *text,
                              em_error *err)
{
    em_status status = EM_OK;
    char room[PATH_MAX], beside[PATH_MAX]; /* a file that is written with it */
    int nodes = 0, in_parts = use == WRITES_IN_PARTS;
    if (in_parts && strcmp(text, "-") == 0)
        return emi_fail(err, EM_EINVAL, "%s: is read again, which standard output cannot be; try a file's name", role);
    if (use == WRITES_TABLE) text = table_to_write(text, room);
    if (use < READS) {
        TRY(add(c, (named_file){.written = 1, .in_parts = in_parts && cluster_size() > 1}, role, text, err));
        if (!is_eigenvec(text)) return EM_OK;
        eigenval_path(text, beside);
        return collisions_write(c, role, beside, err);
    }
    if (use == READS_TABLES && args->operand_count == 1 && is_pattern(text)) {
        TRY(inputs_count(args, &nodes, err));
        for (int node = 0; node < nodes; node++) TRY(collisions_read(c, role, input_path(args, node, room), err));
        return EM_OK;
    }
    if (use == READS_SPEC) text = emi_text_after(text, "file:");
    if (!text) return EM_OK;
    int count = c->count;
    TRY(collisions_read(c, role, text, err));
    if (c->count > count && cluster_size() > 1)
        TRY(emi_fail(err, EM_EINVAL, "%s: can be read by one process, and %d were started; try a file",
                     name_of(&c->files[count]), cluster_size()));
done:
    return status;
}

/* All arguments of one use, the operands first. */
static em_status add_arguments(collisions *c, const arguments *args, file_use use, em_error *err)
{
    em_status status = EM_OK;
    const command_spec *command = args->command;
    for (int n = 0; n < args->operand_count; n++) {
        int operand = command->operand_limit == ANY_NUMBER ? 0 : n;
        if (command->operands[operand].file == use)
            TRY(add_argument(c, args, use, command->operands[operand].name, args->operands[n], err));
    }
    for (int n = 0; n < args->count; n++) {
        char role[ROLE];
        if (args->specs[n].file != use || !args->values[n]) continue;
        (void)snprintf(role, sizeof role, "--%s", args->specs[n].name);
        TRY(add_argument(c, args, use, role, args->values[n], err));
    }
done:
    return status;
}

em_status collisions_read_named(collisions *c, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    for (file_use use = READS; use <= READS_SPEC; use++) TRY(add_arguments(c, args, use, err));
done:
    return status;
}

em_status collisions_check(arguments *args, em_error *err)
{
    em_status status = EM_OK;
    collisions c = {0};
    for (file_use use = WRITES_TABLE; use < READS; use++) TRY(add_arguments(&c, args, use, err));
    for (int i = 0; i < c.count; i++) args->stdout_is_taken |= strcmp(c.files[i].path, "-") == 0;
    if (args->stdout_is_taken && args->command->prints_table && args_given(args, "json"))
        TRY(emi_fail(err, EM_EINVAL, "--json: standard output is that of '-' already; try a file's name for that"));
    TRY(collisions_read_named(&c, args, err));
done:
    collisions_free(&c);
    return status;
}
