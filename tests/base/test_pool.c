/* The pool: every turn exactly once, by valid workers, whatever the number of threads. */
#include "base/pool.h"
#include "support/check.h"

#include <dirent.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_THREADS = 8, MOST_TURNS = 1000 };
static const double worth_it = 1e9, too_little = 1;

typedef struct tally {
    atomic_int taken[MOST_TURNS];
    atomic_int by_worker[MOST_THREADS];
    int workers;
    atomic_int wrong_worker;
    const int *failing; /* indices of the turns that fail, then -1 */
} tally;

static em_status count_body(void *context, int index, int worker, em_error *err)
{
    tally *t = context;
    atomic_fetch_add(&t->taken[index], 1);
    if (worker < 0 || worker >= t->workers)
        atomic_store(&t->wrong_worker, 1);
    else
        atomic_fetch_add(&t->by_worker[worker], 1);
    for (const int *f = t->failing; f && *f >= 0; f++)
        if (*f == index) return emi_fail_at(err, EM_EDATA, index, "turn %d: meant to fail", index);
    return EM_OK;
}

static void check_all_once(const tally *t, int turns)
{
    assert_false(atomic_load(&t->wrong_worker));
    for (int n = 0; n < MOST_TURNS; n++) assert_int_equal(atomic_load(&t->taken[n]), n < turns);
}

static void every_turn_once(void **state)
{
    (void)state;
    const int turns[] = {0, 1, 2, 3, 7, 8, 9, 64, MOST_TURNS};
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        emi_pool *pool = NULL;
        em_error err = {0};
        assert_ok(emi_pool_open(&pool, threads, &err), &err);
        assert_int_equal(emi_pool_size(pool), threads);
        for (size_t n = 0; n < sizeof turns / sizeof *turns; n++)
            for (int cheap = 0; cheap < 2; cheap++) {
                tally t = {.workers = threads};
                assert_ok(emi_pool_run(pool, turns[n], cheap ? too_little : worth_it, count_body, &t, &err), &err);
                check_all_once(&t, turns[n]);
                if (cheap) assert_int_equal(atomic_load(&t.by_worker[0]), turns[n]);
            }
        emi_pool_close(&pool);
        assert_null(pool);
    }
}

static void reports_the_smallest_failure(void **state)
{
    (void)state;
    const int failing[] = {41, 5, 99, 17, -1};
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        emi_pool *pool = NULL;
        em_error err = {0};
        assert_ok(emi_pool_open(&pool, threads, &err), &err);
        for (int again = 0; again < 20; again++) {
            tally t = {.workers = threads, .failing = failing};
            err = (em_error){0};
            assert_fails(emi_pool_run(pool, 100, worth_it, count_body, &t, &err), EM_EDATA, "turn 5: ", &err);
            assert_int_equal(err.node, 5);
            assert_int_equal(emi_pool_run(pool, 100, worth_it, count_body, &t, NULL), EM_EDATA);
            t.failing = NULL; /* a failure does not outlive its loop */
            assert_ok(emi_pool_run(pool, 100, worth_it, count_body, &t, &err), &err);
        }
        emi_pool_close(&pool);
    }
}

/* A loop whose passes run loops, the last of them most of the work. */
typedef struct nest {
    emi_pool *pool;
    tally inner[6];
    atomic_int deepest;
} nest;

static em_status deep_body(void *context, int index, int worker, em_error *err)
{
    (void)index, (void)worker, (void)err;
    atomic_fetch_add((atomic_int *)context, 1);
    return EM_OK;
}

static em_status nested_body(void *context, int index, int worker, em_error *err)
{
    nest *n = context;
    (void)worker;
    em_status status = emi_pool_run(n->pool, index == 5 ? MOST_TURNS : 7, worth_it, count_body, &n->inner[index], err);
    if (status == EM_OK) status = emi_pool_run(n->pool, 3, worth_it, deep_body, &n->deepest, err);
    return status;
}

static void loops_within_loops(void **state)
{
    (void)state;
    static const int failing[] = {3, -1};
    static nest n;
    for (int threads = 1; threads <= MOST_THREADS; threads++)
        for (int fails = 0; fails < 2; fails++) {
            em_error err = {0};
            memset(&n, 0, sizeof n);
            assert_ok(emi_pool_open(&n.pool, threads, &err), &err);
            for (int i = 0; i < 6; i++) n.inner[i].workers = threads;
            if (fails) n.inner[4].failing = failing;
            em_status status = emi_pool_run(n.pool, 6, worth_it, nested_body, &n, &err);
            if (fails) {
                assert_fails(status, EM_EDATA, "turn 3: ", &err);
            } else {
                assert_ok(status, &err);
                for (int i = 0; i < 6; i++) check_all_once(&n.inner[i], i == 5 ? MOST_TURNS : 7);
                assert_int_equal(atomic_load(&n.deepest), 18);
            }
            emi_pool_close(&n.pool);
        }
}

static void serves_many_loops(void **state)
{
    (void)state;
    enum { LOOPS = 3000, TURNS = 16 };
    emi_pool *pool = NULL;
    em_error err = {0};
    assert_ok(emi_pool_open(&pool, 4, &err), &err);
    tally t = {.workers = 4};
    for (int loop = 0; loop < LOOPS; loop++) assert_ok(emi_pool_run(pool, TURNS, worth_it, count_body, &t, &err), &err);
    for (int n = 0; n < TURNS; n++) assert_int_equal(atomic_load(&t.taken[n]), LOOPS);
    assert_false(atomic_load(&t.wrong_worker));
    emi_pool_close(&pool);
}

typedef struct meeting {
    atomic_int arrived;
    int expected;
} meeting;

/* Comes back only when all threads are inside a turn at once. */
static em_status wait_for_all(void *context, int index, int worker, em_error *err)
{
    (void)index, (void)worker, (void)err;
    meeting *m = context;
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < m->expected) {
    }
    return EM_OK;
}

static void threads_work_at_the_same_time(void **state)
{
    (void)state;
    emi_pool *pool = NULL;
    em_error err = {0};
    assert_ok(emi_pool_open(&pool, 3, &err), &err);
    meeting m = {.expected = 3};
    assert_ok(emi_pool_run(pool, 3, worth_it, wait_for_all, &m, &err), &err);
    assert_int_equal(atomic_load(&m.arrived), 3);
    emi_pool_close(&pool);
}

static int threads_of_this_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) skip();
    for (const struct dirent *e; (e = readdir(tasks));) count += e->d_name[0] != '.';
    (void)closedir(tasks);
    return count;
}

/* Who has little to do never pays for threads. */
static void starts_when_there_is_something_to_do(void **state)
{
    (void)state;
    enum { THREADS = 3, TURNS = 7 };
    emi_pool *pool = NULL;
    em_error err = {0};
    tally t = {.workers = THREADS};
    int before = threads_of_this_process();
    assert_ok(emi_pool_open(&pool, THREADS, &err), &err);
    assert_ok(emi_pool_run(pool, TURNS, too_little, count_body, &t, &err), &err);
    assert_int_equal(threads_of_this_process(), before);
    assert_ok(emi_pool_run(pool, TURNS, worth_it, count_body, &t, &err), &err);
    int with = threads_of_this_process();
    assert_true(with >= before + THREADS - 1); /* a sanitizer may start one of its own */
    assert_ok(emi_pool_run(pool, TURNS, worth_it, count_body, &t, &err), &err);
    assert_int_equal(threads_of_this_process(), with);
    for (int n = 0; n < TURNS; n++) assert_int_equal(atomic_load(&t.taken[n]), 3);
    emi_pool_close(&pool);
}

static void starts_when_it_is_told(void **state)
{
    (void)state;
    emi_pool *pool = NULL;
    em_error err = {0};
    assert_ok(emi_pool_open(&pool, 3, &err), &err);
    for (int n = 0; n < 2; n++) {
        assert_ok(emi_pool_start(pool, &err), &err);
        assert_true(threads_of_this_process() >= 3);
    }
    emi_pool_close(&pool);
}

static void opens_one_thread_a_core(void **state)
{
    (void)state;
    emi_pool *pool = NULL;
    em_error err = {0};
    assert_ok(emi_pool_open(&pool, 0, &err), &err);
    assert_true(emi_pool_size(pool) >= 1);
    emi_pool_close(&pool);
    emi_pool_close(&pool); /* closing what is closed is harmless */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_when_there_is_something_to_do), /* while no other thread is on its way out */
        cmocka_unit_test(every_turn_once),
        cmocka_unit_test(reports_the_smallest_failure),
        cmocka_unit_test(loops_within_loops),
        cmocka_unit_test(serves_many_loops),
        cmocka_unit_test(threads_work_at_the_same_time),
        cmocka_unit_test(starts_when_it_is_told),
        cmocka_unit_test(opens_one_thread_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
