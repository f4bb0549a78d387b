/* Output files that appear whole or not at all.
 *
 * A link stays a link: the file it points to is replaced, or made where there is none yet.  What stands for a stream of this
 * process ("-", /dev/stdout) is written through that stream, so that what is appended to stays; what is no regular file is
 * written directly.
 *
 * Where the file system can (O_TMPFILE), the file has no name until it is complete, so that even a killed process leaves
 * nothing behind; elsewhere it waits under a temporary name beside its target.  Then it is renamed into place.
 *
 * A file that replaces another has its permissions, and its owner and group where that is allowed.  Access control lists and
 * extended attributes are not carried over: the new file has what its directory gives to new files. */
#define _GNU_SOURCE
#include "base/output.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PUBLIC = 0666, PRIVATE = 0600, HIDDEN_NAME = sizeof "/.eigenmesh-0123456789abcdef", TRIES = 100 };

struct emi_output {
    char *path;   /* links followed */
    char *hidden; /* temporary name beside path; NULL when written directly */
    int nameless; /* O_TMPFILE: `hidden` is not on disk yet */
    mode_t mode;  /* of a new file */
    FILE *stream;
};

static em_status cannot_write(em_error *err, em_status code, const char *path, int number)
{
    if (number == ENOMEM) return emi_fail_memory(err, path);
    if (number == ENOSPC || number == EDQUOT) code = EM_EOUTPUT; /* a good place, and no room there now */
    if (strcmp(path, "-") == 0) path = "standard output";
    return emi_fail(err, code, "%s: cannot be written (%s); try another place for it", path, strerror(number));
}

/* ---- opening --------------------------------------------------------------------------------------- */

/* A new temporary name; a short one, as the target's own may be as long as names can be. */
static void choose_name(emi_output *output)
{
    uint64_t number;
    char directory[PATH_MAX];
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = (uint64_t)getpid() << 32 ^ (uintptr_t)output;
    emi_place_directory(output->path, directory);
    (void)sprintf(output->hidden, "%s/.eigenmesh-%016llx", directory, (unsigned long long)number);
}

/* A file without a name, which gets one by way of /proc; -1 with errno EOPNOTSUPP: not here. */
static int open_nameless(const char *path, mode_t mode)
{
    char directory[PATH_MAX];
    emi_place_directory(path, directory);
    errno = EOPNOTSUPP;
    int file = access("/proc/self/fd", X_OK) == 0 ? open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
    if (file < 0 && (errno == EISDIR || errno == ENOENT || errno == EINVAL)) errno = EOPNOTSUPP; /* older systems */
    return file;
}

/* A descriptor for the output's bytes, or -1 with errno. */
static int open_hidden(emi_output *output)
{
    int file = open_nameless(output->path, output->mode);
    output->nameless = file >= 0;
    if (file >= 0 || errno != EOPNOTSUPP) return file;
    for (int tries = 0; tries < TRIES; tries++) {
        choose_name(output);
        file = open(output->hidden, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, output->mode);
        if (file >= 0 || errno != EEXIST) break;
    }
    if (file < 0) output->hidden[0] = 0; /* there is nothing to remove */
    return file;
}

/* Who could read the file before can read it now, and nobody else: where its group cannot be kept, another group gets no
 * more than everyone. */
static void keep_permissions(int file, const struct stat *before)
{
    mode_t mode = before->st_mode & 0777;
    if (fchown(file, before->st_uid, before->st_gid) != 0 && fchown(file, (uid_t)-1, before->st_gid) != 0)
        mode &= (mode_t)(0707 | (mode & 07) << 3);
    (void)fchmod(file, mode);
}

/* Open for the first time, or say why not. */
static em_status open_target(emi_output *output, int *file, em_error *err)
{
    struct stat before;
    const char *path = output->path;
    int stream = emi_place_stream(path);
    if (stream >= 0) {
        *file = fcntl(stream, F_DUPFD_CLOEXEC, 0);
        return *file >= 0 ? EM_OK : cannot_write(err, EM_EINVAL, path, errno);
    }
    if (!*path || strlen(path) + HIDDEN_NAME > PATH_MAX)
        return cannot_write(err, EM_EINVAL, path, *path ? ENAMETOOLONG : ENOENT);
    int exists = stat(path, &before) == 0;
    if (!exists && errno != ENOENT) return cannot_write(err, EM_EINVAL, path, errno);
    if (exists && S_ISDIR(before.st_mode)) return cannot_write(err, EM_EINVAL, path, EISDIR);
    if (exists && access(path, W_OK) != 0) return cannot_write(err, EM_EINVAL, path, errno);
    if (exists && (!S_ISREG(before.st_mode) || strncmp(path, "/proc/", 6) == 0)) {
        *file = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        output->hidden = emi_calloc(1, strlen(path) + HIDDEN_NAME + 1);
        if (!output->hidden) return emi_fail_memory(err, path);
        *file = open_hidden(output);
        if (*file >= 0 && exists && output->mode != PRIVATE) keep_permissions(*file, &before);
    }
    return *file >= 0 ? EM_OK : cannot_write(err, EM_EINVAL, path, errno);
}

static em_status open_with(emi_output **out, const char *path, mode_t mode, em_error *err)
{
    em_status status = EM_OK;
    int file = -1;
    *out = NULL;
    emi_output *output = emi_calloc(1, sizeof *output);
    if (!output) return emi_fail_memory(err, path);
    output->mode = mode;
    output->path = emi_place_follow(path);
    if (!output->path) TRY(cannot_write(err, EM_EINVAL, path, errno));
    TRY(open_target(output, &file, err));
    output->stream = fdopen(file, "wb");
    if (!output->stream) TRY(emi_fail_memory(err, path));
    *out = output;
    output = NULL;
done:
    if (output && !output->stream && file >= 0) (void)close(file);
    emi_output_discard(&output);
    return status;
}

em_status emi_output_open(emi_output **out, const char *path, em_error *err)
{
    return open_with(out, path, PUBLIC, err);
}

em_status emi_output_open_private(emi_output **out, const char *path, em_error *err)
{
    return open_with(out, path, PRIVATE, err);
}

em_status emi_output_target(const char *path, char *target, size_t room, em_error *err)
{
    char *followed = emi_place_follow(path);
    if (!followed) return cannot_write(err, EM_EINVAL, path, errno);
    int fits = snprintf(target, room, "%s", followed) < (int)room;
    emi_free(followed);
    return fits ? EM_OK : cannot_write(err, EM_EINVAL, path, ENAMETOOLONG);
}

FILE *emi_output_stream(emi_output *output)
{
    return output->stream;
}

/* ---- ending ---------------------------------------------------------------------------------------- */

/* Give a nameless file a temporary name that is free. */
static int name_it(emi_output *output)
{
    char from[64];
    (void)sprintf(from, "/proc/self/fd/%d", fileno(output->stream));
    for (int tries = 0; tries < TRIES; tries++) {
        choose_name(output);
        if (linkat(AT_FDCWD, from, AT_FDCWD, output->hidden, AT_SYMLINK_FOLLOW) == 0) {
            output->nameless = 0;
            return 0;
        }
        if (errno != EEXIST) break;
    }
    return -1;
}

/* All bytes have arrived, and a hidden file has a name; non-zero, with errno, where not. */
static int finish(emi_output *output)
{
    int failed = ferror(output->stream);
    errno = failed ? ENOSPC : 0;
    failed |= fflush(output->stream);
    if (!failed && output->hidden) failed = fsync(fileno(output->stream));
    if (!failed && output->hidden && output->nameless) failed = name_it(output);
    int number = errno;
    int closed = fclose(output->stream);
    output->stream = NULL;
    if (failed) errno = number;
    return failed | closed;
}

static int put_in_place(emi_output *output)
{
    if (rename(output->hidden, output->path) != 0) return -1;
    output->hidden[0] = 0; /* it is the output now */
    return emi_place_settle(output->path);
}

em_status emi_output_commit(emi_output **handle, em_error *err)
{
    em_status status = EM_OK;
    emi_output *output = *handle;
    int failed = finish(output);
    if (!failed && output->hidden) failed = put_in_place(output);
    if (failed) status = cannot_write(err, EM_EOUTPUT, output->path, errno);
    emi_output_discard(handle);
    return status;
}

void emi_output_discard(emi_output **handle)
{
    emi_output *output = *handle;
    if (!output) return;
    if (output->stream) (void)fclose(output->stream);
    if (output->hidden && output->hidden[0] && !output->nameless) (void)unlink(output->hidden);
    emi_free(output->hidden);
    emi_free(output->path);
    emi_free(output);
    *handle = NULL;
}
