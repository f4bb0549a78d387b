#include "linalg/blas.h"

#include <cblas.h>
#include <pthread.h>

enum { MOST = 1024 }; /* more than BLAS libraries are built for */

/* The one owner of a number that is the process's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int holders[MOST + 1]; /* by what they asked for */
static int claims, before;

static int within(int threads)
{
    return threads < 1 ? 1 : threads > MOST ? MOST : threads;
}

/* What there should be now; called with the lock held. */
static void settle(void)
{
    int wanted = before;
    if (claims > 0)
        for (wanted = 1; holders[wanted] == 0;) wanted++;
    if (wanted != openblas_get_num_threads()) openblas_set_num_threads(wanted);
}

void emi_blas_claim(int threads)
{
    (void)pthread_mutex_lock(&lock);
    if (claims++ == 0) before = openblas_get_num_threads();
    holders[within(threads)]++;
    settle();
    (void)pthread_mutex_unlock(&lock);
}

void emi_blas_release(int threads)
{
    (void)pthread_mutex_lock(&lock);
    claims--;
    holders[within(threads)]--;
    settle();
    (void)pthread_mutex_unlock(&lock);
}
