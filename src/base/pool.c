#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* A loop shorter than this many floating-point operations is not worth a wake-up. */
static const double worth_waking = 4e5;

typedef struct worker {
    emi_pool *pool;
    int id;
    pthread_t thread;
} worker;

/* A loop under way, on the stack of who runs it. */
typedef struct loop {
    emi_loop_body *body;
    void *context;
    int count;
    atomic_int next;
    int inside; /* workers that take passes of it, beside who runs it */
    int failed_index;
    em_error failure;
    struct loop *before;
} loop;

/* INVARIANTS
 * (1) `loops` are those under way, the latest first: a pass of one may itself run a loop, whose passes workers take that have
 *     nothing else to do.
 * (2) A loop is left by who runs it when all passes are taken and nobody is inside: it outlives its use.
 * (3) All but `next`, and the loops' failures, are read and written under `lock`.
 * (4) Threads 1 .. started are there: none before the first loop that is worth one. */
struct emi_pool {
    int size; /* threads, the calling one included */
    int started;
    worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    loop *loops;
    int idle, closing;
};

/* The pool that this thread works for, and who it is there: 0 for all others, and in all other pools. */
static _Thread_local const emi_pool *home;
static _Thread_local int number;

static int worker_in(const emi_pool *pool)
{
    return pool && home == pool ? number : 0;
}

static void note_failure(emi_pool *pool, loop *l, int index, const em_error *err)
{
    (void)pthread_mutex_lock(&pool->lock);
    if (l->failed_index < 0 || index < l->failed_index) {
        l->failed_index = index;
        l->failure = *err;
    }
    (void)pthread_mutex_unlock(&pool->lock);
}

static void take_passes(emi_pool *pool, loop *l)
{
    int index, id = worker_in(pool);
    while ((index = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->count) {
        em_error err;
        em_status status = l->body(l->context, index, id, &err);
        if (status != EM_OK) note_failure(pool, l, index, &err);
    }
}

static loop *unfinished(const emi_pool *pool)
{
    loop *l = pool->loops;
    while (l && atomic_load_explicit(&l->next, memory_order_relaxed) >= l->count) l = l->before;
    return l;
}

static void *serve(void *argument)
{
    const worker *own = argument;
    emi_pool *pool = own->pool;
    home = pool;
    number = own->id;
    (void)pthread_mutex_lock(&pool->lock);
    for (;;) {
        loop *l;
        pool->idle++;
        while (!(l = unfinished(pool)) && !pool->closing) (void)pthread_cond_wait(&pool->wake, &pool->lock);
        pool->idle--;
        if (!l) break;
        l->inside++;
        (void)pthread_mutex_unlock(&pool->lock);
        take_passes(pool, l);
        (void)pthread_mutex_lock(&pool->lock);
        if (--l->inside == 0) (void)pthread_cond_broadcast(&pool->done);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The cores that this process may use, which a batch system or taskset may have made fewer than there are. */
static int cores(void)
{
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) > 0) return CPU_COUNT(&own);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a set has room for */
    return online > 0 ? (int)online : 1;
}

em_status emi_pool_open(emi_pool **out, int threads, em_error *err)
{
    em_status status = EM_OK;
    emi_pool *pool = emi_calloc(1, sizeof *pool);
    if (!pool) return emi_fail_memory(err, "threads");
    pool->size = threads > 0 ? threads : cores();
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->wake, NULL);
    (void)pthread_cond_init(&pool->done, NULL);
    pool->workers = emi_calloc((size_t)pool->size, sizeof *pool->workers);
    if (!pool->workers) TRY(emi_fail_memory(err, "threads"));
    *out = pool;
    pool = NULL;
done:
    emi_pool_close(&pool);
    return status;
}

int emi_pool_size(const emi_pool *pool)
{
    return pool->size;
}

/* When there is something to share for the first time: who has little to do never pays for them.  With the lock held. */
static em_status start_threads(emi_pool *pool, em_error *err)
{
    for (int id = pool->started + 1; id < pool->size; id++) {
        pool->workers[id] = (worker){.pool = pool, .id = id};
        if (pthread_create(&pool->workers[id].thread, NULL, serve, &pool->workers[id]))
            return emi_fail(err, EM_ENOMEM, "threads: the system refuses thread %d; try threads=%d", id + 1, id);
        pool->started = id;
    }
    return EM_OK;
}

em_status emi_pool_start(emi_pool *pool, em_error *err)
{
    (void)pthread_mutex_lock(&pool->lock);
    em_status status = start_threads(pool, err);
    (void)pthread_mutex_unlock(&pool->lock);
    return status;
}

static em_status run_alone(int id, int count, emi_loop_body *body, void *context, em_error *err)
{
    for (int index = 0; index < count; index++) {
        em_status status = body(context, index, id, err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

/* Not always the latest one: who runs another may still be at it. */
static void take_off(emi_pool *pool, const loop *l)
{
    loop **at = &pool->loops;
    while (*at != l) at = &(*at)->before;
    *at = l->before;
}

em_status emi_pool_run(emi_pool *pool, int count, double cost, emi_loop_body *body, void *context, em_error *err)
{
    if (!pool || pool->size == 1 || count <= 1 || cost < worth_waking)
        return run_alone(worker_in(pool), count, body, context, err);
    loop own = {.body = body, .context = context, .count = count, .failed_index = -1};
    (void)pthread_mutex_lock(&pool->lock);
    em_status status = start_threads(pool, err);
    if (status == EM_OK) {
        own.before = pool->loops;
        pool->loops = &own; /* cppcheck-suppress autoVariables ; it is taken off below */
        if (pool->idle > 0) (void)pthread_cond_broadcast(&pool->wake);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    if (status != EM_OK) return status;

    take_passes(pool, &own);

    (void)pthread_mutex_lock(&pool->lock);
    while (own.inside > 0) (void)pthread_cond_wait(&pool->done, &pool->lock);
    take_off(pool, &own);
    (void)pthread_mutex_unlock(&pool->lock);
    if (own.failed_index < 0) return EM_OK;
    if (err) *err = own.failure;
    return own.failure.code;
}

void emi_pool_close(emi_pool **handle)
{
    emi_pool *pool = *handle;
    if (!pool) return;
    (void)pthread_mutex_lock(&pool->lock);
    pool->closing = 1;
    (void)pthread_cond_broadcast(&pool->wake);
    (void)pthread_mutex_unlock(&pool->lock);
    for (int id = 1; id <= pool->started; id++) (void)pthread_join(pool->workers[id].thread, NULL);
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_cond_destroy(&pool->wake);
    (void)pthread_mutex_destroy(&pool->lock);
    emi_free(pool->workers);
    emi_free(pool);
    *handle = NULL;
}
