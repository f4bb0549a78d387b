/* Output files that appear whole or not at all.
 *
 * A link stays a link: the file it points to is replaced.  What is no regular file, and whatever stands for a stream
 * of this process (/dev/stdout, /proc/self/fd/1), is written directly: replacing it would cut the stream off.
 *
 * Where the file system can (O_TMPFILE), the file has no name until it is complete, so
 * that even a killed process leaves nothing behind; elsewhere it waits under a temporary
 * name beside its target.  Then it is renamed into place. */
#define _GNU_SOURCE
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct em_output {
    char *path;
    char *hidden; /* temporary name beside path; NULL when written directly */
    int nameless; /* O_TMPFILE: `hidden` is not on disk yet */
    FILE *stream;
};

static em_status cannot_write(em_error *err, em_status code, const char *path, int number)
{
    return emi_fail(err, code, "%s: cannot be written (%s); try another place for it", path, strerror(number));
}

static void directory_of(const char *path, char *out)
{
    const char *slash = strrchr(path, '/');
    int length = !slash ? 0 : slash == path ? 1 : (int)(slash - path);
    (void)snprintf(out, PATH_MAX, "%.*s", length ? length : 1, length ? path : ".");
}

/* A descriptor for the output's bytes, or -1 with errno. */
static int open_hidden(em_output *output)
{
    char directory[PATH_MAX];
    directory_of(output->path, directory);
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    output->nameless = fd >= 0;
    (void)sprintf(output->hidden, "%s.tmp-XXXXXX", output->path);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL)) {
        fd = mkostemp(output->hidden, O_CLOEXEC);
        mode_t mask = umask(0);
        (void)umask(mask);
        if (fd >= 0) (void)fchmod(fd, 0666 & ~mask);
    }
    return fd;
}

static int stands_for_a_stream(const char *path)
{
    static const char *const starts[] = {"/dev/std", "/dev/fd/", "/proc/"};
    for (size_t n = 0; n < sizeof starts / sizeof *starts; n++)
        if (strncmp(path, starts[n], strlen(starts[n])) == 0) return 1;
    return 0;
}

/* The path with links resolved, owned by the caller; a path where nothing is yet stays as it is. */
static char *resolve(const char *path)
{
    struct stat about;
    if (stands_for_a_stream(path) || lstat(path, &about) != 0 || !S_ISLNK(about.st_mode)) return emi_strdup(path);
    char *resolved = realpath(path, NULL);
    char *copy = resolved ? emi_strdup(resolved) : emi_strdup(path);
    free(resolved);
    return copy;
}

/* Open for the first time, or say why not. */
static em_status open_target(em_output *output, int *file, em_error *err)
{
    struct stat existing;
    const char *path = output->path;
    if (!*path || strlen(path) > PATH_MAX - 16)
        return cannot_write(err, EM_EINVAL, path, *path ? ENAMETOOLONG : ENOENT);
    int exists = stat(path, &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) return cannot_write(err, EM_EINVAL, path, EISDIR);
    if (exists && access(path, W_OK) != 0) return cannot_write(err, EM_EINVAL, path, errno);
    if (exists && (!S_ISREG(existing.st_mode) || stands_for_a_stream(path))) {
        *file = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        output->hidden = emi_malloc(strlen(path) + sizeof ".tmp-XXXXXX");
        if (!output->hidden) return emi_fail_memory(err, path);
        *file = open_hidden(output);
    }
    return *file >= 0 ? EM_OK : cannot_write(err, EM_EINVAL, path, errno);
}

em_status em_output_open(em_output **out, const char *path, em_error *err)
{
    em_status status = EM_OK;
    int file = -1;
    *out = NULL;
    em_output *output = emi_calloc(1, sizeof *output);
    if (!output) return emi_fail_memory(err, path);
    output->path = resolve(path);
    if (!output->path) TRY(emi_fail_memory(err, path));
    TRY(open_target(output, &file, err));
    output->stream = fdopen(file, "wb");
    if (!output->stream) TRY(emi_fail_memory(err, path));
    *out = output;
    output = NULL;
done:
    if (output && !output->stream && file >= 0) (void)close(file);
    em_output_discard(&output);
    return status;
}

FILE *em_output_stream(em_output *output)
{
    return output->stream;
}

/* Give a nameless file a temporary name; mkstemp's pattern makes one that is free. */
static int name_it(em_output *output)
{
    char from[64];
    (void)sprintf(from, "/proc/self/fd/%d", fileno(output->stream));
    for (int tries = 0; tries < 100; tries++) {
        (void)sprintf(output->hidden, "%s.tmp-%06x", output->path,
                      ((unsigned)getpid() * 101U + (unsigned)tries) & 0xffffffU);
        if (linkat(AT_FDCWD, from, AT_FDCWD, output->hidden, AT_SYMLINK_FOLLOW) == 0) {
            output->nameless = 0;
            return 0;
        }
        if (errno != EEXIST) return -1;
    }
    return -1;
}

em_status em_output_commit(em_output **handle, em_error *err)
{
    em_output *output = *handle;
    em_status status = EM_OK;
    int failed = ferror(output->stream);
    errno = failed ? ENOSPC : 0;
    failed |= fflush(output->stream);
    if (!failed && output->hidden) failed = fsync(fileno(output->stream));
    if (!failed && output->hidden && output->nameless) failed = name_it(output);
    int number = errno;
    int closed = fclose(output->stream);
    output->stream = NULL;
    if (!failed && closed) number = errno;
    failed |= closed;
    if (!failed && output->hidden) {
        failed = rename(output->hidden, output->path);
        number = errno;
    }
    if (failed)
        status = cannot_write(err, EM_EOUTPUT, output->path, number);
    else if (output->hidden)
        output->hidden[0] = 0; /* it is the output now */
    em_output_discard(handle);
    return status;
}

void em_output_discard(em_output **handle)
{
    em_output *output = *handle;
    if (!output) return;
    if (output->stream) (void)fclose(output->stream);
    if (output->hidden && output->hidden[0] && !output->nameless) (void)unlink(output->hidden);
    emi_free(output->hidden);
    emi_free(output->path);
    emi_free(output);
    *handle = NULL;
}
