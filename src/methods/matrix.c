#include "methods/matrix.h"

#include "base/memory.h"
#include "linalg/basis.h"
#include "linalg/blas.h"
#include "methods/lanczos.h"
#include "methods/steps.h"

#include <math.h>
#include <string.h>

/* What of the matrix is rounding follows from its diagonal: see rounding.h. */
static em_status rounding_of(const double *A, int n, emi_rounding *out, em_error *err)
{
    double *numbers = emi_calloc(2 * (size_t)n, sizeof *numbers);
    if (!numbers) return emi_fail_memory(err, "eigensolve");
    *out = (emi_rounding){.deviation = numbers, .offset = numbers + n, .formed = 1};
    for (size_t i = 0; i < (size_t)n; i++) {
        double variance = fmax(0, A[i * (size_t)n + i]);
        numbers[i] = sqrt(variance);
        out->total += variance;
    }
    return EM_OK;
}

/* Whether it got there: eigenvalues may be so close that the whole space has to be spanned. */
static em_status by_lanczos(const emi_solver *s, const double *A, int *done, double *values, double *vectors,
                            em_error *err)
{
    enum { MOST_STEPS = 60 };
    em_status status = EM_OK;
    emi_lanczos l = {0};
    double *Aq = NULL;
    *done = 0;
    TRY(emi_lanczos_open(&l, s, 1, err));
    Aq = emi_doubles((size_t)s->d * (size_t)l.most);
    if (!Aq) TRY(emi_fail_memory(err, "eigensolve"));
    TRY(emi_lanczos_begin(&l, (emi_block){s->d, 0, NULL}, err));
    for (int step = 0; step < MOST_STEPS && l.width > 0 && l.ritz.size <= s->d / 2; step++) {
        emi_block q = {s->d, l.width, l.q};
        emi_mul(1, (emi_block){s->d, s->d, (double *)A}, q, 0, (emi_block){s->d, l.width, Aq});
        TRY(emi_lanczos_take(&l, Aq, err));
    }
    *done = l.residual <= s->tolerance;
    if (*done) {
        memcpy(values, l.ritz.theta, sizeof *values * (size_t)s->K);
        memcpy(vectors, emi_lanczos_vectors(&l).v, sizeof *vectors * (size_t)s->d * (size_t)s->K);
    }
done:
    emi_free(Aq);
    emi_lanczos_close(&l);
    return status;
}

/* A large one on a network of one node has all cores for itself. */
static em_status by_lapack(const emi_solver *s, double *A, int n, int wanted, double *values, double *vectors,
                           em_error *err)
{
    enum { LARGE = 1024 };
    int threads = s->mesh->graph->nodes == 1 && n >= LARGE ? emi_pool_size(s->mesh->pool) : 1;
    emi_blas_exchange(1, threads);
    em_status status = emi_first_eigen(A, n, wanted, values, vectors, err);
    emi_blas_exchange(threads, 1);
    return status;
}

em_status emi_top_of_matrix(const emi_solver *s, int n, double *A, int wanted, double *values, double *vectors,
                            em_error *err)
{
    enum { LARGE = 1024, FEW = 64, NARROW = 8 };
    em_status status = EM_OK;
    int done = 0;
    emi_solver own = {.d = n,
                      .K = wanted,
                      .rank = n,
                      .oversample = s->oversample,
                      .narrow = NARROW,
                      .seed = s->seed,
                      .tolerance = 1e-13};
    if (n > LARGE && wanted <= n / FEW) {
        TRY(rounding_of(A, n, &own.rounding, err));
        status = by_lanczos(&own, A, &done, values, vectors, err);
        if (status != EM_ENUMERIC) TRY(status); /* then LAPACK's other solver may do */
    }
    if (!done) TRY(by_lapack(s, A, n, wanted, values, vectors, err));
done:
    emi_free((double *)own.rounding.deviation);
    return status;
}

int emi_components_of(const emi_solver *s, const double *values)
{
    double sum = 0;
    int K = 0;
    if (s->fraction == 0) return s->K;
    while (K < s->rank && !emi_explains_fraction(s, sum)) sum += values[K++];
    return K;
}

void emi_keep_rest(emi_solver *s, const double *values, int K, int found, int n, double doubt)
{
    s->answer.next = K < found ? fmax(0, values[K]) : 0;
    s->answer.beyond = doubt;
    if (found < n) return;
    double rest = 0, squares = 0, cubes = 0;
    for (int k = K; k < n; k++) rest += values[k];
    for (int k = K; k < n && rest > 0; k++) {
        double share = fmax(0, values[k] / rest);
        squares += share * share;
        cubes += share * share * share;
    }
    s->answer.rest = rest;
    s->answer.squares = squares;
    s->answer.cubes = cubes;
}

/* ---- the other side ------------------------------------------------------------------------------------------ */

/* Columns with no variance of their own are any that are orthonormal to the others. */
static void fill_up(const emi_solver *s, emi_block X, int from)
{
    emi_random random = emi_random_seed(s->seed, EMI_STREAM_KRYLOV);
    emi_block rest = {X.rows, X.cols - from, emi_column_of(X, from)};
    emi_random_normals(&random, rest.v, (size_t)rest.rows * (size_t)rest.cols);
}

/* X from U, made orthonormal column by column.  By its Gram matrix where columns are far from dependent, as they are but for
 * rounding. */
static em_status lift(const emi_solver *s, emi_block U, int has, emi_block X, em_error *err)
{
    em_status status = EM_OK;
    size_t needs = emi_orthonormalise_needs(X.rows, X.cols), square = (size_t)X.cols * (size_t)X.cols;
    double *room = emi_doubles(needs > square ? needs : square);
    if (!room) TRY(emi_fail_memory(err, "covariance"));
    TRY(s->C[0].kind->lift(&s->C[0], U, X, s->scratch[0], err));
    for (int k = 0; k < has; k++) {
        double norm = emi_norm(X.rows, emi_column_of(X, k));
        for (int f = 0; f < X.rows && norm > 0; f++) emi_column_of(X, k)[f] /= norm;
    }
    fill_up(s, X, has);
    if (has == X.cols && emi_gram_factor(X, room))
        emi_gram_orthonormalise(X, room);
    else
        TRY(emi_orthonormalise(X, EMI_QR_POSITIVE, (emi_scratch){room, needs}, err));
done:
    emi_free(room);
    return status;
}

em_status emi_solve_other_side(emi_solver *s, em_error *err)
{
    em_status status = EM_OK;
    emi_block A = s->C[0].kind->matrix(&s->C[0]);
    int n = A.rows, found = s->fraction > 0 || s->limits || s->K >= n - 1 ? n : s->K + 1;
    double *values = emi_doubles((size_t)n), *U = emi_doubles((size_t)n * (size_t)found), *X = NULL;
    if (!values || !U) TRY(emi_fail_memory_try(err, "covariance", "method=krylov"));
    TRY(emi_top_of_matrix(s, n, A.v, found, values, U, err));
    int K = emi_components_of(s, values), has = 0;
    while (has < K && has < found && values[has] > emi_eps(&s->rounding) * values[0]) has++;
    X = emi_doubles((size_t)s->d * (size_t)K);
    if (!X) TRY(emi_fail_memory_try(err, "covariance", "method=krylov"));
    TRY(lift(s, (emi_block){n, K < found ? K : found, U}, has, (emi_block){s->d, K, X}, err));
    emi_keep_answer(s, X, values, K);
    emi_keep_rest(s, values, K, found, n, K < found ? emi_eps(&s->rounding) * values[0] : 0);
done:
    emi_free(X);
    emi_free(U);
    emi_free(values);
    return status;
}
