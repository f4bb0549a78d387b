#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

void *emi_malloc(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

void *emi_calloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *emi_realloc(void *old, size_t bytes)
{
    return realloc(old, bytes ? bytes : 1);
}

double *emi_doubles(size_t count)
{
    if (count > (SIZE_MAX - CACHE_LINE) / sizeof(double)) return NULL;
    size_t lines = (count * sizeof(double) + CACHE_LINE - 1) / CACHE_LINE;
    return aligned_alloc(CACHE_LINE, (lines ? lines : 1) * CACHE_LINE);
}

char *emi_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = emi_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void emi_free(void *memory)
{
    free(memory);
}

int emi_size_overflows(size_t a, size_t b, size_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}
