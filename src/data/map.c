#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "data/map.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 4096 }; /* further files are read, not mapped */

/* A slot is free while `from` is 0. */
typedef struct mapping {
    atomic_uintptr_t from, to;
    atomic_int shrunk;
    char *path;
    dev_t device;
    ino_t inode;
} mapping;

static mapping mappings[MOST];
static atomic_size_t used; /* slots that were ever taken */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

/* ---- the list ------------------------------------------------------------------------------------------------ */

static mapping *free_slot(void)
{
    size_t n = 0;
    while (n < MOST && mappings[n].from) n++;
    if (n == MOST) return NULL;
    if (n == used) used = n + 1;
    return &mappings[n];
}

/* `from` comes last, since it is what makes the slot count. */
static int enter(void *at, size_t size, char *path, const struct stat *file)
{
    (void)pthread_mutex_lock(&changing);
    mapping *m = free_slot();
    if (m) {
        m->path = path;
        m->device = file->st_dev;
        m->inode = file->st_ino;
        m->shrunk = 0;
        m->to = (uintptr_t)at + size;
        m->from = (uintptr_t)at;
    }
    (void)pthread_mutex_unlock(&changing);
    return m != NULL;
}

/* The one that holds this address.  A slot may change hands meanwhile, but never the one that is looked for: it is in
 * use.  What has one beginning before and after is one map, and maps do not overlap. */
static mapping *find(uintptr_t address)
{
    for (size_t n = 0; n < used; n++) {
        uintptr_t from = mappings[n].from, to = mappings[n].to;
        if (from && from <= address && address < to && mappings[n].from == from) return &mappings[n];
    }
    return NULL;
}

em_status emi_map_open(void **at, const char *path, int file, size_t size, em_error *err)
{
    struct stat about;
    *at = NULL;
    char *copy = emi_strdup(path);
    if (!copy) return emi_fail_memory(err, path);
    void *map = fstat(file, &about) == 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (map != MAP_FAILED && enter(map, size, copy, &about)) {
        *at = map;
        return EM_OK;
    }
    if (map != MAP_FAILED) (void)munmap(map, size);
    emi_free(copy);
    return EM_OK;
}

void emi_map_close(void *at)
{
    mapping *m = find((uintptr_t)at);
    if (!m) return;
    size_t size = m->to - m->from;
    emi_free(m->path);
    (void)pthread_mutex_lock(&changing);
    m->from = 0;
    (void)pthread_mutex_unlock(&changing);
    (void)munmap(at, size);
}

int emi_map_is_covered(const void *at)
{
    const mapping *m = find((uintptr_t)at);
    return m && !m->shrunk;
}

/* Another file of that name, or none, says nothing: the map keeps the one that was opened. */
int emi_map_is_whole(const void *at)
{
    const mapping *m = find((uintptr_t)at);
    struct stat now;
    if (!m || m->shrunk) return 0;
    if (stat(m->path, &now) != 0 || now.st_dev != m->device || now.st_ino != m->inode) return 1;
    return (uintptr_t)now.st_size >= m->to - m->from;
}

/* ---- the guard ------------------------------------------------------------------------------------------------- */

static struct sigaction before; /* whose SIGBUS it was */
static uintptr_t page;

/* Zeros from this page to the end of its map; 0 where no map of ours is there. */
static int cover(char *address)
{
    mapping *m = find((uintptr_t)address);
    if (!m) return 0;
    char *from = address - (uintptr_t)address % page;
    m->shrunk = 1;
    return mmap(from, m->to - (uintptr_t)from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* Not ours.  Without another handler the process ends, as it would have without this one. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else if (signal(number, SIG_DFL) != SIG_ERR)
        (void)raise(number); /* when the handler returns */
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (info->si_code != BUS_ADRERR || !cover(info->si_addr)) pass_on(number, info, context);
    errno = saved;
}

static void install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    (void)sigemptyset(&action.sa_mask);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)sigaction(SIGBUS, NULL, &before);
    (void)sigaction(SIGBUS, &action, NULL);
}

void em_guard_files(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, install);
}
