#include "outputs.h"
#include "message.h"

#include "base/memory.h"
#include "lab/gnuplot.h"
#include "lab/tables/writer.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

em_status outputs_open(output_file *files, int count, const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    for (output_file *f = files; f < files + count; f++) {
        f->path = args_text(args, f->option);
        if (!f->path) continue;
        if (!*f->path) TRY(emi_fail(err, EM_EINVAL, "--%s: the name is empty; try a file's name", f->option));
        if (f->binary && strcmp(f->path, "-") == 0 && isatty(STDOUT_FILENO))
            TRY(emi_fail(err, EM_EINVAL, "--%s: is binary, and standard output is a terminal; try a file, or a pipe",
                         f->option));
        if (strcmp(f->option, "plot") == 0) TRY(gnuplot_require_for("--plot", f->path, err));
        TRY(emi_output_open(&f->handle, f->path, err));
    }
done:
    return status;
}

em_status outputs_commit(output_file *files, int count, em_error *err)
{
    em_status status = EM_OK;
    /* A full disk shows here, before the first file is in place. */
    for (int i = 0; i < count; i++) {
        FILE *stream = files[i].handle ? emi_output_stream(files[i].handle) : NULL;
        if (stream && (fflush(stream) != 0 || ferror(stream))) return emi_output_commit(&files[i].handle, err);
    }
    for (int i = 0; i < count && status == EM_OK; i++)
        if (files[i].handle) status = emi_output_commit(&files[i].handle, err);
    return status;
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

/* ---- rows ------------------------------------------------------------------------------------------- */

/* Fill in what is missing, and refuse what may not be. */
static em_status settle(const em_data *data, const stream_target *target, size_t first, size_t rows, double *in,
                        em_error *err)
{
    size_t columns = em_data_columns(data);
    int finite = target->values == STREAM_FINITE;
    for (size_t n = 0; n < rows * columns; n++) {
        if (isfinite(in[n])) continue;
        if (isnan(in[n]) && target->fill) in[n] = target->fill[n % columns];
        if (target->values == STREAM_ANY || (isinf(in[n]) ? !finite : !isnan(in[n]))) continue;
        return emi_fail(err, EM_EDATA, "%s: row %zu, column %zu (from 0) is %s", em_data_name(data),
                        first + n / columns, n % columns,
                        isinf(in[n]) ? "infinite; try dropping or mending it"
                        : finite     ? "not a number (NaN); try filling it, or --missing drop or mean"
                                     : "not a number (NaN); try --missing drop");
    }
    return EM_OK;
}

em_status stream_rows(const em_data *data, const stream_target *target, em_error *err)
{
    enum { BLOCK_NUMBERS = 1 << 18 };
    em_status status = EM_OK;
    lab_writer *writer = NULL;
    size_t rows = em_data_rows(data), columns = em_data_columns(data);
    size_t widest = columns > target->columns ? columns : target->columns;
    size_t block = widest < BLOCK_NUMBERS ? BLOCK_NUMBERS / (widest + !widest) : 1;
    double *in = emi_doubles(block * columns), *out = emi_doubles(block * target->columns);
    if (!in || !out) TRY(emi_fail_memory(err, em_data_name(data)));
    if (target->path) TRY(lab_writer_open(&writer, target->path, target->type, rows, target->columns, err));
    if (writer && target->names) TRY(lab_writer_header(writer, target->names, err));
    interrupt_defer();
    for (size_t first = 0, count; first < rows; first += count) {
        count = rows - first < block ? rows - first : block;
        TRY(em_data_read(data, first, count, in, err));
        TRY(settle(data, target, first, count, in, err));
        if (target->map) TRY(target->map(target->context, in, count, out, err));
        if (writer) TRY(lab_writer_rows(writer, target->map ? out : in, count, err));
        progress_rows(first + count, rows);
        if (interrupt_requested())
            TRY(emi_fail(err, EM_EOUTPUT, "%s: %s, interrupted at row %zu; try again", em_data_name(data),
                         target->path && strcmp(target->path, "-") == 0 ? "cut short" : "nothing is written",
                         first + count));
    }
    if (target->finish) TRY(target->finish(target->context, err));
    if (writer) TRY(lab_writer_close(&writer, err));
done:
    lab_writer_discard(&writer);
    emi_free(out);
    emi_free(in);
    return status;
}
