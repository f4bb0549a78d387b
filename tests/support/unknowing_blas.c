/* An OpenBLAS that does not know this CPU: the installed one, but that it claims kernels of 2004 unless OPENBLAS_CORETYPE
 * asked for others when it was loaded; or always those that UNKNOWING_BLAS_CLAIMS.  Every time it is loaded it adds a line
 * to the file UNKNOWING_BLAS_LOG. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <cblas.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int was_asked;

__attribute__((constructor)) static void note_the_start(void)
{
    const char *core = getenv("OPENBLAS_CORETYPE"), *path = getenv("UNKNOWING_BLAS_LOG");
    was_asked = core && *core;
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log) return;
    (void)fprintf(log, "loaded for %s\n", core ? core : "any CPU");
    (void)fclose(log);
}

char *openblas_get_corename(void)
{
    static char prescott[] = "Prescott";
    char *claimed = getenv("UNKNOWING_BLAS_CLAIMS"), *(*truly)(void) = NULL;
    *(void **)&truly = dlsym(RTLD_NEXT, "openblas_get_corename");
    return claimed ? claimed : was_asked ? truly() : prescott;
}

/* By which the BLAS of a process is told. */
void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, blasint m, blasint n, blasint k,
                 double alpha, const double *a, blasint lda, const double *b, blasint ldb, double beta, double *c,
                 blasint ldc)
{
    void (*truly)(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, double, const double *,
                  blasint, const double *, blasint, double, double *, blasint) = NULL;
    *(void **)&truly = dlsym(RTLD_NEXT, "cblas_dgemm");
    truly(order, TransA, TransB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
