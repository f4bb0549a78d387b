#include "base/place.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void emi_place_directory(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = !slash ? 0 : slash == path ? 1 : (int)(slash - path);
    (void)snprintf(out, PATH_MAX, "%.*s", length ? length : 1, length ? path : ".");
}

/* ---- streams ------------------------------------------------------------------------------------- */

int emi_place_stream(const char *path)
{
    static const char *const starts[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t n = 0; n < sizeof starts / sizeof *starts; n++) {
        const char *number = path + strlen(starts[n]);
        if (strncmp(path, starts[n], strlen(starts[n])) != 0) continue;
        size_t digits = strspn(number, "0123456789");
        if (digits > 0 && digits < 9 && !number[digits]) return (int)strtol(number, NULL, 10);
    }
    return -1;
}

/* ---- links ---------------------------------------------------------------------------------------- */

/* Where the link `path` points to, to be freed; NULL with errno EINVAL: it is no link. */
static char *target_of(const char *path)
{
    char directory[PATH_MAX], target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        if (errno == ENOENT) errno = EINVAL; /* nothing there is no link either */
        return NULL;
    }
    target[length] = 0;
    emi_place_directory(path, directory);
    size_t room = strlen(directory) + (size_t)length + 2;
    char *full = emi_malloc(room);
    if (full && *target == '/')
        (void)snprintf(full, room, "%s", target);
    else if (full)
        (void)snprintf(full, room, "%s/%s", directory, target);
    else
        errno = ENOMEM;
    return full;
}

char *emi_place_follow(const char *path)
{
    enum { MOST_LINKS = 40 }; /* as many as Linux follows */
    struct stat about;
    char *at = emi_strdup(path);
    if (!at) errno = ENOMEM;
    /* The system's own word first: in a directory like /tmp it does not follow links that others have put there. */
    if (at && emi_place_stream(at) < 0 && stat(at, &about) != 0 && errno != ENOENT) goto failed;
    for (int links = 0; at && emi_place_stream(at) < 0; links++) {
        char *next = target_of(at);
        if (!next && errno == EINVAL) return at;
        if (!next) goto failed;
        emi_free(at);
        at = next;
        errno = ELOOP;
        if (links == MOST_LINKS) goto failed;
    }
    return at;
failed:;
    int number = errno;
    emi_free(at);
    errno = number;
    return NULL;
}

/* ---- lasting --------------------------------------------------------------------------------------- */

int emi_place_settle(const char *path)
{
    char directory[PATH_MAX];
    emi_place_directory(path, directory);
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return 0; /* writable, and not readable: the system does it in its own time */
    int failed = fsync(folder) != 0 && errno == EIO;
    (void)close(folder);
    if (failed) errno = EIO;
    return failed ? -1 : 0;
}
