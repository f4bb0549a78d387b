/* Streams and events of libcuda.so.1.  Kernels and products are done at once; a copy from pinned memory is put off until its
 * stream is waited for, by the host or by another stream that goes on: so late that a buffer that was filled anew before, or a
 * copy that was not waited for, shows in the numbers.  So does what is read from pinned memory before the host has waited for it. */
#include "standin.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* To be done in turn: a copy, or to wait for another stream. */
typedef struct task {
    struct task *next;
    long turn;
    const void *stream;
    void *to;
    const void *from;
    size_t bytes;
    const void *awaited; /* NULL: it is a copy */
    long until;
} task;

typedef struct event {
    const void *stream; /* NULL: it was not recorded */
    long turn;
} event;

/* What was copied to pinned memory, until the host waits. */
typedef struct arrival {
    struct arrival *next;
    long turn;
    const void *stream;
    void *to;
    size_t bytes;
    char from[];
} arrival;

static task *tasks;       /* the oldest first */
static arrival *arrivals; /* and here */
static long turns;

static int put_off(task t)
{
    task *own = malloc(sizeof *own), **end = &tasks;
    if (!own) return 0;
    while (*end) end = &(*end)->next;
    *own = t;
    own->turn = ++turns;
    own->next = NULL;
    *end = own;
    return 1;
}

static task *take_first(const void *stream, long until)
{
    task **at = &tasks;
    while (*at && ((*at)->stream != stream || (*at)->turn > until)) at = &(*at)->next;
    task *found = *at;
    if (found) *at = found->next;
    return found;
}

static void catch_up(const void *stream, long until)
{
    for (task *t; (t = take_first(stream, until)); free(t)) {
        if (t->awaited)
            catch_up(t->awaited, t->until);
        else
            memcpy(t->to, t->from, t->bytes);
    }
}

void standin_catch_up(const void *stream)
{
    catch_up(stream, LONG_MAX);
}

/* The host has waited. */
static void arrive(const void *stream, long until)
{
    for (arrival **at = &arrivals, *a; (a = *at);) {
        if (a->stream == stream && a->turn <= until) {
            memcpy(a->to, a->from, a->bytes);
            *at = a->next;
            free(a);
        } else
            at = &a->next;
    }
}

static void wait_for(const void *stream, long until)
{
    catch_up(stream, until);
    arrive(stream, until);
}

void standin_finish(void)
{
    while (tasks) standin_catch_up(tasks->stream);
    while (arrivals) arrive(arrivals->stream, LONG_MAX);
}

int standin_copy(void *to, const void *from, size_t bytes, void *stream)
{
    if (standin_is_pinned(from, bytes))
        return put_off((task){.stream = stream, .to = to, .from = from, .bytes = bytes});
    standin_catch_up(stream);
    memcpy(to, from, bytes);
    return 1;
}

int standin_fetch(void *to, const void *from, size_t bytes, void *stream)
{
    standin_catch_up(stream);
    if (!standin_is_pinned(to, bytes)) {
        memcpy(to, from, bytes);
        return 1;
    }
    arrival *own = malloc(sizeof *own + bytes), **end = &arrivals;
    if (!own) return 0;
    *own = (arrival){.turn = ++turns, .stream = stream, .to = to, .bytes = bytes};
    memcpy(own->from, from, bytes);
    memset(to, 0xff, bytes);
    while (*end) end = &(*end)->next;
    *end = own;
    return 1;
}

/* ---- the driver ------------------------------------------------------------------------------------------------------ */

int cuStreamCreate(void **stream, unsigned flags);
int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    STEP();
    return standin_take(stream, 1, 0);
}

int cuStreamDestroy_v2(void *stream);
int cuStreamDestroy_v2(void *stream)
{
    wait_for(stream, LONG_MAX);
    return standin_give(stream);
}

int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream)
{
    STEP();
    wait_for(stream, LONG_MAX);
    return 0;
}

int cuStreamWaitEvent(void *stream, void *of, unsigned flags);
int cuStreamWaitEvent(void *stream, void *of, unsigned flags)
{
    const event *e = of;
    (void)flags;
    STEP();
    if (!stream || !of) return INVALID;
    if (!e->stream) return 0;
    return put_off((task){.stream = stream, .awaited = e->stream, .until = e->turn}) ? 0 : OUT_OF_MEMORY;
}

int cuEventCreate(void **out, unsigned flags);
int cuEventCreate(void **out, unsigned flags)
{
    (void)flags;
    STEP();
    int code = standin_take(out, sizeof(event), 0);
    if (code == 0) *(event *)*out = (event){0};
    return code;
}

int cuEventDestroy_v2(void *of);
int cuEventDestroy_v2(void *of)
{
    return standin_give(of);
}

int cuEventRecord(void *of, void *stream);
int cuEventRecord(void *of, void *stream)
{
    STEP();
    *(event *)of = (event){stream, turns};
    return 0;
}

int cuEventSynchronize(void *of);
int cuEventSynchronize(void *of)
{
    const event *e = of;
    STEP();
    if (e->stream) wait_for(e->stream, e->turn);
    return 0;
}
