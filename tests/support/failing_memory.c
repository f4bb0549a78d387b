/* It defines every function of base/memory.h, so that the linker finds no need for the library's own. */
#include "support/failing_memory.h"

#include "base/memory.h"
#include "support/check.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long asked, live;
static long fail_at = -1;

void memory_fail_at(long n)
{
    atomic_store(&asked, 0);
    fail_at = n;
}

int memory_has_failed(void)
{
    return fail_at >= 0 && atomic_load(&asked) > fail_at;
}

long memory_live(void)
{
    return atomic_load(&live);
}

static int refused(void)
{
    return atomic_fetch_add(&asked, 1) == fail_at;
}

static void *counted(void *memory)
{
    if (memory) (void)atomic_fetch_add(&live, 1);
    return memory;
}

void *emi_malloc(size_t bytes)
{
    return refused() ? NULL : counted(malloc(bytes ? bytes : 1));
}

void *emi_calloc(size_t count, size_t size)
{
    return refused() ? NULL : counted(calloc(count ? count : 1, size ? size : 1));
}

void *emi_realloc(void *old, size_t bytes)
{
    if (refused()) return NULL;
    void *memory = realloc(old, bytes ? bytes : 1);
    return old ? memory : counted(memory);
}

double *emi_doubles(size_t count)
{
    enum { CACHE_LINE = 64 };
    if (refused() || count > SIZE_MAX / sizeof(double) - CACHE_LINE) return NULL;
    return counted(aligned_alloc(CACHE_LINE, (count * sizeof(double) / CACHE_LINE + 1) * CACHE_LINE));
}

double *emi_room(size_t count)
{
    return emi_doubles(count);
}

char *emi_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = emi_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void emi_free(void *memory)
{
    if (memory) (void)atomic_fetch_sub(&live, 1);
    free(memory);
}

int emi_size_overflows(size_t a, size_t b, size_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}

size_t emi_memory_refused(void)
{
    return 0;
}

long fail_each_once(workflow *run, const void *how)
{
    long n = 0, before = memory_live();
    for (;; n++) {
        em_error err = {0};
        memory_fail_at(n);
        em_status status = run(how, &err);
        int failed = memory_has_failed();
        memory_fail_at(-1);
        assert_int_equal(memory_live(), before);
        if (!failed) {
            assert_ok(status, &err);
            return n;
        }
        assert_fails(status, EM_ENOMEM, "", &err);
        assert_true(strlen(err.msg) > 0);
    }
}
