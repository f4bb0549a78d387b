#include "input.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Which of the words the option has as its value. */
static em_status choose(const arguments *args, const char *option, const char *const words[3], const char *wrong,
                        int *choice, em_error *err)
{
    const char *text = args_value(args, option);
    for (*choice = 0; *choice < 3; ++*choice)
        if (strcmp(text, words[*choice]) == 0) break;
    return *choice < 3 ? EM_OK : emi_fail(err, EM_EINVAL, "--%s: '%s' %s", option, text, wrong);
}

/* The library speaks of columns and a delimiter; here they are options. */
static em_status as_typed(em_status status, em_error *err)
{
    static const char *const names[][2] = {
        {"columns ", "--columns "}, {"column ", "--label "}, {"delimiter: ", "--delimiter: "}};
    em_error library = *err;
    for (int n = 0; status != EM_OK && n < 3; n++) {
        const char *rest = emi_text_after(library.msg, names[n][0]);
        if (rest) (void)emi_fail(err, status, "%s%s", names[n][1], rest);
    }
    return status;
}

em_status input_open(em_data **out, const char *path, const arguments *args, em_read_options options, em_error *err)
{
    static const char *const headers[] = {[EM_HEADER_AUTO] = "auto", [EM_HEADER_YES] = "yes", [EM_HEADER_NO] = "no"};
    static const char *const ways[] = {
        [EM_MISSING_ERROR] = "error", [EM_MISSING_DROP] = "drop", [EM_MISSING_MEAN] = "mean"};
    em_status status = EM_OK;
    int header, missing;
    TRY(choose(args, "header", headers, "is not yes, no or auto; try --header yes", &header, err));
    TRY(choose(args, "missing", ways, "is not error, drop or mean; try --missing drop", &missing, err));
    options.header = (em_header)header;
    options.missing = (em_missing)missing;
    options.columns = args_text(args, "columns");
    options.delimiter = args_text(args, "delimiter");
    TRY(as_typed(em_data_open(out, path, &options, err), err));
done:
    return status;
}

em_status input_matrix(double **out, const char *path, size_t rows, size_t columns, const char *shape, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    double *values = NULL;
    TRY(em_data_open(&data, path, NULL, err));
    if (em_data_rows(data) != rows || em_data_columns(data) != columns)
        TRY(emi_fail(err, EM_EINVAL, "%s: is %zu x %zu, not %zu x %zu (%s); try a matrix of that shape", path,
                     em_data_rows(data), em_data_columns(data), rows, columns, shape));
    values = emi_doubles(rows * columns); /* as many as the open file holds */
    if (!values) TRY(emi_fail_memory(err, path));
    TRY(em_data_read(data, 0, rows, values, err));
    *out = values;
    values = NULL;
done:
    emi_free(values);
    em_data_free(&data);
    return status;
}

/* ---- from what was typed to a path -------------------------------------------------------------------- */

const char *input_file_of(const char *text)
{
    return emi_text_after(text, "file:");
}

/* What follows so many fields with colons behind them, of a text that begins with "raw:"; the text itself otherwise. */
static const char *after_raw(const char *text, int fields)
{
    const char *path = text;
    if (!emi_text_after(text, "raw:")) return text;
    while (path && fields-- > 0) {
        path = strchr(path, ':');
        if (path) path++;
    }
    return path ? path : text;
}

/* The path itself may have a colon in its name. */
const char *table_to_read(const char *text, char room[PATH_MAX])
{
    const char *path = after_raw(text, 3);
    if (strlen(path) >= PATH_MAX || access(path, F_OK) == 0) return path;
    (void)snprintf(room, PATH_MAX, "%s", path);
    for (char *colon; (colon = strrchr(room, ':'));) {
        *colon = 0;
        if (access(room, F_OK) == 0) return room;
    }
    return path;
}

const char *table_to_write(const char *text, char room[PATH_MAX])
{
    const char *path = after_raw(text, 2), *inner = strstr(text, ".h5:/");
    if (path != text || !inner || inner - text + 4 > PATH_MAX) return path;
    (void)snprintf(room, PATH_MAX, "%.*s", (int)(inner - text) + 3, text);
    return room;
}

/* ---- streams ------------------------------------------------------------------------------------------- */

/* By any of its names, and with ":name" after it. */
static int is_standard_input(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const char *rest = emi_text_after(path, names[n]);
        if (rest && (!*rest || *rest == ':')) return 1;
    }
    return 0;
}

static int is_stream(const char *path)
{
    struct stat about;
    return is_standard_input(path) || (stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

em_status input_check_streams(char *const *operands, int count, int processes, em_error *err)
{
    for (int i = 0; i < count; i++) {
        const char *path = after_raw(operands[i], 3);
        if (!is_stream(path)) continue;
        const char *name = is_standard_input(path) ? "standard input" : path;
        if (processes > 1)
            return emi_fail(err, EM_EINVAL, "%s: can be read by one process, and %d were started; try a file", name,
                            processes);
        for (int other = 0; other < i; other++) {
            const char *before = after_raw(operands[other], 3);
            if (strcmp(before, path) == 0 || (is_standard_input(before) && is_standard_input(path)))
                return emi_fail(err, EM_EINVAL, "%s: given twice, and can be read once; try a file for one of them",
                                name);
        }
    }
    return EM_OK;
}

/* ---- a file a node --------------------------------------------------------------------------------------- */

int pattern_is(const char *path)
{
    const char *at = strchr(path, '%');
    if (!at) return 0;
    at += 1 + strspn(at + 1, "0123456789");
    return *at == 'd' && !strchr(at + 1, '%');
}

em_status pattern_name(char path[PATH_MAX], const char *pattern, int node, em_error *err)
{
    const char *at = strchr(pattern, '%'), *end = strchr(at, 'd') + 1;
    int digits = (int)strtol(at + 1, NULL, 10), length = (int)(at - pattern);
    if (snprintf(path, PATH_MAX, "%.*s%0*d%s", length, pattern, digits, node, end) >= PATH_MAX)
        return emi_fail(err, EM_EINVAL, "%s: the name is too long; try a shorter one", pattern);
    return EM_OK;
}

em_status pattern_count(const char *pattern, int *count, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX], room[PATH_MAX];
    for (*count = 0;; ++*count) {
        TRY(pattern_name(path, pattern, *count, err));
        if (access(table_to_read(path, room), F_OK) != 0) break;
    }
    if (*count == 0) TRY(emi_fail(err, EM_EIO, "%s: is missing, the first of a file a node; try another name", path));
done:
    return status;
}
