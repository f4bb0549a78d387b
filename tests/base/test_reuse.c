/* Blocks that wait for the next who asks: what is taken is large enough, aligned and nobody else's, and few wait. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/reuse.h"
#include "support/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KB = 1 << 10, MB = 1 << 20 };

static int reuses(void)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
    return 1;
#else
    return 0;
#endif
}

/* Nobody waits any more. */
static void drain(void)
{
    for (size_t bytes = 4 * MB - 1; bytes >= 256 * KB; bytes /= 2)
        for (void *memory; (memory = emi_reuse_take(bytes / 2 + 1));) free(memory);
    for (void *memory; (memory = emi_reuse_take(256 * KB));) free(memory);
}

static void free_one(size_t bytes)
{
    double *memory = emi_doubles(bytes / sizeof *memory);
    assert_non_null(memory);
    memset(memory, 1, bytes);
    emi_free(memory);
}

/* The next of that size, or of some less, gets it. */
static void is_used_again(void **state)
{
    (void)state;
    if (!reuses()) skip_for("what is freed is watched here");
    drain();
    double *first = emi_doubles(MB / sizeof *first);
    assert_non_null(first);
    emi_free(first);
    double *second = emi_doubles(3 * (MB / 4) / sizeof *second);
    assert_ptr_equal(first, second);
    emi_free(second);
    assert_null(emi_reuse_take(MB / 3));         /* for which it is a waste */
    assert_null(emi_reuse_take(2 * (size_t)MB)); /* for which it is too small */
    double *third = emi_reuse_take(MB);
    assert_ptr_equal(first, third);
    assert_true((uintptr_t)third % 64 == 0);
    assert_null(emi_reuse_take(MB)); /* it is somebody's */
    emi_free(third);
    drain();
}

/* Small ones and large ones do not wait; of the others no more than 16 MB. */
static void few_wait(void **state)
{
    (void)state;
    if (!reuses()) skip_for("what is freed is watched here");
    enum { MANY = 64 };
    double *held[MANY];
    drain();
    free_one(128 * KB);
    free_one(8 * (size_t)MB);
    assert_null(emi_reuse_take(128 * KB));
    assert_null(emi_reuse_take(8 * (size_t)MB));
    for (size_t size = 300 * KB; size < 4 * MB; size *= 2) {
        size_t waiting = 0;
        for (int n = 0; n < MANY; n++) held[n] = emi_doubles(size / sizeof *held[n]);
        for (int n = 0; n < MANY; n++) emi_free(held[n]);
        for (void *memory; (memory = emi_reuse_take(size)); free(memory)) waiting += size;
        assert_true(waiting >= size && waiting <= 16 * (size_t)MB);
    }
    drain();
}

/* Nobody has a block that another has. */
static em_status take_and_mark(void *context, int i, int worker, em_error *err)
{
    (void)worker, (void)err;
    int *wrong = context;
    for (int round = 0; round < 20; round++) {
        size_t count = (size_t)(256 + 64 * ((i + round) % 8)) * KB / sizeof(double);
        double *memory = emi_doubles(count), mark = i * 100 + round;
        if (!memory) return EM_ENOMEM;
        for (size_t n = 0; n < count; n += 97) memory[n] = mark;
        for (size_t n = 0; n < count; n += 97) wrong[i] += memory[n] != mark;
        emi_free(memory);
    }
    return EM_OK;
}

static void many_at_once(void **state)
{
    (void)state;
    enum { TASKS = 64 };
    int wrong[TASKS] = {0};
    em_error err = {0};
    emi_pool *pool = NULL;
    assert_ok(emi_pool_open(&pool, 4, &err), &err);
    assert_ok(emi_pool_run(pool, TASKS, 1e9, take_and_mark, wrong, &err), &err);
    for (int n = 0; n < TASKS; n++) assert_int_equal(wrong[n], 0);
    emi_pool_close(&pool);
    drain();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_used_again), cmocka_unit_test(few_wait),
                                       cmocka_unit_test(many_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
