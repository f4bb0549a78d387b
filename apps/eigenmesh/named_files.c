#include "named_files.h"
#include "cluster.h"
#include "command.h"
#include "input.h"
#include "message.h"
#include "pattern.h"

#include <string.h>
#include <unistd.h>

static const struct {
    const char *option;
    enum { WRITTEN, WRITTEN_IN_PARTS, READ_BY_SPEC } use;
    const char *role;
} uses[] = {{"output", WRITTEN, "--output"},
            {"trace", WRITTEN, "--trace"},
            {"plot", WRITTEN, "--plot"},
            {"edges", WRITTEN, "--edges"},
            {"checkpoint", WRITTEN_IN_PARTS, "--checkpoint"},
            {"topology", READ_BY_SPEC, "--topology"},
            {"weights", READ_BY_SPEC, "--weights"},
            {"init", READ_BY_SPEC, "--init"},
            {"truth", READ_BY_SPEC, "--truth"}};

enum { USES = sizeof uses / sizeof *uses };

/* The option of this name, and what was typed for it; NULL where the command has none, or it was not given. */
static const option_spec *given(const arguments *args, const char *name, const char **value)
{
    for (int i = 0; i < args->count; i++)
        if (strcmp(args->specs[i].name, name) == 0 && args->values[i]) {
            *value = args->values[i];
            return &args->specs[i];
        }
    return NULL;
}

/* What the command calls its operand; the last name is that of all that follow. */
static const char *operand_name(const arguments *args, int operand)
{
    const char *const *names = args->command->operands;
    return args->command->operand_limit == ANY_NUMBER ? names[0] : names[operand];
}

/* ---- from what was typed to a path -------------------------------------------------------------- */

/* The text after so many colons, or NULL. */
static const char *after_colons(const char *text, int colons)
{
    while (text && colons-- > 0) {
        text = strchr(text, ':');
        if (text) text++;
    }
    return text;
}

/* A table to write: raw:TYPE:FILE, FILE.h5:/inner, or FILE.  The path is the text itself, or `room`. */
static const char *table_to_write(const char *text, char room[PATH_MAX])
{
    const char *inner = strstr(text, ".h5:/");
    if (strncmp(text, "raw:", 4) == 0) return after_colons(text, 2) ? after_colons(text, 2) : text;
    if (!inner || inner - text + 4 > PATH_MAX) return text;
    (void)snprintf(room, PATH_MAX, "%.*s", (int)(inner - text) + 3, text);
    return room;
}

/* A table to read: raw:TYPE:COLUMNS:FILE, FILE:inner, or FILE, which may have a colon in its name. */
static const char *table_to_read(const char *text, char room[PATH_MAX])
{
    if (strncmp(text, "raw:", 4) == 0) return after_colons(text, 3) ? after_colons(text, 3) : text;
    if (strlen(text) >= PATH_MAX || access(text, F_OK) == 0) return text;
    (void)snprintf(room, PATH_MAX, "%s", text);
    for (char *colon; (colon = strrchr(room, ':'));) {
        *colon = 0;
        if (access(room, F_OK) == 0) return room;
    }
    return text;
}

/* ---- written ---------------------------------------------------------------------------------------- */

/* Is the option's value the name of a table, and not of a model? */
static int is_table(const option_spec *spec)
{
    return strcmp(spec->name, "output") == 0 && strstr(spec->metavar, ".npy");
}

static em_status write_option(collisions *c, int use, const option_spec *spec, const char *value, char *room,
                              em_error *err)
{
    if (uses[use].use == WRITTEN)
        return collisions_write(c, uses[use].role, is_table(spec) ? table_to_write(value, room) : value, err);
    if (strcmp(value, "-") == 0)
        return refuse(err, EM_EINVAL, "%s: is read again, which standard output cannot be; try a file's name",
                      uses[use].role);
    return cluster_size() > 1 ? collisions_write_in_parts(c, uses[use].role, value, err)
                              : collisions_write(c, uses[use].role, value, err);
}

/* Each of `rooms` holds a path that the list borrows. */
static em_status list_written(collisions *c, const arguments *args, char rooms[2][PATH_MAX], em_error *err)
{
    em_status status = EM_OK;
    const char *value = NULL;
    for (int i = 0; i < USES; i++) {
        const option_spec *spec = uses[i].use == READ_BY_SPEC ? NULL : given(args, uses[i].option, &value);
        if (spec) TRY(write_option(c, i, spec, value, rooms[0], err));
    }
    for (int i = 0; i < args->operand_count; i++)
        if (strcmp(operand_name(args, i), "OUTPUT") == 0)
            TRY(collisions_write(c, "OUTPUT", table_to_write(args->operands[i], rooms[1]), err));
done:
    return status;
}

/* ---- read ------------------------------------------------------------------------------------------- */

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

static em_status read_operand(const collisions *c, const arguments *args, int operand, em_error *err)
{
    char room[PATH_MAX];
    const char *text = args->operands[operand], *name = operand_name(args, operand);
    if (strcmp(name, "MODEL.npz") == 0) return collisions_read(c, name, text, err);
    if (strcmp(name, "SPEC") == 0)
        return input_file_of(text) ? collisions_read(c, name, input_file_of(text), err) : EM_OK;
    if (strcmp(name, "INPUT") != 0) return EM_OK;
    if (args->command->operand_limit == ANY_NUMBER && args->operand_count == 1 && pattern_is(text))
        return read_pattern(c, args, text, err);
    return collisions_read(c, name, table_to_read(text, room), err);
}

em_status named_files_read(const collisions *c, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    const char *value = NULL;
    char room[PATH_MAX];
    if (c->count == 0) return EM_OK;
    for (int i = 0; i < args->operand_count; i++) TRY(read_operand(c, args, i, err));
    for (int i = 0; i < USES; i++)
        if (uses[i].use == READ_BY_SPEC && given(args, uses[i].option, &value) && input_file_of(value))
            TRY(collisions_read(c, uses[i].role, table_to_read(input_file_of(value), room), err));
done:
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

em_status named_files_check(arguments *args, em_error *err)
{
    em_status status = EM_OK;
    const char *value = NULL;
    char rooms[2][PATH_MAX];
    collisions c = {0};
    TRY(list_written(&c, args, rooms, err));
    args->stdout_is_taken = collisions_take_stdout(&c);
    if (args->stdout_is_taken && given(args, "json", &value))
        TRY(refuse(err, EM_EINVAL, "--json: standard output is that of '-' already; try a file's name for that"));
    TRY(named_files_read(&c, args, err));
done:
    collisions_free(&c);
    return status;
}
