#include "input.h"
#include "message.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static em_status header_of(const char *text, em_read_options *options, em_error *err)
{
    if (!text || strcmp(text, "auto") == 0)
        options->header = EM_HEADER_AUTO;
    else if (strcmp(text, "yes") == 0)
        options->header = EM_HEADER_YES;
    else if (strcmp(text, "no") == 0)
        options->header = EM_HEADER_NO;
    else
        return refuse(err, EM_EINVAL, "--header: '%s' is not yes, no or auto; try --header yes", text);
    return EM_OK;
}

static em_status missing_of(const char *text, em_read_options *options, em_error *err)
{
    static const char *const ways[] = {
        [EM_MISSING_ERROR] = "error", [EM_MISSING_DROP] = "drop", [EM_MISSING_MEAN] = "mean"};
    if (!text) return EM_OK;
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++)
        if (strcmp(text, ways[way]) == 0) {
            options->missing = (em_missing)way;
            return EM_OK;
        }
    return refuse(err, EM_EINVAL, "--missing: '%s' is not error, drop or mean; try --missing drop", text);
}

/* The library speaks of columns and a delimiter; here they are options. */
static em_status as_typed(em_status status, em_error *err)
{
    static const char *const names[] = {"columns ", "column ", "delimiter: "};
    static const char *const typed[] = {"--columns ", "--label ", "--delimiter: "};
    em_error library = *err;
    for (int n = 0; status != EM_OK && n < 3; n++)
        if (strncmp(library.msg, names[n], strlen(names[n])) == 0)
            (void)refuse(err, status, "%s%s", typed[n], library.msg + strlen(names[n]));
    return status;
}

em_status input_open(em_data **out, const char *path, const arguments *args, const features *like, const char *label,
                     em_error *err)
{
    em_read_options options = {.size = sizeof options,
                               .columns = args_text(args, "columns"),
                               .delimiter = args_text(args, "delimiter"),
                               .label = label};
    em_status status = header_of(args_text(args, "header"), &options, err);
    if (status == EM_OK) status = missing_of(args_text(args, "missing"), &options, err);
    if (like) features_ask(like, &options);
    return status == EM_OK ? as_typed(em_data_open(out, path, &options, err), err) : status;
}

em_status input_matrix(double **out, const char *path, size_t rows, size_t columns, const char *shape, em_error *err)
{
    em_status status = EM_OK;
    em_data *data = NULL;
    double *values = NULL;
    TRY(em_data_open(&data, path, NULL, err));
    if (em_data_rows(data) != rows || em_data_columns(data) != columns)
        TRY(refuse(err, EM_EINVAL, "%s: is %zu x %zu, not %zu x %zu (%s); try a matrix of that shape", path,
                   em_data_rows(data), em_data_columns(data), rows, columns, shape));
    values = calloc(rows * columns, sizeof *values); /* as many as the open file holds */
    if (!values) TRY(refuse_memory(err, path));
    TRY(em_data_read(data, 0, rows, values, err));
    *out = values;
    values = NULL;
done:
    free(values);
    em_data_free(&data);
    return status;
}

const char *input_file_of(const char *text)
{
    static const char prefix[] = "file:";
    return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : NULL;
}

/* ---- streams ---------------------------------------------------------------------------------------------------- */

/* Of "raw:TYPE:COLUMNS:FILE", the file. */
static const char *path_of(const char *text)
{
    const char *path = text;
    if (strncmp(text, "raw:", 4) != 0) return text;
    for (int colons = 0; path && colons < 3; colons++) {
        path = strchr(path, ':');
        if (path) path++;
    }
    return path ? path : text;
}

/* By any of its names, and with ":name" after it. */
static int is_standard_input(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        size_t length = strlen(names[n]);
        if (strncmp(path, names[n], length) == 0 && (!path[length] || path[length] == ':')) return 1;
    }
    return 0;
}

static int is_stream(const char *path)
{
    struct stat about;
    return is_standard_input(path) || (stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

int input_is_there(const char *text)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s", path_of(text));
    if (length >= PATH_MAX) return 0;
    while (access(path, F_OK) != 0) {
        char *colon = strrchr(path, ':');
        if (!colon) return 0;
        *colon = 0;
    }
    return 1;
}

em_status input_check_streams(char *const *operands, int count, int processes, em_error *err)
{
    for (int i = 0; i < count; i++) {
        const char *path = path_of(operands[i]);
        if (!is_stream(path)) continue;
        const char *name = is_standard_input(path) ? "standard input" : path;
        if (processes > 1)
            return refuse(err, EM_EINVAL, "%s: can be read by one process, and %d were started; try a file", name,
                          processes);
        for (int other = 0; other < i; other++) {
            const char *before = path_of(operands[other]);
            if (strcmp(before, path) == 0 || (is_standard_input(before) && is_standard_input(path)))
                return refuse(err, EM_EINVAL, "%s: given twice, and can be read once; try a file for one of them",
                              name);
        }
    }
    return EM_OK;
}
