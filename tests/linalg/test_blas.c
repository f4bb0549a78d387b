/* Claims on the BLAS library's thread count: whoever is last puts it back. */
#include "linalg/blas.h"
#include "support/check.h"

#include <cblas.h>
#include <pthread.h>

enum { OWN = 3 }; /* what the process has, before anyone claims */

static int set_up(void **state)
{
    (void)state;
    openblas_set_num_threads(OWN);
    return openblas_get_num_threads() != OWN;
}

static void assert_threads(int wanted)
{
    assert_int_equal(openblas_get_num_threads(), wanted);
}

static void a_claim_is_put_back(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        emi_blas_claim(threads);
        assert_threads(threads);
        emi_blas_release(threads);
        assert_threads(OWN);
    }
}

static void claims_nest(void **state)
{
    (void)state;
    emi_blas_claim(4);
    emi_blas_claim(1);
    emi_blas_claim(1);
    assert_threads(1);
    emi_blas_release(1);
    assert_threads(1);
    emi_blas_claim(2); /* more than the outer one allows */
    assert_threads(1);
    emi_blas_release(2);
    emi_blas_release(1);
    assert_threads(4);
    emi_blas_release(4);
    assert_threads(OWN);
}

/* Those of two threads end in any order. */
static void claims_overlap(void **state)
{
    (void)state;
    emi_blas_claim(4);
    emi_blas_claim(2);
    emi_blas_release(4);
    assert_threads(2);
    emi_blas_claim(1);
    emi_blas_release(2);
    assert_threads(1);
    emi_blas_release(1);
    assert_threads(OWN);
}

/* What the process chose in between is what comes back. */
static void the_first_claim_remembers(void **state)
{
    (void)state;
    openblas_set_num_threads(2);
    emi_blas_claim(1);
    emi_blas_release(1);
    assert_threads(2);
    openblas_set_num_threads(OWN);
}

static void numbers_out_of_range_are_claims_too(void **state)
{
    (void)state;
    static const int odd[] = {0, -5, 1000000};
    for (int n = 0; n < 3; n++) {
        emi_blas_claim(odd[n]);
        assert_true(openblas_get_num_threads() >= 1);
        emi_blas_release(odd[n]);
        assert_threads(OWN);
    }
}

/* Every other thread asks for one and must have it, whatever its neighbours do. */
static void *claim_often(void *context)
{
    const int *most = context;
    for (int n = 0; n < 2000; n++) {
        int threads = 1 + n % *most;
        emi_blas_claim(threads);
        int seen = openblas_get_num_threads();
        emi_blas_release(threads);
        if (threads == 1 && seen != 1) return context;
    }
    return NULL;
}

static void threads_claim_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    static int most[THREADS] = {1, 3, 1, 2};
    pthread_t thread[THREADS];
    void *failed;
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&thread[t], NULL, claim_often, &most[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], &failed), 0);
        assert_null(failed);
    }
    assert_threads(OWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_is_put_back),
        cmocka_unit_test(claims_nest),
        cmocka_unit_test(claims_overlap),
        cmocka_unit_test(the_first_claim_remembers),
        cmocka_unit_test(numbers_out_of_range_are_claims_too),
        cmocka_unit_test(threads_claim_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
