#define _DEFAULT_SOURCE /* madvise */

#include "base/memory.h"

#include "base/reuse.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20, SOME = 256 << 10, LARGE = 4 << 20 };
static _Thread_local size_t refused;

static void *noted(void *memory, size_t bytes)
{
    if (!memory) refused = bytes;
    return memory;
}

void *emi_malloc(size_t bytes)
{
    return noted(malloc(bytes ? bytes : 1), bytes);
}

void *emi_calloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    return noted(memory, count > SIZE_MAX / (size ? size : 1) ? SIZE_MAX : count * size);
}

void *emi_realloc(void *old, size_t bytes)
{
    return noted(realloc(old, bytes ? bytes : 1), bytes);
}

/* Large ones lie on large pages, where there are some: a fault for every 4 KiB takes longer than filling them. */
static double *new_room(size_t count)
{
    if (count > (SIZE_MAX - HUGE_PAGE) / sizeof(double)) return noted(NULL, SIZE_MAX);
    size_t bytes = count * sizeof(double), whole = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = NULL; /* aligned_alloc wants whole huge pages, the last of which would be mostly for nothing */
    if (posix_memalign(&memory, bytes >= LARGE ? HUGE_PAGE : CACHE_LINE, whole ? whole : CACHE_LINE) != 0)
        memory = NULL;
    if (memory && bytes >= LARGE) (void)madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return noted(memory, bytes);
}

/* One that somebody had before. */
static double *used_room(size_t count)
{
    return count < LARGE ? emi_reuse_take(count * sizeof(double)) : NULL;
}

double *emi_room(size_t count)
{
    double *memory = used_room(count);
    return memory ? memory : new_room(count);
}

/* New ones have all their pages at once, if the system can. */
double *emi_doubles(size_t count)
{
    double *memory = used_room(count);
    if (memory) return memory;
    memory = new_room(count);
#ifdef MADV_POPULATE_WRITE
    size_t bytes = memory ? count * sizeof *memory : 0, before = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    if (bytes >= SOME && bytes < LARGE)
        (void)madvise((char *)memory + before, (bytes - before) / PAGE * PAGE, MADV_POPULATE_WRITE);
#endif
    return memory;
}

char *emi_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = emi_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void emi_free(void *memory)
{
    if (memory && !emi_reuse_keep(memory)) free(memory);
}

int emi_size_overflows(size_t a, size_t b, size_t *out)
{
    int overflows = __builtin_mul_overflow(a, b, out);
    if (overflows) refused = SIZE_MAX;
    return overflows;
}

size_t emi_memory_refused(void)
{
    size_t bytes = refused;
    refused = 0;
    return bytes;
}
