#include "outputs.h"
#include "lab/gnuplot.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static em_status open_one(output_file *file, em_error *err)
{
    if (!file->path) return EM_OK;
    if (!*file->path) return emi_fail(err, EM_EINVAL, "--%s: the name is empty; try a file's name", file->option);
    if (file->binary && strcmp(file->path, "-") == 0 && isatty(STDOUT_FILENO))
        return emi_fail(err, EM_EINVAL, "--%s: is binary, and standard output is a terminal; try a file, or a pipe",
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

/* ---- directories ------------------------------------------------------------------------------------ */

em_status directory_open(directory *dir, const char *path, em_error *err)
{
    struct stat found;
    dir->path = path;
    if (strcmp(path, "-") == 0)
        return emi_fail(err, EM_EINVAL, "--output: is a directory here, not standard output; try a directory's name");
    if (!*path) return emi_fail(err, EM_EINVAL, "--output: the name is empty; try a directory's name");
    dir->made = mkdir(path, 0777) == 0;
    if (dir->made) return EM_OK;
    if (errno != EEXIST)
        return emi_fail(err, EM_EIO, "%s: cannot be made (%s); try another directory", path, strerror(errno));
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        return emi_fail(err, EM_EIO, "%s: is no directory; try another name", path);
    return EM_OK;
}

em_status directory_file(const directory *dir, const char *name, char **path, em_error *err)
{
    size_t room = strlen(dir->path) + strlen(name) + 2;
    *path = emi_malloc(room);
    if (!*path) return emi_fail_memory(err, dir->path);
    (void)snprintf(*path, room, "%s/%s", dir->path, name);
    return EM_OK;
}

void directory_close(const directory *dir)
{
    if (dir->made) (void)rmdir(dir->path); /* which fails, rightly, where there are files */
}
