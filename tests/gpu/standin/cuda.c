/* libcuda.so.1: memory of the host. */
#include "standin.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tests see ------------------------------------------------------------------------------------------------ */

typedef struct piece {
    struct piece *next;
    char *at;
    size_t bytes;
    int of_device;
} piece;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static piece *pieces;
static size_t memory = (size_t)1 << 30, used, sent;
static long calls, fail_at = -1, live, pushed;
static int failed;

void standin_fail_at(long n)
{
    calls = 0, fail_at = n, failed = 0;
}

int standin_has_failed(void)
{
    return failed;
}

void standin_memory(size_t bytes)
{
    memory = bytes;
}

long standin_live(void)
{
    return live;
}

long standin_pushed(void)
{
    return pushed;
}

size_t standin_sent(void)
{
    size_t now = sent;
    sent = 0;
    return now;
}

int standin_step(void)
{
    (void)pthread_mutex_lock(&lock);
    int fails = calls++ == fail_at;
    failed |= fails;
    (void)pthread_mutex_unlock(&lock);
    return fails;
}

static int is_within(const void *at, size_t bytes, int of_device)
{
    int within = 0;
    (void)pthread_mutex_lock(&lock);
    for (const piece *p = pieces; p && !within; p = p->next)
        within = p->of_device == of_device && (const char *)at >= p->at && (const char *)at + bytes <= p->at + p->bytes;
    (void)pthread_mutex_unlock(&lock);
    return within;
}

int standin_holds(const void *at, size_t bytes)
{
    return is_within(at, bytes, 1);
}

int standin_is_pinned(const void *at, size_t bytes)
{
    return is_within(at, bytes, 0);
}

int standin_take(void **out, size_t bytes, int of_device)
{
    int code = OUT_OF_MEMORY;
    piece *p = malloc(sizeof *p);
    char *at = malloc(bytes);
    (void)pthread_mutex_lock(&lock);
    if (p && at && (!of_device || used + bytes <= memory)) {
        *p = (piece){pieces, at, bytes, of_device};
        pieces = p;
        used += of_device ? bytes : 0;
        live++;
        memset(at, 0x7f, bytes); /* not zeros, nor ordinary numbers */
        *out = at;
        p = NULL, at = NULL, code = 0;
    }
    (void)pthread_mutex_unlock(&lock);
    free(p);
    free(at);
    return code;
}

int standin_give(const void *at)
{
    (void)pthread_mutex_lock(&lock);
    piece **p = &pieces;
    while (*p && (*p)->at != at) p = &(*p)->next;
    piece *found = *p;
    if (found) {
        *p = found->next;
        used -= found->of_device ? found->bytes : 0;
        live--;
    }
    (void)pthread_mutex_unlock(&lock);
    if (!found) return INVALID;
    free(found->at);
    free(found);
    return 0;
}

/* ---- the driver ------------------------------------------------------------------------------------------------------ */

typedef unsigned long long address;

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    STEP();
    return 0;
}

int cuGetErrorString(int code, const char **text);
int cuGetErrorString(int code, const char **text)
{
    *text = code == OUT_OF_MEMORY ? "out of memory" : "it was told to fail";
    return 0;
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    const char *none = getenv("STANDIN_DEVICES");
    STEP();
    *count = none ? atoi(none) : 1;
    return 0;
}

int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
    STEP();
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int room, int device);
int cuDeviceGetName(char *name, int room, int device)
{
    (void)device;
    STEP();
    strncpy(name, "stand-in", (size_t)room);
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    STEP();
    *bytes = memory;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { SINGLE_TO_DOUBLE = 87 };
    (void)device;
    STEP();
    *value = 2;
    return attribute == SINGLE_TO_DOUBLE ? 0 : INVALID;
}

static int context;

int cuDevicePrimaryCtxRetain(void **out, int device);
int cuDevicePrimaryCtxRetain(void **out, int device)
{
    (void)device;
    STEP();
    *out = &context;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

int cuCtxPushCurrent_v2(void *current);
int cuCtxPushCurrent_v2(void *current)
{
    STEP();
    pushed++;
    return current == &context ? 0 : INVALID;
}

int cuCtxPopCurrent_v2(void **current);
int cuCtxPopCurrent_v2(void **current)
{
    pushed--;
    *current = &context;
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

int cuMemGetInfo_v2(size_t *left, size_t *total);
int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    STEP();
    *left = memory > used ? memory - used : 0;
    *total = memory;
    return 0;
}

int cuMemAlloc_v2(address *out, size_t bytes);
int cuMemAlloc_v2(address *out, size_t bytes)
{
    void *at = NULL;
    STEP();
    int code = standin_take(&at, bytes, 1);
    if (code == 0) *out = (address)(uintptr_t)at;
    return code;
}

int cuMemFree_v2(address at);
int cuMemFree_v2(address at)
{
    standin_finish();
    return standin_give((void *)(uintptr_t)at);
}

int cuMemAllocHost_v2(void **out, size_t bytes);
int cuMemAllocHost_v2(void **out, size_t bytes)
{
    STEP();
    return standin_take(out, bytes, 0);
}

int cuMemFreeHost(void *at);
int cuMemFreeHost(void *at)
{
    standin_finish();
    return standin_give(at);
}

int cuMemsetD8Async(address at, unsigned char byte, size_t bytes, void *stream);
int cuMemsetD8Async(address at, unsigned char byte, size_t bytes, void *stream)
{
    STEP();
    if (!standin_holds((void *)(uintptr_t)at, bytes)) return INVALID;
    standin_catch_up(stream);
    memset((void *)(uintptr_t)at, byte, bytes);
    return 0;
}

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream);
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream)
{
    STEP();
    if (!standin_holds((void *)(uintptr_t)to, bytes)) return INVALID;
    sent += bytes;
    return standin_copy((void *)(uintptr_t)to, from, bytes, stream) ? 0 : OUT_OF_MEMORY;
}

int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream)
{
    STEP();
    if (!standin_holds((void *)(uintptr_t)from, bytes)) return INVALID;
    return standin_fetch(to, (void *)(uintptr_t)from, bytes, stream) ? 0 : OUT_OF_MEMORY;
}

int cuPointerGetAttribute(void *data, int attribute, address at);
int cuPointerGetAttribute(void *data, int attribute, address at)
{
    enum { ORDINAL = 9 };
    STEP();
    if (attribute != ORDINAL || !standin_holds((void *)(uintptr_t)at, 1)) return INVALID;
    *(int *)data = 0;
    return 0;
}
