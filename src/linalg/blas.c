#define _GNU_SOURCE /* dladdr */
#include "linalg/blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

enum { MOST = 1024 }; /* more than BLAS libraries are built for */

/* ---- the library ------------------------------------------------------------------------------------------ */

const char *emi_blas_file(void)
{
    Dl_info where = {0};
    void (*known)(void) = (void (*)(void))cblas_dgemm;
    return dladdr(*(void **)&known, &where) ? where.dli_fname : NULL;
}

void *emi_blas_symbol(const char *name)
{
    const char *file = emi_blas_file();
    void *library = file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!library) library = dlopen(NULL, RTLD_LAZY); /* it is part of the program */
    void *symbol = library ? dlsym(library, name) : NULL;
    if (library) (void)dlclose(library);
    return symbol;
}

/* ---- the threads of whatever BLAS this is ------------------------------------------------------------- */

/* BLIS counts in 64 bits, the others in ints. */
static struct {
    void (*set)(int);
    int (*get)(void);
    void (*set_wide)(int64_t);
    int64_t (*get_wide)(void);
} control;

/* Where there is no control, a BLAS of one thread is supposed. */
static int get_threads(void)
{
    if (control.get) return control.get();
    int64_t wide = control.get_wide ? control.get_wide() : 1;
    return wide < 1 ? 1 : wide > MOST ? MOST : (int)wide; /* BLIS: -1 until somebody has set it */
}

static void set_threads(int threads)
{
    if (control.set) control.set(threads);
    if (control.set_wide) control.set_wide(threads);
}

static void find_control(void)
{
    static const char *const names[][2] = {{"openblas_set_num_threads", "openblas_get_num_threads"},
                                           {"flexiblas_set_num_threads", "flexiblas_get_num_threads"},
                                           {"MKL_Set_Num_Threads", "MKL_Get_Max_Threads"},
                                           {"bli_thread_set_num_threads", "bli_thread_get_num_threads"}};
    enum { KINDS = sizeof names / sizeof *names, WIDE = KINDS - 1 };
    for (int n = 0; n < KINDS; n++) {
        void *set = emi_blas_symbol(names[n][0]), *get = emi_blas_symbol(names[n][1]);
        if (!set || !get) continue;
        *(void **)(n == WIDE ? (void *)&control.set_wide : (void *)&control.set) = set;
        *(void **)(n == WIDE ? (void *)&control.get_wide : (void *)&control.get) = get;
        break;
    }
}

/* ---- claims -------------------------------------------------------------------------------------------- */

/* The one owner of a number that is the process's. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
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
    if (wanted != get_threads()) set_threads(wanted);
}

void emi_blas_claim(int threads)
{
    (void)pthread_once(&once, find_control);
    (void)pthread_mutex_lock(&lock);
    if (claims++ == 0) before = get_threads();
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

void emi_blas_exchange(int from, int to)
{
    (void)pthread_mutex_lock(&lock);
    holders[within(from)]--;
    holders[within(to)]++;
    settle();
    (void)pthread_mutex_unlock(&lock);
}
