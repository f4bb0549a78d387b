#include "outputs.h"
#include "lab/gnuplot.h"
#include "message.h"

#include <string.h>
#include <unistd.h>

static em_status open_one(output_file *file, em_error *err)
{
    if (!file->path) return EM_OK;
    if (!*file->path) return refuse(err, EM_EINVAL, "--%s: the name is empty; try a file's name", file->option);
    if (file->binary && strcmp(file->path, "-") == 0 && isatty(STDOUT_FILENO))
        return refuse(err, EM_EINVAL, "--%s: is binary, and standard output is a terminal; try a file, or a pipe",
                      file->option);
    if (strcmp(file->option, "plot") == 0) {
        em_status status = gnuplot_require_for("--plot", file->path, err);
        if (status != EM_OK) return status;
    }
    return emi_output_open(&file->handle, file->path, err);
}

em_status outputs_open(output_file *files, int count, const arguments *args, em_error *err)
{
    for (int i = 0; i < count; i++) {
        files[i].path = args_text(args, files[i].option);
        em_status status = open_one(&files[i], err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

/* What was written so far has arrived. */
static int arrived(emi_output *output)
{
    FILE *stream = emi_output_stream(output);
    return fflush(stream) == 0 && !ferror(stream);
}

em_status outputs_commit(output_file *files, int count, em_error *err)
{
    /* A full disk shows here, before the first file is in place. */
    for (int i = 0; i < count; i++)
        if (files[i].handle && !arrived(files[i].handle)) return emi_output_commit(&files[i].handle, err);
    for (int i = 0; i < count; i++) {
        em_status status = files[i].handle ? emi_output_commit(&files[i].handle, err) : EM_OK;
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

void outputs_discard(output_file *files, int count)
{
    for (int i = 0; i < count; i++) emi_output_discard(&files[i].handle);
}
