#include "support/crowd.h"

#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the wire -------------------------------------------------------------------------------------------------------- */

typedef struct message {
    struct message *next;
    size_t bytes;
    double words[];
} message;

typedef struct queue {
    message *first, *last;
    long taken;
} queue;

typedef struct wire {
    const crowd_plan *plan;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int nodes;
    queue *queues;    /* [nodes * nodes] from, to */
    em_status failed; /* what the first to fail told */
} wire;

/* A process's state of the engine. */
typedef struct place {
    wire *wire;
    int first, hosted;
    const em_link *links; /* of the round */
    size_t count, bytes;
    const void *const *blocks;
    message **heard; /* [nodes] by sender */
} place;

static int is_here(const place *p, int node)
{
    return node >= p->first && node < p->first + p->hosted;
}

static void put(queue *q, const void *block, size_t bytes)
{
    message *m = malloc(sizeof *m + bytes);
    if (!m) abort();
    m->next = NULL;
    m->bytes = bytes;
    memcpy(m->words, block, bytes);
    if (q->first)
        q->last->next = m;
    else
        q->first = m;
    q->last = m;
}

static em_status crowd_begin(void *state, const em_link *links, size_t count, const void *const *blocks, size_t bytes,
                             em_error *err)
{
    place *p = state;
    wire *w = p->wire;
    (void)err;
    p->links = links;
    p->count = count;
    p->bytes = bytes;
    p->blocks = blocks;
    (void)pthread_mutex_lock(&w->lock);
    for (size_t l = 0; l < count; l++)
        if (is_here(p, links[l].from) && !is_here(p, links[l].to))
            put(&w->queues[links[l].from * w->nodes + links[l].to], blocks[links[l].from - p->first], bytes);
    (void)pthread_cond_broadcast(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    return EM_OK;
}

/* With the lock held: the next message of a link, or NULL where somebody has failed, or nothing comes for a minute. */
static message *take(wire *w, em_link link)
{
    enum { PATIENCE = 60 };
    queue *q = &w->queues[link.from * w->nodes + link.to];
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    while (!q->first && w->failed == EM_OK)
        if (pthread_cond_timedwait(&w->changed, &w->lock, &until) == ETIMEDOUT) return NULL;
    message *m = q->first;
    if (!m) return NULL;
    q->first = m->next;
    if (w->plan->hears) w->plan->hears(w->plan->user, link, q->taken, m->words, m->bytes);
    q->taken++;
    return m;
}

static em_status hear(place *p, em_link link, const void **inbox, em_error *err)
{
    wire *w = p->wire;
    (void)pthread_mutex_lock(&w->lock);
    message *m = take(w, link);
    em_status told = w->failed;
    (void)pthread_mutex_unlock(&w->lock);
    if (!m && told != EM_OK) return em_fail_elsewhere(err, told, "another of the crowd");
    if (!m) return em_fail(err, EM_ENET, "crowd: node %d waits for %d; try the same program", link.to, link.from);
    free(p->heard[link.from]);
    p->heard[link.from] = m;
    if (m->bytes != p->bytes) return em_fail(err, EM_ENET, "crowd: %zu bytes; try the same program", m->bytes);
    inbox[link.from] = m->words;
    return EM_OK;
}

static em_status crowd_end_round(void *state, const void **inbox, em_error *err)
{
    place *p = state;
    em_status status = EM_OK;
    for (size_t l = 0; l < p->count && status == EM_OK; l++) {
        em_link link = p->links[l];
        if (is_here(p, link.from)) inbox[link.from] = p->blocks[link.from - p->first];
        if (is_here(p, link.to) && !is_here(p, link.from)) status = hear(p, link, inbox, err);
    }
    return status;
}

static void crowd_fail(void *state, const em_error *err)
{
    wire *w = ((place *)state)->wire;
    (void)pthread_mutex_lock(&w->lock);
    if (w->failed == EM_OK) w->failed = err->code;
    (void)pthread_cond_broadcast(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
}

static void crowd_close(void *state)
{
    place *p = state;
    for (int n = 0; n < p->wire->nodes; n++) free(p->heard[n]);
    free(p->heard);
    p->heard = NULL;
}

static const em_engine crowd_engine = {.size = sizeof crowd_engine,
                                       .name = "crowd",
                                       .begin = crowd_begin,
                                       .end = crowd_end_round,
                                       .close = crowd_close,
                                       .fail = crowd_fail};

/* ---- the processes ---------------------------------------------------------------------------------------------------- */

typedef struct process {
    pthread_t thread;
    int number;
    place place;
    crowd_end *end;
} process;

static void *run(void *context)
{
    process *p = context;
    const crowd_plan *plan = p->place.wire->plan;
    em_mesh *mesh = NULL;
    em_error *err = &p->end->err;
    em_status status = em_mesh_open_on(&mesh, &crowd_engine, &p->place, p->place.first, p->place.hosted, plan->graph,
                                       plan->threads, err);
    if (status == EM_OK) status = plan->body(plan->user, p->number, mesh, err);
    p->end->status = status;
    if (status != EM_OK) crowd_fail(&p->place, &(em_error){.code = status}); /* as who closes a connection does */
    em_mesh_close(&mesh);
    return NULL;
}

static void drain(wire *w)
{
    for (int n = 0; n < w->nodes * w->nodes; n++)
        for (message *m = w->queues[n].first, *next; m; m = next) {
            next = m->next;
            free(m);
        }
    free(w->queues);
}

void crowd_run(const crowd_plan *plan, crowd_end ends[CROWD_MOST])
{
    process all[CROWD_MOST];
    int nodes = em_graph_nodes(plan->graph), each = nodes / plan->processes;
    wire w = {.plan = plan, .nodes = nodes};
    w.queues = calloc((size_t)nodes * (size_t)nodes, sizeof *w.queues);
    if (!w.queues || plan->processes > CROWD_MOST) abort();
    (void)pthread_mutex_init(&w.lock, NULL);
    (void)pthread_cond_init(&w.changed, NULL);
    for (int n = 0; n < plan->processes; n++) {
        int last = n == plan->processes - 1;
        ends[n] = (crowd_end){0};
        all[n] = (process){.number = n, .end = &ends[n]};
        all[n].place = (place){.wire = &w, .first = n * each, .hosted = last ? nodes - n * each : each};
        all[n].place.heard = calloc((size_t)nodes, sizeof *all[n].place.heard);
        if (!all[n].place.heard || pthread_create(&all[n].thread, NULL, run, &all[n]) != 0) abort();
    }
    for (int n = 0; n < plan->processes; n++) (void)pthread_join(all[n].thread, NULL);
    drain(&w);
    (void)pthread_cond_destroy(&w.changed);
    (void)pthread_mutex_destroy(&w.lock);
}
