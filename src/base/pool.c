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

/* INVARIANTS
 * (1) `job` counts loops; a worker runs a loop when it sees a new value, once.
 * (2) `busy` is the number of workers that have not finished the current loop; the
 *     caller returns when it is 0, so `body` and `context` outlive their use.
 * (3) `failed_index` and `failure` belong to the loop and are written under `lock`. */
struct emi_pool {
    int size; /* threads, the calling one included */
    int started;
    worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    unsigned long job;
    int busy, closing;

    emi_loop_body *body;
    void *context;
    int count;
    atomic_int next;
    int failed_index;
    em_error failure;
};

static void note_failure(emi_pool *pool, int index, const em_error *err)
{
    (void)pthread_mutex_lock(&pool->lock);
    if (pool->failed_index < 0 || index < pool->failed_index) {
        pool->failed_index = index;
        pool->failure = *err;
    }
    (void)pthread_mutex_unlock(&pool->lock);
}

static void take_passes(emi_pool *pool, int id)
{
    int index;
    while ((index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < pool->count) {
        em_error err;
        em_status status = pool->body(pool->context, index, id, &err);
        if (status != EM_OK) note_failure(pool, index, &err);
    }
}

static void *serve(void *argument)
{
    const worker *self = argument;
    emi_pool *pool = self->pool;
    unsigned long seen = 0;
    (void)pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->job == seen && !pool->closing) (void)pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->closing) break;
        seen = pool->job;
        (void)pthread_mutex_unlock(&pool->lock);
        take_passes(pool, self->id);
        (void)pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) (void)pthread_cond_signal(&pool->done);
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
    for (int id = 1; id < pool->size; id++) {
        pool->workers[id] = (worker){.pool = pool, .id = id};
        if (pthread_create(&pool->workers[id].thread, NULL, serve, &pool->workers[id]))
            TRY(emi_fail(err, EM_ENOMEM, "threads: the system refuses thread %d; try threads=%d", id + 1, id));
        pool->started = id;
    }
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

static em_status run_alone(int count, emi_loop_body *body, void *context, em_error *err)
{
    for (int index = 0; index < count; index++) {
        em_status status = body(context, index, 0, err);
        if (status != EM_OK) return status;
    }
    return EM_OK;
}

em_status emi_pool_run(emi_pool *pool, int count, double cost, emi_loop_body *body, void *context, em_error *err)
{
    if (!pool || pool->size == 1 || count <= 1 || cost < worth_waking) return run_alone(count, body, context, err);
    (void)pthread_mutex_lock(&pool->lock);
    pool->body = body;
    pool->context = context;
    pool->count = count;
    pool->failed_index = -1;
    atomic_store(&pool->next, 0);
    pool->busy = pool->size - 1;
    pool->job++;
    (void)pthread_cond_broadcast(&pool->wake);
    (void)pthread_mutex_unlock(&pool->lock);

    take_passes(pool, 0);

    (void)pthread_mutex_lock(&pool->lock);
    while (pool->busy) (void)pthread_cond_wait(&pool->done, &pool->lock);
    (void)pthread_mutex_unlock(&pool->lock);
    if (pool->failed_index < 0) return EM_OK;
    if (err) *err = pool->failure;
    return pool->failure.code;
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
