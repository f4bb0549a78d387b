/* Streams and events of libcuda.so.1.  Kernels, products and copies to the host are done at once; a copy from pinned memory is
 * put off until its stream is waited for, by the host or by another stream that goes on: so late that a buffer that was filled
 * anew before, or a copy that was not waited for, shows in the numbers. */
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

static task *tasks; /* the oldest first */
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

void standin_finish(void)
{
    while (tasks) standin_catch_up(tasks->stream);
}

int standin_copy(void *to, const void *from, size_t bytes, void *stream)
{
    if (standin_is_pinned(from, bytes))
        return put_off((task){.stream = stream, .to = to, .from = from, .bytes = bytes});
    standin_catch_up(stream);
    memcpy(to, from, bytes);
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
    standin_catch_up(stream);
    return standin_give(stream);
}

int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream)
{
    STEP();
    standin_catch_up(stream);
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
    if (e->stream) catch_up(e->stream, e->turn);
    return 0;
}
