/* Loaded before a program (LD_PRELOAD): what it does to files under one folder, and what it sends, is counted, and at one of these
 * calls the process is killed, or is told that the disk is full.
 *
 *     FAULT_UNDER  the folder
 *     FAULT_TRACE  a file to which every such call is written: CALL NAME; or nothing
 *     FAULT_AT     CALL NAME NUMBER WHAT; or nothing.  WHAT is before or after (killed), torn (killed when half of a write is done),
 *                  full (it fails), short (half of a write is done, and the next fails)
 *
 * NAME is the last part of a path, `nameless` and `hidden` for files that are on their way to their names, `fingerprint` for 40
 * hexadecimal digits, `socket` for sends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    const char *under, *trace;
    char call[16], name[64], what[16];
    int number;
} fault;

static atomic_int reached, disk_is_full;

__attribute__((constructor)) static void read_environment(void)
{
    const char *at = getenv("FAULT_AT");
    fault.under = getenv("FAULT_UNDER");
    fault.trace = getenv("FAULT_TRACE");
    if (at && sscanf(at, "%15s %63s %d %15s", fault.call, fault.name, &fault.number, fault.what) != 4) abort();
}

static void trace(const char *call, const char *name)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s %s\n", call, name);
    long file = syscall(SYS_openat, AT_FDCWD, fault.trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || syscall(SYS_write, file, line, length) != length) abort();
    (void)syscall(SYS_close, file);
}

/* Is it the call at which something happens? */
static int is_it(const char *call, const char *name)
{
    if (fault.trace) trace(call, name);
    return strcmp(call, fault.call) == 0 && strcmp(name, fault.name) == 0 &&
           atomic_fetch_add(&reached, 1) + 1 == fault.number;
}

static int is_at_path(const char *call, const char *path)
{
    if (!fault.under || strncmp(path, fault.under, strlen(fault.under)) != 0) return 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (*name == '#') name = "nameless";
    if (strncmp(name, ".eigenmesh-", 11) == 0) name = "hidden";
    if (strlen(name) == 40 && strspn(name, "0123456789abcdef") == 40) name = "fingerprint";
    return is_it(call, name);
}

static int is_at_file(const char *call, int file)
{
    char link[64], path[PATH_MAX];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_at_path(call, path);
}

static void die(void)
{
    (void)syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) (void)pause();
}

static int says(const char *what)
{
    return strcmp(fault.what, what) == 0;
}

/* -1: the call fails. */
static int before(int is)
{
    if (is && says("before")) die();
    if (!(is && says("full")) && !atomic_exchange(&disk_is_full, 0)) return 0;
    errno = ENOSPC;
    return -1;
}

static void after(int is)
{
    if (is && says("after")) die();
}

/* The C library's own. */
#define REAL(name)                                                                                                     \
    ((union {                                                                                                          \
         void *found;                                                                                                  \
         __typeof__(&name) call;                                                                                       \
     }){.found = dlsym(RTLD_NEXT, #name)}                                                                              \
         .call)

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    int is = (flags & (O_CREAT | O_WRONLY)) ? is_at_path("open", path) : 0;
    if (before(is)) return -1;
    int file = REAL(open)(path, flags, mode);
    after(is);
    return file;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    int is = is_at_file("write", file), half = is && (says("torn") || says("short"));
    if (before(is)) return -1;
    ssize_t put = REAL(write)(file, bytes, half ? count / 2 : count);
    if (is && says("torn")) die();
    if (is && says("short")) atomic_store(&disk_is_full, 1);
    after(is);
    return put;
}

int fsync(int file)
{
    int is = is_at_file("fsync", file);
    if (before(is)) return -1;
    int result = REAL(fsync)(file);
    after(is);
    return result;
}

int fflush(FILE *stream)
{
    int is = stream ? is_at_file("fflush", fileno(stream)) : 0;
    if (before(is)) return EOF;
    int result = REAL(fflush)(stream);
    after(is);
    return result;
}

int rename(const char *from, const char *to)
{
    int is = is_at_path("rename", to);
    if (before(is)) return -1;
    int result = REAL(rename)(from, to);
    after(is);
    return result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int is = is_at_path("linkat", to);
    if (before(is)) return -1;
    int result = REAL(linkat)(from_folder, from, to_folder, to, flags);
    after(is);
    return result;
}

int unlink(const char *path)
{
    int is = is_at_path("unlink", path);
    if (before(is)) return -1;
    int result = REAL(unlink)(path);
    after(is);
    return result;
}

int mkdir(const char *path, mode_t mode)
{
    int is = is_at_path("mkdir", path);
    if (before(is)) return -1;
    int result = REAL(mkdir)(path, mode);
    after(is);
    return result;
}

ssize_t send(int socket, const void *bytes, size_t count, int flags)
{
    int is = is_it("send", "socket");
    if (before(is)) return -1;
    ssize_t put = REAL(send)(socket, bytes, count, flags);
    after(is);
    return put;
}
