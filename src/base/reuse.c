#define _DEFAULT_SOURCE

#include "base/reuse.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Smaller ones malloc keeps by itself; larger ones are seldom filled whole.  A few MB in all, whatever was freed. */
enum { LINE = 64, LEAST = 256 << 10, MOST = 4 << 20, PLACES = 16, ALL = 16 << 20 };

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define WATCHED
#endif
#endif

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined WATCHED
#include <malloc.h>

static size_t size_of(void *memory)
{
    return malloc_usable_size(memory);
}
#else
/* Nobody tells; or what is freed is watched, and shall be. */
static size_t size_of(void *memory)
{
    (void)memory;
    return 0;
}
#endif

/* Whoever finds it locked does without: nobody waits, nor does the child of a process that was forked meanwhile. */
static struct {
    pthread_mutex_t lock;
    void *at[PLACES];
    size_t bytes[PLACES], all;
    unsigned long since[PLACES], now; /* how many had come before */
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *remove_from(size_t place)
{
    void *memory = waiting.at[place];
    waiting.all -= waiting.bytes[place];
    waiting.at[place] = NULL, waiting.bytes[place] = 0, waiting.since[place] = 0;
    return memory;
}

/* The smallest that is large enough, if not twice as large. */
void *emi_reuse_take(size_t bytes)
{
    size_t best = PLACES;
    if (bytes < LEAST || bytes >= MOST || pthread_mutex_trylock(&waiting.lock) != 0) return NULL;
    for (size_t n = 0; n < PLACES; n++)
        if (waiting.bytes[n] >= bytes && waiting.bytes[n] / 2 <= bytes &&
            (best == PLACES || waiting.bytes[n] < waiting.bytes[best]))
            best = n;
    void *memory = best < PLACES ? remove_from(best) : NULL;
    (void)pthread_mutex_unlock(&waiting.lock);
    return memory;
}

/* The place of who waits longest; an empty one counts as that, where it may. */
static size_t oldest(int may_be_empty)
{
    size_t found = PLACES;
    for (size_t n = 0; n < PLACES; n++)
        if ((may_be_empty || waiting.at[n]) && (found == PLACES || waiting.since[n] < waiting.since[found])) found = n;
    return found;
}

/* For so many bytes, which are no more than all may be; who waits longest goes, if needed. */
static size_t make_place(size_t bytes)
{
    while (waiting.all + bytes > ALL) free(remove_from(oldest(0)));
    size_t place = oldest(1);
    free(remove_from(place));
    return place;
}

/* Whoever loads the library and unloads it again does not lose them. */
__attribute__((destructor)) static void free_all(void)
{
    if (pthread_mutex_trylock(&waiting.lock) != 0) return;
    for (size_t n = 0; n < PLACES; n++) free(remove_from(n));
    (void)pthread_mutex_unlock(&waiting.lock);
}

int emi_reuse_keep(void *memory)
{
    size_t bytes = size_of(memory);
    if (bytes < LEAST || bytes >= MOST || (uintptr_t)memory % LINE != 0) return 0;
    if (pthread_mutex_trylock(&waiting.lock) != 0) return 0;
    size_t place = make_place(bytes);
    waiting.at[place] = memory, waiting.bytes[place] = bytes, waiting.since[place] = ++waiting.now;
    waiting.all += bytes;
    (void)pthread_mutex_unlock(&waiting.lock);
    return 1;
}
