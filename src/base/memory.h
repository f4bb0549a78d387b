/* Every allocation of the library goes through here, so that a test can make each of
 * them fail once.  All return NULL on failure and on a size that overflows. */
#ifndef EMI_BASE_MEMORY_H
#define EMI_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *emi_malloc(size_t bytes);
void *emi_calloc(size_t count, size_t size);
void *emi_realloc(void *old, size_t bytes);
double *emi_doubles(size_t count); /* aligned to a cache line; contents undefined */
double *emi_room(size_t count);    /* the same, where much of it may never be used */
char *emi_strdup(const char *text);
void emi_free(void *memory); /* for all of the above */

/* a * b into *out; non-zero when it does not fit. */
int emi_size_overflows(size_t a, size_t b, size_t *out);

/* The bytes that this thread was last refused, for the message about it: SIZE_MAX for more than can be counted, 0 for none
 * since the last time this was asked. */
size_t emi_memory_refused(void);

/* An array with room for `needed` elements of `size` bytes, at least twice as many as *room where that is too few; NULL: it
 * stays as it was. */
static inline void *emi_grow(void *old, size_t *room, size_t needed, size_t size)
{
    size_t wanted = *room ? *room : 64, bytes;
    if (needed <= *room) return old;
    while (wanted < needed) wanted = wanted > SIZE_MAX / 2 ? SIZE_MAX : 2 * wanted;
    void *more = emi_size_overflows(wanted, size, &bytes) ? NULL : emi_realloc(old, bytes);
    if (more) *room = wanted;
    return more;
}

#endif
