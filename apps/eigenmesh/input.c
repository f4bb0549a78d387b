#include "input.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

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

em_status input_open(em_data **out, const char *path, const arguments *args, em_error *err)
{
    em_read_options options = {.columns = args_text(args, "columns")};
    em_status status = header_of(args_text(args, "header"), &options, err);
    return status == EM_OK ? em_data_open(out, path, &options, err) : status;
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
